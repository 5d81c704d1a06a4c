// The hosted embedders, through LangChain, each reduced to one function.
import { z } from 'zod/v4';
import type { Embedder } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import { OPENAI_URL } from './chat-clients.ts';
import { createCohereClient } from './cohere-client.ts';
import type { Exchange } from './exchange.ts';
import { PACKAGES } from './provider-packages.ts';

/** The embedders that are reached over the network. */
export type HostedEmbedder = Extract<Config['embedder']['provider'], 'cohere' | 'openai' | 'ollama'>;

interface EmbeddingRequest {
  readonly model: string;
  readonly texts: readonly string[];
  readonly kind: Parameters<Embedder['embed']>[1];
  readonly exchange: Pick<Exchange, 'fetch' | 'signal'>;
}

interface EmbeddingClient {
  /** Texts that one request may have. */
  readonly batchSize: number;
  /** Characters of a text that are sent; null where the provider itself cuts what its model does not read. */
  readonly maxCharacters: number | null;
  embed(config: Config, request: EmbeddingRequest): Promise<number[][]>;
}

/** By provider; vectors as the provider gives them. */
export const EMBEDDING_CLIENTS: Readonly<Record<HostedEmbedder, EmbeddingClient>> = {
  cohere: {
    batchSize: 96, // https://docs.cohere.com/reference/embed
    maxCharacters: null, // `truncate` is END when not given
    async embed({ cohere }, { model, texts, kind, exchange }) {
      const { CohereEmbeddings } = await PACKAGES.cohere();
      const count = kind === 'document' ? texts.length : 1;
      const client = await createCohereClient(cohere, fetchChecking(exchange.fetch, countCohere(count)));
      // LangChain types the client of the major version before; its `embed` is the same.
      const embeddings = new CohereEmbeddings({ model, client: client as never, batchSize: 96, maxRetries: 0 });
      // Questions have another input type than documents, and `embedQuery` is the method that gives it.
      if (kind === 'document') return embeddings.embedDocuments([...texts]);
      return Promise.all(texts.map((text) => embeddings.embedQuery(text)));
    },
  },
  openai: {
    // 2,048 inputs and 300,000 tokens together (https://platform.openai.com/docs/api-reference/embeddings/create).
    batchSize: 96,
    maxCharacters: 8_000, // 8,192 tokens, and a longer text is refused; a token has at least a character in nearly any text
    async embed({ openai }, { model, texts, exchange }) {
      const { OpenAIEmbeddings } = await PACKAGES.openai();
      const fetch = fetchChecking(exchange.fetch, orderOpenai(texts.length));
      const embeddings = new OpenAIEmbeddings({
        model,
        apiKey: openai.apiKey ?? '',
        batchSize: 96,
        stripNewLines: false,
        // The client would ask for base64, which other servers of this protocol do not all speak.
        encodingFormat: 'float',
        maxRetries: 0,
        configuration: { baseURL: openai.baseUrl ?? OPENAI_URL, fetch, logLevel: 'off' },
      });
      return embeddings.embedDocuments([...texts]);
    },
  },
  ollama: {
    batchSize: 32, // all texts of a request wait for the last of them, on one machine
    maxCharacters: null,
    async embed({ ollama }, { model, texts, exchange }) {
      const { OllamaEmbeddings } = await PACKAGES.ollama();
      const embeddings = new OllamaEmbeddings({
        model,
        baseUrl: ollama.baseUrl,
        truncate: true,
        fetch: exchange.fetch,
        maxRetries: 0,
      });
      return embeddings.embedDocuments([...texts]);
    },
  },
};

/** What a reply holds, in the order of the texts. Null: it is not one vector a text. */
type Check = (body: unknown) => unknown;

// Between the provider and the library, which takes the first vectors that come, however many there are and whatever text
// each says that it belongs to. A vector of another text would be found under this one's name.
function fetchChecking(fetch: typeof globalThis.fetch, check: Check): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok) return response;
    const checked = check(await response.json());
    if (checked === null) throw new Error('not one vector a text');
    return Response.json(checked);
  };
}

// https://platform.openai.com/docs/api-reference/embeddings/object
const openaiReply = z.looseObject({ data: z.array(z.looseObject({ index: z.number() })) });

function orderOpenai(count: number): Check {
  return (body) => {
    const { success, data: reply } = openaiReply.safeParse(body);
    if (!success) return null;
    const data = reply.data.toSorted((one, other) => one.index - other.index);
    return data.length === count && data.every(({ index }, place) => index === place) ? { ...reply, data } : null;
  };
}

// https://docs.cohere.com/reference/embed
const cohereReply = z.looseObject({ embeddings: z.looseObject({ float: z.array(z.unknown()) }) });

function countCohere(count: number): Check {
  return (body) => {
    const { success, data: reply } = cohereReply.safeParse(body);
    return success && reply.embeddings.float.length === count ? reply : null;
  };
}
