// Events are taken one after another and worked on beside each other, as many as this instance can.
import { FinalEventError, type HeldEvent, TryLaterError } from '../../adapters/inbox.ts';
import type { Logger } from '../../retrieval/ports.ts';
import type { TakeEvent } from './take-event.ts';

export interface WorkLoopOptions {
  readonly take: TakeEvent;
  /** What it throws makes the event be tried again, unless it is a FinalEventError. */
  readonly handle: (event: HeldEvent) => Promise<void>;
  /** Events that are worked on at the same time. */
  readonly concurrency: number;
  readonly logger: Logger;
}

export interface WorkLoop {
  /** Looks for events now: some were stored, or a turn has ended. */
  wake(): void;
  /** Takes no further events. @returns resolves when the running ones have ended. */
  stop(): Promise<void>;
}

// For what other instances stored, and for pauses and leases that are over.
const POLL_MS = 1_000;

/** Starts the loop. */
export function startWorkLoop({ take, handle, concurrency, logger }: WorkLoopOptions): WorkLoop {
  const running = new Set<Promise<void>>();
  const pause = createPause();
  let stopping = false;
  const begin = (event: HeldEvent) => {
    const work = workOn(event, handle, logger).finally(() => {
      running.delete(work);
      pause.end();
    });
    running.add(work);
  };
  const loop = async () => {
    while (!stopping) {
      const event = running.size < concurrency ? await takeOrNone(take, logger) : null;
      if (event === null) await pause.begin(POLL_MS);
      else if (stopping) await persist(() => event.claim.giveBack(0), logger);
      else begin(event);
    }
  };
  const looping = loop();
  return {
    wake: pause.end,
    async stop() {
      stopping = true;
      pause.end();
      await looping;
      await Promise.allSettled(running);
    },
  };
}

async function takeOrNone(take: TakeEvent, logger: Logger): Promise<HeldEvent | null> {
  try {
    return await take();
  } catch (error) {
    logger.warn({ err: error }, 'the chat inbox could not be looked through');
    return null;
  }
}

async function workOn(event: HeldEvent, handle: WorkLoopOptions['handle'], logger: Logger): Promise<void> {
  try {
    await handle(event);
    await persist(() => event.claim.end(), logger);
  } catch (error) {
    const { eventKey, attempt, claim } = event;
    logger.warn({ eventKey, attempt, err: error }, 'an event of a chat platform could not be handled');
    await persist(() => {
      if (error instanceof FinalEventError) return claim.giveUp();
      return error instanceof TryLaterError ? claim.giveBack(error.pauseSeconds) : claim.giveBack();
    }, logger);
  }
}

// What was done must not be done again only because the database was away for a moment.
async function persist(run: () => Promise<void>, logger: Logger): Promise<void> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    try {
      return await run();
    } catch (error) {
      logger.warn({ attempt, err: error }, 'the end of an event could not be stored');
      await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** attempt));
    }
  }
}

// A pause that was ended before it began is none: what was stored during a look is not left until the next.
function createPause(): { begin(ms: number): Promise<void>; end(): void } {
  let ended = false;
  let wakeUp = () => {};
  return {
    async begin(ms) {
      if (!ended) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wakeUp = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      ended = false;
      wakeUp = () => {};
    },
    end() {
      ended = true;
      wakeUp();
    },
  };
}
