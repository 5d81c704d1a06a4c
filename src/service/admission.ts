import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { AnswerQuestion, AnswerStage } from '../../retrieval/answer-question.ts';
import { VerbatimError } from '../../retrieval/errors.ts';
import type { Answer, Question } from '../../retrieval/model.ts';

/** More questions wait than can be answered soon. */
export class OverloadedError extends VerbatimError {
  constructor(waiting: number) {
    super('overloaded', `${waiting} questions wait already; try again in a moment`);
  }
}

/** Nobody waits for the answer any more, or the service has ended before its turn came. */
export class AbandonedError extends VerbatimError {
  constructor() {
    super('abandoned', 'the question was given up before its turn came');
  }
}

/** Answers a question in turn. A question whose `signal` is aborted while it waits is not begun. */
export type AskInTurn = (
  question: Question,
  options?: { readonly onStage?: (stage: AnswerStage) => void; readonly signal?: AbortSignal },
) => Promise<Answer>;

/** Questions on their way through a process. */
export interface Admission {
  /** The same function, in turn. @throws OverloadedError when too many wait; AbandonedError. */
  inTurn(ask: AnswerQuestion): AskInTurn;
  running(): number;
  waiting(): number;
  /** Resolves when nothing runs or waits any more, after `deadlineMs` at the latest; what waits then is not begun. */
  end(deadlineMs: number): Promise<void>;
}

const MAX_WAITING = 200;

/**
 * Lets `atOnce` questions run, the others wait in order. All at once they would share what there is, finish together and
 * late, and run into the deadlines of the searches, which count from a question's beginning.
 */
export function createAdmission(atOnce: number): Admission {
  const limit = pLimit(atOnce);
  let whenIdle = () => {};
  let ended = false;
  return {
    inTurn: (ask) => async (question, options) => {
      const asked = performance.now();
      if (limit.pendingCount >= MAX_WAITING) throw new OverloadedError(limit.pendingCount);
      try {
        return await limit(() => {
          if (ended || options?.signal?.aborted) throw new AbandonedError();
          return ask(question, { ...options, waitedMs: Math.round(performance.now() - asked) });
        });
      } finally {
        // The limit counts a question out after its result is given.
        setImmediate(() => {
          if (limit.activeCount + limit.pendingCount === 0) whenIdle();
        });
      }
    },
    running: () => limit.activeCount,
    waiting: () => limit.pendingCount,
    async end(deadlineMs) {
      if (limit.activeCount + limit.pendingCount > 0) {
        const idle = new Promise<void>((resolve) => {
          whenIdle = resolve;
        });
        await Promise.race([idle, sleep(deadlineMs, undefined, { ref: false })]);
      }
      ended = true;
    },
  };
}
