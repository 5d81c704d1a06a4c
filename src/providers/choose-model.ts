import type { AnswererOptions } from '../../retrieval/answer-question.ts';
import { createExtractiveModel } from '../../retrieval/extractive-answer.ts';
import type { Clock, Embedder, Logger } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import { createChatModel } from './chat-model.ts';
import { createFormChat } from './form-chat.ts';
import { createCostOf } from './prices.ts';
import { providerName } from './provider-name.ts';
import { createQuestionRewriter } from './question-rewriter.ts';

// A person waits for this before anything is searched; a follow-up of a few words takes a hosted model a second, and the
// heuristic stands in for one that is late.
const REWRITE_TIMEOUT_MS = 8_000;

/**
 * The model that the configuration names, which also rewrites follow-ups, and what answers in its place. Each answer of the
 * model has `modelTimeoutMs`.
 * Nothing is loaded or asked before the first question.
 */
export function chooseModel(
  config: Config,
  {
    embedder,
    modelTimeoutMs,
    clock,
    ending,
    logger,
  }: {
    readonly embedder: Embedder;
    readonly modelTimeoutMs: number;
    readonly clock: Clock;
    /** Ends all calls of this process, because it ends. */
    readonly ending?: AbortSignal;
    readonly logger: Logger;
  },
): Pick<AnswererOptions, 'model' | 'fallback' | 'rewriter'> {
  const extractive = createExtractiveModel({ embedder });
  const { provider, model } = config.model;
  const fallback = config.onModelFailure === 'extractive' ? extractive : null;
  if (provider === 'extractive' || model === null) return { model: extractive, fallback, rewriter: null };
  const costOf = createCostOf(providerName(provider, model, 'chat').id, config.prices, logger);
  const chat = createFormChat({ config, provider, model, costOf, clock, ending, logger });
  return {
    model: createChatModel({ chat, provider, config, timeoutMs: modelTimeoutMs, logger }),
    fallback,
    rewriter: createQuestionRewriter({ chat, timeoutMs: Math.min(REWRITE_TIMEOUT_MS, modelTimeoutMs), logger }),
  };
}
