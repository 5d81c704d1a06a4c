// What the calls of models for one question add up to, those that failed included: their providers count them as well.
import { ModelError, VerbatimError } from './errors.ts';
import type { ModelUsage } from './ports.ts';

/** What was asked of models, over all calls for one question. */
export interface Tokens {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
}

/** The same with one more call; `usage` null or absent: nothing is known of what it used. */
export function addUsage<Spent extends { readonly tokens: Tokens; readonly costUsd: number | null }>(
  spent: Spent,
  usage: ModelUsage | null | undefined,
): Spent {
  const { calls, input, output } = spent.tokens;
  return {
    ...spent,
    costUsd: usage ? addCosts(spent.costUsd, usage.costUsd) : spent.costUsd,
    tokens: {
      calls: calls + 1,
      input: input + (usage?.inputTokens ?? 0),
      output: output + (usage?.outputTokens ?? 0),
    },
  };
}

/** Costs together; null: one of them is not known, so that their sum is not. */
export function addCosts(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}

/** What a call used that ended with this error; null: nothing that is known. */
export function usageOf(error: unknown): ModelUsage | null {
  return error instanceof ModelError ? error.usage : null;
}

/** For a model that did not end by itself at its deadline. What it had written by then is paid for, and nobody says how much. */
export function modelTooLate(modelId: string, timeoutMs: number): ModelError {
  const message = `${modelId} did not answer within ${timeoutMs} ms; take a faster model`;
  return new ModelError('model_timeout', message, { inputTokens: 0, outputTokens: 0, costUsd: null });
}

/**
 * An error for the log. A model that is down is no fault of the program: its code and sentence say all, a stack only what is not
 * expected.
 */
export function failureOf(error: unknown): object {
  return error instanceof VerbatimError ? { code: error.code, reason: error.message } : { err: error };
}
