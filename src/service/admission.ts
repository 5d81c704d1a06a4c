import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { TryLaterError } from '../../adapters/inbox.ts';
import type { AnswerQuestion, AnswerStage } from '../../retrieval/answer-question.ts';
import { VerbatimError } from '../../retrieval/errors.ts';
import type { Answer, Question } from '../../retrieval/model.ts';

/** More questions wait than can be answered soon. */
export class OverloadedError extends VerbatimError {
  constructor(waiting: number) {
    super('overloaded', `${waiting} questions wait already; try again in a moment`);
  }
}

/** The service ends before the answer is there. A chat platform's event is left to whoever runs next. */
export class EndingError extends TryLaterError {
  constructor() {
    super('ending', 'this instance of the service ends; ask again', { pauseSeconds: 0 });
  }
}

/** Nobody waits for the answer any more. */
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
  /** The same function, in turn. @throws OverloadedError when too many wait; AbandonedError; EndingError. */
  inTurn(ask: AnswerQuestion): AskInTurn;
  running(): number;
  waiting(): number;
  /** Resolves when nothing runs or waits any more, after `deadlineMs` at the latest; what waits then is not begun. */
  end(deadlineMs: number): Promise<void>;
  /** Rejects every question that runs or waits, with EndingError: what answers them is left behind. @returns how many. */
  cutOff(): number;
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
  const cuts = new Set<(error: EndingError) => void>();
  const unlessCutOff = <T>(run: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      cuts.add(reject);
      run.then(resolve, reject).finally(() => cuts.delete(reject));
    });
  return {
    inTurn: (ask) => async (question, options) => {
      const asked = performance.now();
      if (limit.pendingCount >= MAX_WAITING) throw new OverloadedError(limit.pendingCount);
      try {
        return await unlessCutOff(
          limit(() => {
            if (ended) throw new EndingError();
            if (options?.signal?.aborted) throw new AbandonedError();
            return ask(question, { ...options, waitedMs: Math.round(performance.now() - asked) });
          }),
        );
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
    cutOff() {
      ended = true;
      const count = cuts.size;
      for (const cut of cuts) cut(new EndingError());
      return count;
    },
  };
}
