// Threads that parse: a file that takes too long or too much memory ends with its thread, not with the product.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FileInput } from '../detect-type.ts';
import { type ParsedDocument, ParseError } from '../parsed-document.ts';
import type { ParseReply } from './parse-worker.ts';

/** What a file may cost. */
export interface ParseLimits {
  readonly timeoutMs: number;
  readonly maxHeapMegabytes: number;
}

interface Job {
  readonly input: FileInput;
  readonly limits: ParseLimits;
  readonly resolve: (document: ParsedDocument) => void;
  readonly reject: (error: unknown) => void;
}

/** Parses in a thread of its own. */
export type ParsePool = (input: FileInput, limits: ParseLimits) => Promise<ParsedDocument>;

/**
 * Makes a pool of at most `size` threads. They start when they are first needed (0.6 s) and then wait for more work without
 * keeping the process alive.
 */
export function createParsePool(size = Math.max(1, Math.min(4, availableParallelism() - 1))): ParsePool {
  const queue: Job[] = [];
  const idle: { worker: Worker; limits: ParseLimits }[] = [];
  let busy = 0;

  const next = (): void => {
    if (busy >= size) return;
    const job = queue.shift();
    if (!job) return;
    busy += 1;
    const worker = takeWorker(idle, job.limits);
    worker.ref();
    runJob(worker, job)
      .then(() => {
        worker.unref();
        idle.push({ worker, limits: job.limits });
      })
      .catch(() => {
        // An error that comes after the answer is no news.
        worker.on('error', () => undefined);
        return worker.terminate();
      })
      .finally(() => {
        busy -= 1;
        next();
      });
  };

  return (input, limits) =>
    new Promise((resolve, reject) => {
      queue.push({ input, limits, resolve, reject });
      next();
    });
}

function takeWorker(idle: { worker: Worker; limits: ParseLimits }[], limits: ParseLimits): Worker {
  const at = idle.findIndex((entry) => entry.limits.maxHeapMegabytes === limits.maxHeapMegabytes);
  const [found] = at < 0 ? [] : idle.splice(at, 1);
  return (
    found?.worker ??
    new Worker(new URL('./parse-worker-boot.js', import.meta.url), {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: limits.maxHeapMegabytes },
    })
  );
}

/** Settles the job. Rejects, after having rejected the job, when the worker cannot be used again. */
async function runJob(worker: Worker, job: Job): Promise<void> {
  let stopListening = (): void => {};
  try {
    const reply = await new Promise<ParseReply>((resolve, reject) => {
      const onError = (cause: unknown): void => reject(threadError(cause, job.limits));
      const onExit = (): void => onError(undefined);
      const timer = setTimeout(() => reject(timeoutError(job.limits.timeoutMs)), job.limits.timeoutMs);
      worker.on('message', resolve).on('error', onError).on('exit', onExit);
      // One by one: `removeAllListeners` would also remove those by which the thread's port is switched on again.
      stopListening = () => {
        clearTimeout(timer);
        worker.off('message', resolve).off('error', onError).off('exit', onExit);
      };
      worker.postMessage(job.input);
    });
    if ('document' in reply) job.resolve(reply.document);
    else job.reject(new ParseError(reply.failure.code, reply.failure.message, { cause: reply.failure.cause }));
  } catch (error) {
    job.reject(error);
    throw error;
  } finally {
    stopListening();
  }
}

function timeoutError(timeoutMs: number): ParseError {
  return new ParseError(
    'too_large',
    `the file was not read within ${Math.round(timeoutMs / 1000)} s; split it, or export it in a simpler format`,
  );
}

function threadError(cause: unknown, limits: ParseLimits): unknown {
  if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new ParseError('too_large', `the file needs more than ${limits.maxHeapMegabytes} MiB to be read; split it`, {
      cause,
    });
  }
  return new Error('the parsing thread ended without an answer', { cause });
}
