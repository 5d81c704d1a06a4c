// An embedder of another provider behind the port: batches, unit vectors, one kind of error.
import type { Clock, Embedder } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import { EMBEDDING_CLIENTS, type HostedEmbedder } from './embedding-clients.ts';
import { malformedAnswer, withExchange } from './exchange.ts';
import { providerName } from './provider-name.ts';
import { unitVectors } from './unit-vectors.ts';

export interface HostedEmbedderOptions {
  readonly config: Config;
  readonly provider: HostedEmbedder;
  readonly model: string;
  /** For one request. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

// Full size, from the vendors' pages of models; it saves a request at every start. Others are asked for one vector.
const DIMENSIONS: Readonly<Record<string, number>> = {
  'cohere:embed-v4.0': 1536,
  'cohere:embed-english-v3.0': 1024,
  'cohere:embed-multilingual-v3.0': 1024,
  'cohere:embed-english-light-v3.0': 384,
  'cohere:embed-multilingual-light-v3.0': 384,
  'openai:text-embedding-3-small': 1536,
  'openai:text-embedding-3-large': 3072,
  'openai:text-embedding-ada-002': 1536,
  'ollama:nomic-embed-text': 768,
  'ollama:mxbai-embed-large': 1024,
  'ollama:all-minilm': 384,
  'ollama:bge-m3': 1024,
};

/**
 * Makes an embedder of a provider. Its dimensions come from the table above, else from the vector of one word.
 * @throws ProviderError here when that vector cannot be had; from `embed` when a request fails or a vector has another size.
 */
export async function createHostedEmbedder(options: HostedEmbedderOptions): Promise<Embedder> {
  const { provider, model } = options;
  const id = `${provider}:${model}`;
  const known = options.config[provider].baseUrl === null || provider === 'ollama' ? DIMENSIONS[id] : undefined;
  const dimensions = known ?? (await requestVectors(options, ['dimensions'], 'document'))[0]?.length ?? 0;
  return {
    id,
    dimensions,
    embed: (texts, kind) =>
      unitVectors({ id, dimensions }, texts, async (written) => {
        const { batchSize } = EMBEDDING_CLIENTS[provider];
        const vectors: number[][] = [];
        for (let start = 0; start < written.length; start += batchSize) {
          vectors.push(...(await requestVectors(options, written.slice(start, start + batchSize), kind)));
        }
        return vectors;
      }),
  };
}

async function requestVectors(
  { config, provider, model, timeoutMs, clock }: HostedEmbedderOptions,
  texts: readonly string[],
  kind: Parameters<Embedder['embed']>[1],
): Promise<number[][]> {
  const name = providerName(provider, model);
  const { maxCharacters, embed } = EMBEDDING_CLIENTS[provider];
  const sent = maxCharacters === null ? texts : texts.map((text) => text.slice(0, maxCharacters));
  return withExchange({ provider: name, timeoutMs, clock }, async (exchange) => {
    const vectors = await embed(config, { model, texts: sent, kind, exchange });
    if (vectors.length !== texts.length || !vectors.every((vector) => Array.isArray(vector) && vector.length > 0)) {
      throw malformedAnswer(name);
    }
    return vectors;
  });
}
