import type { Clock, Embedder } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import type { Logger } from '../logger.ts';
import { createBuiltinEmbedder } from './builtin-embedder.ts';
import { createHostedEmbedder } from './hosted-embedder.ts';
import { createTransformersEmbedder } from './transformers-embedder.ts';

/** An embedder that may own threads. */
export interface ClosableEmbedder extends Embedder {
  close(): Promise<void>;
  /** Loads the model before the first text comes, where one is loaded here. */
  warm?(): Promise<void>;
}

/** What embedders are made of. */
export interface EmbedderParts {
  readonly logger: Logger;
  readonly clock: Clock;
  /** Ends all calls of this process, because it ends. */
  readonly ending?: AbortSignal;
}

// A batch of long texts on a local server without a graphics card; the search has a deadline of its own for questions.
const TIMEOUT_MS = 60_000;

/**
 * The embedder that the configuration names. Nothing is asked, loaded or looked for before its first text, whose `embed` then
 * says what is wrong: everything but embedding does without.
 */
export function chooseEmbedder(config: Config, { logger, clock, ending }: EmbedderParts): ClosableEmbedder {
  const { provider, model } = config.embedder;
  if (provider === 'builtin' || model === null) {
    return createBuiltinEmbedder({ threads: config.embedThreads, logger });
  }
  const embedder =
    provider === 'transformers'
      ? createTransformersEmbedder(model)
      : createHostedEmbedder({ config, provider, model, timeoutMs: TIMEOUT_MS, clock, ending });
  return { ...embedder, close: async () => undefined };
}
