import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createWorkerPool, EmbedderStoppedError, type WorkerPool } from '../../src/providers/builtin-embedder-pool.ts';

// A real thread that doubles numbers. A negative number kills it: -1 only as long as fewer than `deaths` threads have died
// of it, anything less always.
const DOUBLER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const counters = new Int32Array(workerData.counters);
  Atomics.add(counters, 0, 1);
  parentPort.on('message', (number) => {
    if (number < -1) process.exit(7);
    if (number === -1 && Atomics.add(counters, 1, 1) < workerData.deaths) throw new Error('out of memory');
    parentPort.postMessage(Math.abs(number) * 2);
  });`;

let pool: WorkerPool<number, number>;
afterEach(() => pool.close());

function start({ threads = 1, deaths = 0, idleMs = 60_000 } = {}) {
  const shared = new SharedArrayBuffer(8);
  const workerData = { counters: shared, deaths };
  const warnings: object[] = [];
  const workers: Worker[] = [];
  pool = createWorkerPool<number, number>({
    threads,
    startWorker() {
      const worker = new Worker(DOUBLER, { eval: true, workerData });
      workers.push(worker);
      return worker;
    },
    idleMs,
    logger: { warn: (fields: object) => warnings.push(fields) } as never,
  });
  return { pool, warnings, workers, started: () => new Int32Array(shared)[0] };
}

describe('createWorkerPool', () => {
  it('gives one result a job, in order, from no more threads than it may start', async () => {
    const { pool, started } = start({ threads: 2 });
    const jobs = Array.from({ length: 40 }, (_, index) => index);
    expect(await pool.runAll(jobs, false)).toEqual(jobs.map((job) => job * 2));
    expect(started()).toBe(2);
  });

  it('starts no thread before the first job, and only as many as there are jobs', async () => {
    const { pool, started } = start({ threads: 4 });
    expect(await pool.runAll([], false)).toEqual([]);
    expect(started()).toBe(0);
    await pool.runAll([1], false);
    await pool.runAll([2], false);
    expect(started()).toBe(1);
  });

  it('ends a thread that finds no job for a while, keeps the last, and starts others again', async () => {
    const { pool, warnings, workers, started } = start({ threads: 3, idleMs: 20 });
    await pool.runAll([1, 2, 3], false);
    expect(started()).toBe(3);
    const isAlive = () => workers.filter((worker) => worker.threadId >= 0);
    await vi.waitFor(() => expect(isAlive()).toHaveLength(1), 10_000);
    expect(await pool.runAll([1, 2, 3], false)).toEqual([2, 4, 6]);
    expect([started(), warnings]).toEqual([5, []]);
  });

  it('does urgent jobs before the others that wait', async () => {
    const { pool } = start();
    const finished: string[] = [];
    const slow = pool.runAll([1, 2, 3, 4], false).then(() => finished.push('documents'));
    const urgent = pool.runAll([5, 6], true).then(() => finished.push('question'));
    await Promise.all([slow, urgent]);
    expect(finished).toEqual(['question', 'documents']);
  });

  it('lets calls take turns, so that a short one does not wait for a long one', async () => {
    const { pool } = start();
    const finished: string[] = [];
    const long = pool
      .runAll(
        Array.from({ length: 50 }, (_, index) => index),
        false,
      )
      .then(() => finished.push('long'));
    const short = pool.runAll([51], false).then(() => finished.push('short'));
    await Promise.all([long, short]);
    expect(finished).toEqual(['short', 'long']);
  });

  it('starts a dead thread anew and does its job again', async () => {
    const { pool, warnings, started } = start({ deaths: 1 });
    expect(await pool.runAll([3, -1, 4], false)).toEqual([6, 2, 8]);
    expect(started()).toBe(2);
    expect(warnings).toEqual([
      expect.objectContaining({ attempts: 1, error: expect.objectContaining({ message: 'out of memory' }) }),
    ]);
  });

  it.each([
    ['throws', -1, { exitCode: 1, cause: expect.objectContaining({ message: 'out of memory' }) }],
    ['exits', -2, { exitCode: 7, cause: undefined }],
  ])(
    'gives the call up when a job kills a second thread that %s, and goes on with the others',
    async (_, job, expected) => {
      const { pool, started } = start({ deaths: 2 });
      const failing = pool.runAll([1, job, 2, 3], false);
      const other = pool.runAll([5, 6], false);
      await expect(failing).rejects.toThrow(EmbedderStoppedError);
      await expect(failing).rejects.toMatchObject({
        code: 'embedder_stopped',
        message: expect.stringContaining(`exit status ${expected.exitCode}`),
        cause: expected.cause,
      });
      expect(await other).toEqual([10, 12]);
      expect(started()).toBe(3);
    },
  );

  it('rejects what is running, what waits and what comes after it was closed', async () => {
    const { pool } = start();
    const calls = [pool.runAll([1], false), pool.runAll([2], true)];
    const settled = Promise.allSettled(calls);
    await pool.close();
    expect((await settled).map((result) => result.status)).toEqual(['rejected', 'rejected']);
    await expect(pool.runAll([3], false)).rejects.toThrow(/is closed/);
  });
});
