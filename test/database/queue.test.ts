import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openEmbedded } from '../../src/database/embedded.ts';
import type { Job, JobHandler } from '../../src/database/job-workers.ts';
import { createDatabase, type DatabaseClient } from '../../src/database/pool.ts';
import { createQueue, type Queue, type QueueDefinition } from '../../src/database/queue.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { migratedDataDir } from '../helpers/embedded-template.ts';
import { startOwnerProcess } from '../helpers/start-owner-process.ts';
import { STUCK_QUEUE } from './stuck-queue.ts';

const PLAIN: QueueDefinition = { name: 'plain', retryLimit: 1, retryDelaySeconds: 1, expireInSeconds: 900 };
const KEYED: QueueDefinition = { ...PLAIN, name: 'keyed', onePerKey: true };
const HASTY: QueueDefinition = { ...PLAIN, name: 'hasty', expireInSeconds: 1 };
const IDLE = { queued: 0, active: 0, failed: 0 };
const FAST = { concurrency: 1, pollMs: 20 };

let testDb: TestDatabase;
let database: DatabaseClient;
let queue: Queue;

beforeAll(async () => {
  testDb = await testDatabase();
  database = testDb.database;
});

afterAll(() => testDb.close());

beforeEach(async () => {
  await testDb.reset();
  queue = newQueue();
  await queue.start();
});

afterEach(() => queue.stop({ graceful: false }));

const newQueue = () => createQueue(database, { queues: [PLAIN, KEYED, HASTY] });
const send = (name: string, data: object, options?: { key?: string; priority?: number }) =>
  database.transaction((query) => queue.send(query, name, data, options));
const until = (condition: () => unknown) => vi.waitUntil(condition, { timeout: 30_000, interval: 20 });
const untilCounts = (name: string, counts: object) =>
  vi.waitFor(async () => expect((await queue.counts())[name]).toEqual(counts), { timeout: 30_000, interval: 50 });

function recorder(run: JobHandler = async () => {}): { seen: unknown[]; handler: JobHandler } {
  const seen: unknown[] = [];
  return {
    seen,
    handler: async (job) => {
      seen.push(job.data);
      await run(job);
    },
  };
}

describe('a job', () => {
  test('runs once when the transaction that sent it commits', async () => {
    const { seen, handler } = recorder();
    queue.work('plain', FAST, handler);

    await database.transaction(async (query) => {
      await queue.send(query, 'plain', { documentId: 'd1' });
      await queue.send(query, 'plain', { documentId: 'd2' });
    });
    await untilCounts('plain', IDLE);

    expect(seen).toHaveLength(2);
    expect(seen).toEqual(expect.arrayContaining([{ documentId: 'd1' }, { documentId: 'd2' }]));
  });

  test('does not exist when the transaction that sent it rolls back', async () => {
    const rolledBack = database.transaction(async (query) => {
      await queue.send(query, 'plain', {});
      throw new RangeError('no');
    });

    await expect(rolledBack).rejects.toThrow(RangeError);
    expect(await queue.counts()).toEqual({ plain: IDLE, keyed: IDLE, hasty: IDLE });
  });

  test('runs again after its handler fails, and is kept as failed after the last try', async () => {
    const { seen, handler } = recorder(async () => {
      throw new Error('the salary is 90000');
    });
    queue.work('plain', FAST, handler);
    await send('plain', { n: 1 });

    await untilCounts('plain', { ...IDLE, failed: 1 });

    expect(seen).toEqual([{ n: 1 }, { n: 1 }]);
    const stored = await database.owner((query) => query(`select output from pgboss.job where name = 'plain'`));
    expect(stored).toEqual([{ output: { message: 'Error' } }]);
  });

  test('that was active in a process that ended runs again when it is given back', async () => {
    const died = newQueue();
    await died.start();
    let calls = 0;
    const never = async (_job: Job) => {
      calls++;
      await new Promise<void>(() => {});
    };
    died.work('plain', FAST, never);
    await send('plain', { n: 1 });
    await until(() => calls === 1);

    expect(await queue.giveBackActive()).toBe(1);
    const { seen, handler } = recorder();
    queue.work('plain', { concurrency: 1, pollMs: 20 }, handler);
    await until(() => seen.length === 1 || calls === 2);
    await died.stop({ graceful: false });

    expect(seen.length + calls).toBe(2);
  });

  test('that has ended its process as often as it may be tried is failed', async () => {
    await send('plain', {});
    for (const counts of [
      { ...IDLE, queued: 1 },
      { ...IDLE, failed: 1 },
    ]) {
      const died = newQueue();
      await died.start();
      died.work('plain', FAST, () => new Promise(() => {}));
      await untilCounts('plain', { ...IDLE, active: 1 });
      // Forgotten rather than stopped: its loop is stuck in the handler and takes no other job.
      await queue.giveBackActive();
      expect((await queue.counts()).plain).toEqual(counts);
    }
  });

  test('is told when its time is over', async () => {
    let signal: AbortSignal | undefined;
    queue.work('hasty', FAST, async (job) => {
      signal = job.signal;
      await new Promise((resolve) => job.signal.addEventListener('abort', resolve));
    });
    await send('hasty', {});

    await until(() => signal?.aborted);
    expect(signal?.aborted).toBe(true);
  });

  test('of a higher priority runs first', async () => {
    await send('plain', { n: 1 });
    await send('plain', { n: 2 }, { priority: 5 });
    const { seen, handler } = recorder();
    queue.work('plain', FAST, handler);

    await untilCounts('plain', IDLE);

    expect(seen).toEqual([{ n: 2 }, { n: 1 }]);
  });
});

describe('a queue with one waiting job a key', () => {
  test('takes a second job of the key only after the first has started', async () => {
    expect(await send('keyed', { n: 1 }, { key: 'd1' })).not.toBeNull();
    expect(await send('keyed', { n: 2 }, { key: 'd1' })).toBeNull();
    expect(await send('keyed', { n: 3 }, { key: 'd2' })).not.toBeNull();

    let finish = () => {};
    const { seen, handler } = recorder(() => new Promise((resolve) => (finish = resolve)));
    queue.work('keyed', FAST, handler);
    await until(() => seen.length === 1);

    expect(await send('keyed', { n: 4 }, { key: 'd1' })).not.toBeNull();
    finish();
    await until(() => seen.length === 2);
    finish();
    await until(() => seen.length === 3);
    finish();
    await untilCounts('keyed', IDLE);
    expect(seen).toEqual([{ n: 1 }, { n: 3 }, { n: 4 }]);
  });

  test('takes every job of a queue without keys', async () => {
    await send('plain', { n: 1 }, { key: 'd1' });
    await send('plain', { n: 2 }, { key: 'd1' });

    expect((await queue.counts()).plain?.queued).toBe(2);
  });
});

describe('workers', () => {
  test('run as many jobs at the same time as they were told, and no more', async () => {
    let running = 0;
    let most = 0;
    queue.work('plain', { concurrency: 3, pollMs: 20 }, async () => {
      most = Math.max(most, ++running);
      await until(() => running === 3 || most === 3);
      running--;
    });
    await database.transaction(async (query) => {
      for (let n = 0; n < 9; n++) await queue.send(query, 'plain', { n });
    });

    await untilCounts('plain', IDLE);

    expect(most).toBe(3);
  });

  test('find a job at once when they are woken', async () => {
    const { seen, handler } = recorder();
    queue.work('plain', { concurrency: 1, pollMs: 3_600_000 }, handler);
    await vi.waitFor(
      async () => {
        if (seen.length === 0) {
          if ((await queue.counts()).plain?.queued === 0) await send('plain', { n: 1 });
          queue.wake('plain');
        }
        expect(seen.length).toBeGreaterThan(0);
      },
      { timeout: 30_000, interval: 50 },
    );
  });

  test('finish their jobs before a graceful stop', async () => {
    const done: unknown[] = [];
    let started = false;
    queue.work('plain', FAST, async (job) => {
      started = true;
      await new Promise((resolve) => setTimeout(resolve, 300));
      done.push(job.data);
    });
    await send('plain', { n: 1 });
    await until(() => started);

    await queue.stop({ graceful: true, timeoutMs: 30_000 });

    expect(done).toEqual([{ n: 1 }]);
    expect((await queue.counts()).plain).toEqual(IDLE);
  });

  test('give back what a stop does not wait for, without counting the try', async () => {
    let signal: AbortSignal | undefined;
    queue.work('plain', FAST, async (job) => {
      signal = job.signal;
      await new Promise(() => {});
    });
    await send('plain', { n: 1 });
    await until(() => signal);

    await queue.stop({ graceful: false });

    expect(signal?.aborted).toBe(true);
    const rows = await database.owner((query) => query(`select state::text, retry_count, started_on from pgboss.job`));
    expect(rows).toEqual([{ state: 'retry', retry_count: 0, started_on: null }]);
  });
});

test('several processes may start the queue at the same time', async () => {
  for (let round = 0; round < 5; round += 1) {
    await database.owner((query) => query('drop schema pgboss cascade'));
    const starting = Array.from({ length: 4 }, () => newQueue());
    await Promise.all(starting.map((each) => each.start()));
    await Promise.all(starting.map((each) => each.stop()));
  }

  expect(await queue.counts()).toEqual({ plain: IDLE, keyed: IDLE, hasty: IDLE });
});

test('the job of a killed process runs in the process that follows it on the embedded database', async () => {
  const dataDir = await migratedDataDir();
  const owner = startOwnerProcess(dataDir, 'job');
  await owner.readUntil((event) => event.started !== undefined);
  await owner.kill();

  const server = await openEmbedded({ dataDir });
  const successor = createDatabase({ connection: server.connection });
  const followUp = createQueue(successor, { queues: [STUCK_QUEUE] });
  await followUp.start();
  const { seen, handler } = recorder();
  const givenBack = await followUp.giveBackActive();
  followUp.work(STUCK_QUEUE.name, FAST, handler);
  await until(() => seen.length > 0);
  await followUp.stop();
  await successor.close();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });

  expect(server.owned).toBe(true);
  expect(givenBack).toBe(1);
  expect(seen).toEqual([{ documentId: 'd1' }]);
});
