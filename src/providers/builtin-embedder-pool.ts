// Worker threads that do jobs one at a time each. A thread is started when a job finds none idle, and ended when there is none
// for it for a while; the last one stays.
import type { Worker } from 'node:worker_threads';
import { EmbedderClosedError, VerbatimError } from '../../retrieval/errors.ts';
import type { Logger } from '../logger.ts';

/** A thread of the built-in embedder died twice over the same texts. */
export class EmbedderStoppedError extends VerbatimError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('embedder_stopped', message, options);
  }
}

interface PoolOptions {
  readonly threads: number;
  readonly startWorker: () => Worker;
  /** After how long without a job a thread ends, unless it is the last. */
  readonly idleMs?: number;
  readonly logger?: Pick<Logger, 'warn'> | undefined;
}

/** Threads that answer each posted job with one message. */
export interface WorkerPool<Job, Result> {
  /**
   * One result a job, in order. Urgent jobs go before the waiting others; among these, calls take turns, so that a short
   * document does not wait until a long one is done.
   * @throws EmbedderStoppedError when a job kills its thread and then a second one; the call's other jobs are dropped.
   */
  runAll(jobs: readonly Job[], urgent: boolean): Promise<Result[]>;
  /** Ends the threads; what waits is rejected with EmbedderClosedError. */
  close(): Promise<void>;
}

interface Task<Job, Result> {
  readonly job: Job;
  /** The tasks of one call, so that the first failure can drop the rest; how many of them were begun. */
  readonly call: { begun: number };
  attempts: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: Error) => void;
}

interface Slot<Job, Result> {
  worker: Worker | null;
  task: Task<Job, Result> | null;
  idle: NodeJS.Timeout | null;
}

// A thread of the built-in model holds some 200 MB and starts within two seconds; documents of one upload are moments apart.
const IDLE_MS = 60_000;

// A thread dies of itself rarely (out of memory, a fault of the run time), so one new try is worth it; texts that kill two
// threads would kill the third.
const MAX_ATTEMPTS = 2;

// Of the call that has had the fewest turns; of several such the oldest.
function takeInTurn<Job, Result>(tasks: Task<Job, Result>[]): Task<Job, Result> | undefined {
  const fewest = Math.min(...tasks.map(({ call }) => call.begun));
  const index = tasks.findIndex(({ call }) => call.begun === fewest);
  return index < 0 ? undefined : tasks.splice(index, 1)[0];
}

function enqueue<Job, Result>(queue: Task<Job, Result>[], job: Job, call: Task<Job, Result>['call']): Promise<Result> {
  return new Promise((resolve, reject) => {
    queue.push({ job, call, attempts: 0, resolve, reject });
  });
}

function endIdle<Job, Result>(slot: Slot<Job, Result>, slots: readonly Slot<Job, Result>[]): void {
  const { worker } = slot;
  const isLast = slots.every((each) => each === slot || !each.worker);
  if (!worker || slot.task || isLast) return;
  slot.worker = null;
  // Its end is nobody's concern: no job is lost.
  worker.terminate().catch(() => undefined);
}

/** Makes a pool of at most `threads` threads. They do not keep the process alive unless a job is being done. */
export function createWorkerPool<Job, Result>(options: PoolOptions): WorkerPool<Job, Result> {
  const { threads, startWorker, idleMs = IDLE_MS, logger } = options;
  const slots = Array.from({ length: threads }, (): Slot<Job, Result> => ({ worker: null, task: null, idle: null }));
  let urgentTasks: Task<Job, Result>[] = [];
  let tasks: Task<Job, Result>[] = [];
  let closed = false;

  function dispatch(): void {
    while (urgentTasks.length + tasks.length > 0) {
      const slot = slots.find((each) => each.worker && !each.task) ?? slots.find((each) => !each.worker);
      const task = slot && (urgentTasks.shift() ?? takeInTurn(tasks));
      if (!slot || !task) return;
      slot.task = task;
      if (slot.idle) clearTimeout(slot.idle);
      task.call.begun += 1;
      slot.worker ??= start(slot);
      task.attempts += 1;
      slot.worker.ref();
      slot.worker.postMessage(task.job);
    }
  }

  function start(slot: Slot<Job, Result>): Worker {
    const worker = startWorker();
    let fault: unknown;
    worker.on('message', (result: Result) => {
      const task = slot.task;
      slot.task = null;
      worker.unref();
      task?.resolve(result);
      dispatch();
      if (!slot.task) slot.idle = setTimeout(() => endIdle(slot, slots), idleMs).unref();
    });
    worker.on('error', (error) => {
      fault = error;
    });
    worker.on('exit', (exitCode) => {
      if (slot.worker !== worker) return; // ended for want of jobs
      const task = slot.task;
      slot.task = null;
      slot.worker = null;
      if (task && !closed) retry(task, exitCode, fault);
    });
    return worker;
  }

  function retry(task: Task<Job, Result>, exitCode: number, fault: unknown): void {
    logger?.warn({ exitCode, attempts: task.attempts, error: fault }, 'embedder thread ended while embedding');
    if (task.attempts < MAX_ATTEMPTS) {
      urgentTasks.unshift(task);
    } else {
      const message = `the built-in embedder failed ${MAX_ATTEMPTS} times on the same texts (exit status ${exitCode})`;
      drop((each) => each.call === task.call, new EmbedderStoppedError(message, { cause: fault }), task);
    }
    dispatch();
  }

  function drop(isDropped: (task: Task<Job, Result>) => boolean, error: Error, ...running: Task<Job, Result>[]): void {
    const dropped = [...running, ...urgentTasks.filter(isDropped), ...tasks.filter(isDropped)];
    urgentTasks = urgentTasks.filter((task) => !isDropped(task));
    tasks = tasks.filter((task) => !isDropped(task));
    for (const task of dropped) task.reject(error);
  }

  return {
    runAll(jobs, urgent) {
      if (closed) return Promise.reject(new EmbedderClosedError());
      const call = { begun: 0 };
      const results = jobs.map((job) => enqueue(urgent ? urgentTasks : tasks, job, call));
      dispatch();
      return Promise.all(results);
    },
    async close() {
      closed = true;
      const running = slots.flatMap((slot) => slot.task ?? []);
      drop(() => true, new EmbedderClosedError(), ...running);
      await Promise.all(slots.map((slot) => slot.worker?.terminate()));
    },
  };
}
