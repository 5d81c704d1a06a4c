import type { Clock } from '../../retrieval/ports.ts';
import type { RerankOptions } from '../../retrieval/rerank.ts';
import { createWordReranker } from '../../retrieval/rerank-by-words.ts';
import type { Config } from '../config.ts';
import { createCohereReranker } from './cohere-reranker.ts';

// Thirty texts take Cohere some hundred milliseconds; a question waits no longer than this for a better order.
const TIMEOUT_MS = 5_000;

/** The reranker that the configuration names; the built-in one stands in for one that fails. */
export function chooseReranker(
  config: Config,
  options: { readonly clock: Clock; readonly ending?: AbortSignal },
): RerankOptions {
  const { provider, model } = config.reranker;
  if (provider === 'none') return {};
  const builtin = createWordReranker();
  if (provider === 'builtin' || model === null) return { reranker: builtin };
  return {
    reranker: createCohereReranker({ ...options, config, model, timeoutMs: TIMEOUT_MS }),
    rerankerFallback: builtin,
  };
}
