import type PgBoss from 'pg-boss';
import type { DatabaseLogger } from './connection.ts';

/** A job as its handler gets it. */
export interface Job {
  readonly id: string;
  /** What was given to `send`, through JSON. */
  readonly data: unknown;
  /** Aborted when the job's time is over, or when the queue stops without waiting for it. */
  readonly signal: AbortSignal;
}

/** Does a job. What it throws makes the job be tried again, up to the queue's limit; it may run more than once. */
export type JobHandler = (job: Job) => Promise<void>;

/** How the jobs of a queue are run. */
export interface WorkOptions {
  /** How many at a time. */
  readonly concurrency: number;
  /** How often new ones are looked for. */
  readonly pollMs: number;
  /** Another queue, whose jobs are taken while this one has none. */
  readonly otherwise?: string;
}

/** The loops that run jobs. */
export interface JobWorkers {
  start(queueName: string, options: WorkOptions, handler: JobHandler): void;
  /** Ends the pause of the queue's idle loops. */
  wake(queueName: string): void;
  /** Stops fetching and waits up to `timeoutMs` for running jobs. @returns ids of those that are not done, aborted. */
  stop(timeoutMs: number): Promise<string[]>;
}

/**
 * Loops of our own in place of pg-boss's `work`: that one pauses after every job, and reports results without awaiting
 * them, so that a lost connection would end the process as an unhandled rejection.
 */
export function createJobWorkers(boss: PgBoss, logger: DatabaseLogger | undefined): JobWorkers {
  const stopping = new AbortController();
  const running = new Set<{ jobId: string; controller: AbortController }>();
  const notStarted: string[] = [];
  const fetching = new Set<Promise<unknown>>();
  const sleepers = new Map<string, Set<() => void>>();
  const loops: Promise<void>[] = [];

  const runJob = async (queueName: string, job: PgBoss.Job, handler: JobHandler): Promise<void> => {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), Number(job.expireInSeconds) * 1000);
    const run = { jobId: job.id, controller };
    running.add(run);
    try {
      const failure = await outcomeOf(handler, { id: job.id, data: job.data, signal: controller.signal });
      // Expired or given back: another run of the job reports, and must not get this one's result.
      if (controller.signal.aborted) return;
      if (failure === null) await boss.complete(queueName, job.id);
      else await fail(queueName, job.id, failure.error);
    } catch (error) {
      logger?.warn({ queueName, jobId: job.id, reason: nameOf(error) }, 'result of a job could not be saved');
    } finally {
      clearTimeout(timer);
      running.delete(run);
    }
  };
  const fail = async (queueName: string, jobId: string, error: unknown): Promise<void> => {
    // Only the kind of error is stored and logged: its message may quote the document that the job was about.
    logger?.warn({ queueName, jobId, reason: nameOf(error) }, 'job failed');
    await boss.fail(queueName, jobId, { message: nameOf(error) });
  };
  const next = async (queueNames: readonly string[]): Promise<{ queueName: string; job: PgBoss.Job } | null> => {
    for (const queueName of queueNames) {
      // pg-boss gives no jobs when the database is away; the loop then asks again after its pause.
      const fetched = boss.fetch<object>(queueName, { batchSize: 1 });
      fetching.add(fetched);
      const [job] = await fetched.finally(() => fetching.delete(fetched));
      if (job !== undefined) return { queueName, job };
    }
    return null;
  };
  const loop = async (queueNames: readonly string[], pollMs: number, handler: JobHandler): Promise<void> => {
    while (!stopping.signal.aborted) {
      const found = await next(queueNames);
      if (found === null) await pause(sleepers, queueNames, pollMs, stopping.signal);
      else if (stopping.signal.aborted) notStarted.push(found.job.id);
      else await runJob(found.queueName, found.job, handler);
    }
  };

  return {
    start(queueName, { concurrency, pollMs, otherwise }, handler) {
      const queueNames = otherwise === undefined ? [queueName] : [queueName, otherwise];
      for (let index = 0; index < concurrency; index++) loops.push(loop(queueNames, pollMs, handler));
    },
    wake(queueName) {
      for (const wakeUp of sleepers.get(queueName) ?? []) wakeUp();
    },
    async stop(timeoutMs) {
      stopping.abort();
      await settledWithin(loops, timeoutMs);
      await Promise.allSettled(fetching);
      for (const { controller } of running) controller.abort();
      const unfinished = [...notStarted, ...[...running].map(({ jobId }) => jobId)];
      return unfinished;
    },
  };
}

async function outcomeOf(handler: JobHandler, job: Job): Promise<{ error: unknown } | null> {
  try {
    await handler(job);
    return null;
  } catch (error) {
    return { error };
  }
}

function pause(
  sleepers: Map<string, Set<() => void>>,
  queueNames: readonly string[],
  pauseMs: number,
  stopping: AbortSignal,
): Promise<void> {
  const ofQueues = queueNames.map((queueName) => {
    const ofQueue = sleepers.get(queueName) ?? new Set();
    sleepers.set(queueName, ofQueue);
    return ofQueue;
  });
  return new Promise((resolve) => {
    const wakeUp = () => {
      clearTimeout(timer);
      for (const ofQueue of ofQueues) ofQueue.delete(wakeUp);
      stopping.removeEventListener('abort', wakeUp);
      resolve();
    };
    const timer = setTimeout(wakeUp, pauseMs);
    for (const ofQueue of ofQueues) ofQueue.add(wakeUp);
    stopping.addEventListener('abort', wakeUp, { once: true });
    if (stopping.aborted) wakeUp();
  });
}

async function settledWithin(promises: readonly Promise<void>[], timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  await Promise.race([Promise.allSettled(promises), timeout]);
  clearTimeout(timer);
}

function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? `${error.name} (${code})` : error.name;
}
