import type { Clock, Reranker } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import { createCohereClient } from './cohere-client.ts';
import { malformedAnswer, withExchange } from './exchange.ts';
import { providerName } from './provider-name.ts';

export interface CohereRerankerOptions {
  readonly config: Config;
  /** Such as `rerank-v3.5`. */
  readonly model: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Ends all calls of this process, because it ends. */
  readonly ending?: AbortSignal | undefined;
}

// The most that the vendor recommends for a request (https://docs.cohere.com/reference/rerank); ours have twenty texts.
const MAX_TEXTS = 1_000;

/** Cohere's reranker: relevance scores in 0…1. @throws ProviderError: another stands in. */
export function createCohereReranker({ config, model, timeoutMs, clock, ending }: CohereRerankerOptions): Reranker {
  const name = providerName('cohere', model, 'reranking');
  return {
    id: name.id,
    async rerank(question, texts) {
      if (texts.length > MAX_TEXTS) throw new RangeError(`at most ${MAX_TEXTS} texts can be reranked at once`);
      return withExchange({ provider: name, timeoutMs, clock, ending }, async ({ fetch, signal }) => {
        const client = await createCohereClient(config.cohere, fetch);
        const request = { model, query: question, documents: [...texts], topN: texts.length };
        const { results } = await client.v2.rerank(request, { abortSignal: signal });
        return scoresOf(results, texts.length) ?? Promise.reject(malformedAnswer(name));
      });
    },
  };
}

// In the order of the texts; the provider gives them best first. Null unless each text has one score and nothing else has.
function scoresOf(results: readonly { index: number; relevanceScore: number }[], count: number): number[] | null {
  const scores = new Map(results.map(({ index, relevanceScore }) => [index, relevanceScore]));
  if (results.length !== count || scores.size !== count) return null;
  const inOrder = Array.from({ length: count }, (_, index) => scores.get(index));
  return inOrder.every((score) => typeof score === 'number' && Number.isFinite(score)) ? (inOrder as number[]) : null;
}
