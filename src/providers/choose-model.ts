import type { AnswererOptions } from '../../retrieval/answer-question.ts';
import { createExtractiveModel } from '../../retrieval/extractive-answer.ts';
import type { Clock, Embedder, Logger } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import { createChatModel } from './chat-model.ts';

/**
 * The model that the configuration names and what answers in its place. Each answer of the model has `modelTimeoutMs`.
 * Nothing is loaded or asked before the first question.
 */
export function chooseModel(
  config: Config,
  { embedder, ...options }: { embedder: Embedder; modelTimeoutMs: number; clock: Clock; logger: Logger },
): Pick<AnswererOptions, 'model' | 'fallback'> {
  const extractive = createExtractiveModel({ embedder });
  const { provider, model } = config.model;
  const fallback = config.onModelFailure === 'extractive' ? extractive : null;
  if (provider === 'extractive' || model === null) return { model: extractive, fallback };
  const { prices } = config;
  return {
    model: createChatModel({ ...options, config, provider, model, prices, timeoutMs: options.modelTimeoutMs }),
    fallback,
  };
}
