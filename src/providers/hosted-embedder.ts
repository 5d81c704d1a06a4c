// An embedder of another provider behind the port: batches, unit vectors, one kind of error.
import { EmbedderClosedError } from '../../retrieval/errors.ts';
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
  /** Ends all calls of this process, because it ends. */
  readonly ending?: AbortSignal | undefined;
}

/**
 * Makes an embedder of a provider. It asks for nothing before there is something to embed: the size of its vectors is what they
 * have, and a provider that is away keeps nobody from what needs no vectors.
 * @throws ProviderError from `embed` when a request fails or the vectors of one call differ in size; EmbedderClosedError when
 * the process ends.
 */
export function createHostedEmbedder(options: HostedEmbedderOptions): Embedder {
  const { provider, model } = options;
  const sized = { id: `${provider}:${model}`, dimensions: null };
  return {
    ...sized,
    embed: (texts, kind) =>
      unitVectors(sized, texts, async (written) => {
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
  { config, provider, model, timeoutMs, clock, ending }: HostedEmbedderOptions,
  texts: readonly string[],
  kind: Parameters<Embedder['embed']>[1],
): Promise<number[][]> {
  const name = providerName(provider, model, 'embedding');
  const { maxCharacters, embed } = EMBEDDING_CLIENTS[provider];
  const sent = maxCharacters === null ? texts : texts.map((text) => text.slice(0, maxCharacters));
  const call = withExchange({ provider: name, timeoutMs, clock, ending }, async (exchange) => {
    const vectors = await embed(config, { model, texts: sent, kind, exchange });
    if (vectors.length !== texts.length || !vectors.every((vector) => Array.isArray(vector) && vector.length > 0)) {
      throw malformedAnswer(name);
    }
    return vectors;
  });
  return call.catch((error: unknown) => {
    // Not one more try for each text: nobody waits for them any more.
    throw ending?.aborted ? new EmbedderClosedError() : error;
  });
}
