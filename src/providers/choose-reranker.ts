import type { Clock, Logger, Reranker } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import { createCohereReranker } from './cohere-reranker.ts';

// Twenty texts take Cohere some hundred milliseconds; a question waits no longer than this for a better order.
const TIMEOUT_MS = 5_000;

/** The reranker that the configuration names; null: the order of the fused searches, which is what is built in. */
export function chooseReranker(config: Config, options: { clock: Clock; logger: Logger }): Reranker | null {
  const { provider, model } = config.reranker;
  if (provider !== 'cohere' || model === null) return null;
  return createCohereReranker({ ...options, config, model, timeoutMs: TIMEOUT_MS });
}
