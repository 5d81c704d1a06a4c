import PgBoss from 'pg-boss';
import type { Query } from '../../retrieval/ports.ts';
import { APP_ROLE, type DatabaseLogger } from './connection.ts';
import { createJobWorkers, type JobHandler, type WorkOptions } from './job-workers.ts';
import type { DatabaseClient } from './pool.ts';
import { StatementError } from './statement-error.ts';

/** A queue that must exist, and how its jobs are tried again. */
export interface QueueDefinition {
  /** Letters, digits, `_` and `-`. */
  readonly name: string;
  /** Further tries after the first. */
  readonly retryLimit: number;
  /** Pause before the first further try; it doubles with each. */
  readonly retryDelaySeconds: number;
  /** How long a handler may take. Later the job counts as failed and may run elsewhere: handlers bear running twice. */
  readonly expireInSeconds: number;
  /** At most one waiting job a key: a second `send` of the same key does nothing until the first has started. */
  readonly onePerKey?: boolean;
}

/** How one job differs from its queue's other jobs. */
export interface SendOptions {
  /** What a queue with `onePerKey` compares. */
  readonly key?: string;
  /** Higher runs first; 0 by default. */
  readonly priority?: number;
  readonly startAfterSeconds?: number;
}

/** Jobs of a queue by state. `queued` includes those that wait for another try. */
export interface JobCounts {
  readonly queued: number;
  readonly active: number;
  readonly failed: number;
}

/** Background jobs that are stored in the same database, so that a change and its jobs are one transaction. */
export interface Queue {
  /** Creates or upgrades the queue's tables and the queues. Safe in several processes at once. */
  start(): Promise<void>;
  /**
   * Adds a job in the caller's transaction: it exists when that commits. `data` becomes JSON.
   * @returns the job's id, or null when a job of the same key is already waiting.
   */
  send(query: Query, queueName: string, data: object, options?: SendOptions): Promise<string | null>;
  /** Runs jobs of one queue, or of a second one while that has none. Needs `start`. */
  work(queueName: string, options: WorkOptions, handler: JobHandler): void;
  /** Looks for jobs now, in this process. Call it after the commit of a transaction that sent one. */
  wake(queueName: string): void;
  /** Gives the jobs that were active in a process that has ended to new ones. Only when no other process can run jobs. */
  giveBackActive(): Promise<number>;
  /** One entry a queue, in the order of their definitions. */
  counts(): Promise<Record<string, JobCounts>>;
  /** Takes no new jobs; waits for the running ones if `graceful`, then gives back those still running. */
  stop(options?: { graceful?: boolean; timeoutMs?: number }): Promise<void>;
}

const SCHEMA = 'pgboss';
const LOCK_QUEUE = `select pg_advisory_xact_lock(hashtext('verbatim.queue'))`;
// Two at once deadlock: each has written to the table of queues, one waits for the other's row, that for the table.
const CREATES_QUEUE = /\bcreate_queue\b/;
const MAINTENANCE_SECONDS = 30; // how often jobs of dead processes and old ones are looked for
const KEEP_COMPLETED_SECONDS = 3_600;
const KEEP_FAILED_SECONDS = 30 * 86_400; // long enough to be seen and sent again
const DEFAULT_STOP_TIMEOUT_MS = 30_000;

/** The queue over pg-boss, through the pool of `database`. */
export function createQueue(
  database: DatabaseClient,
  { queues, logger }: { queues: readonly QueueDefinition[]; logger?: DatabaseLogger },
): Queue {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => executeSql(database, text, values) },
    schema: SCHEMA,
    schedule: false,
    maintenanceIntervalSeconds: MAINTENANCE_SECONDS,
    archiveCompletedAfterSeconds: KEEP_COMPLETED_SECONDS,
    archiveFailedAfterSeconds: KEEP_FAILED_SECONDS,
    deleteAfterDays: 1,
  });
  boss.on('error', (error) => logger?.warn({ reason: error.message }, 'queue maintenance failed'));
  const workers = createJobWorkers(boss, logger);

  return {
    async start() {
      await createSchema(database);
      await boss.start();
      for (const queue of queues) await defineQueue(boss, queue);
      await grantToApplication(database);
    },
    send: (query, queueName, data, options = {}) =>
      boss.send(queueName, data, {
        ...(options.key === undefined ? {} : { singletonKey: options.key }),
        ...(options.priority === undefined ? {} : { priority: options.priority }),
        ...(options.startAfterSeconds === undefined ? {} : { startAfter: options.startAfterSeconds }),
        db: { executeSql: async (text, values) => ({ rows: await query(text, values) }) },
      }),
    work: (queueName, options, handler) => workers.start(queueName, options, handler),
    wake: (queueName) => workers.wake(queueName),
    giveBackActive: () => giveBackActive(database),
    counts: () => countJobs(database, queues),
    async stop({ graceful = true, timeoutMs = DEFAULT_STOP_TIMEOUT_MS } = {}) {
      const unfinished = await workers.stop(graceful ? timeoutMs : 0);
      try {
        await giveBack(database, unfinished);
      } finally {
        // Also without a database: its timers would keep the process from ending.
        await boss.stop({ graceful: false, close: false });
      }
    },
  };
}

// pg-boss's longer texts bring their own `begin` and `commit`. All others are wrapped, because statements with
// parameters outside a transaction mix with those of other connections on the embedded server.
async function executeSql(database: DatabaseClient, text: string, values?: unknown[]): Promise<{ rows: object[] }> {
  try {
    if (/^\s*begin\b/i.test(text)) {
      await database.outsideTransaction(text);
      return { rows: [] };
    }
    return {
      rows: await database.owner(async (query) => {
        if (CREATES_QUEUE.test(text)) await query(LOCK_QUEUE);
        return query(text, values);
      }),
    };
  } catch (error) {
    // pg-boss tells a race of two starting processes by the server's own message.
    throw error instanceof StatementError ? (error.cause ?? error) : error;
  }
}

// `create schema if not exists` of two processes at once fails in one of them, which pg-boss does not expect.
async function createSchema(database: DatabaseClient): Promise<void> {
  await database.owner((query) => query(`${LOCK_QUEUE}; create schema if not exists ${SCHEMA}`));
}

async function defineQueue(boss: PgBoss, queue: QueueDefinition): Promise<void> {
  const options = {
    name: queue.name,
    policy: queue.onePerKey ? ('short' as const) : ('standard' as const),
    retryLimit: queue.retryLimit,
    retryDelay: queue.retryDelaySeconds,
    retryBackoff: true,
    expireInSeconds: queue.expireInSeconds,
  };
  await boss.createQueue(queue.name, { ...options });
  // Creating leaves a queue of an earlier release as it was.
  await boss.updateQueue(queue.name, { ...options });
}

// Transactions that send jobs run as the application's role; partitions are reached through their parent table.
async function grantToApplication(database: DatabaseClient): Promise<void> {
  await database.owner((query) =>
    query(
      `${LOCK_QUEUE};
      grant usage on schema ${SCHEMA} to ${APP_ROLE};
      grant select on ${SCHEMA}.queue to ${APP_ROLE};
      grant select, insert, update, delete on ${SCHEMA}.job to ${APP_ROLE}`,
    ),
  );
}

// A try that its process did not survive counts as one, so that a job that kills processes fails at last. Unlike
// pg-boss's own expiry this does not wait: the process is known to be gone.
async function giveBackActive(database: DatabaseClient): Promise<number> {
  const rows = await database.owner((query) =>
    query(
      `update ${SCHEMA}.job set
        state = (case when retry_count < retry_limit then 'retry' else 'failed' end)::${SCHEMA}.job_state,
        completed_on = case when retry_count < retry_limit then null else now() end,
        start_after = now(),
        output = '{"message": "the process that ran this job ended"}'
      where state = 'active'
      returning id`,
    ),
  );
  return rows.length;
}

// A try that was cut off on purpose does not count: pg-boss counts those that have `started_on`.
async function giveBack(database: DatabaseClient, jobIds: readonly string[]): Promise<void> {
  if (jobIds.length === 0) return;
  await database.owner((query) =>
    query(
      `update ${SCHEMA}.job set state = 'retry', started_on = null, start_after = now()
      where state = 'active' and id = any($1::uuid[])`,
      [jobIds],
    ),
  );
}

async function countJobs(
  database: DatabaseClient,
  queues: readonly QueueDefinition[],
): Promise<Record<string, JobCounts>> {
  const rows = await database.owner((query) =>
    query<JobCounts & { name: string }>(
      `select name, (count(*) filter (where state < 'active'))::int as queued,
        (count(*) filter (where state = 'active'))::int as active,
        (count(*) filter (where state = 'failed'))::int as failed
      from ${SCHEMA}.job where name = any($1) group by name`,
      [queues.map((queue) => queue.name)],
    ),
  );
  return Object.fromEntries(
    queues.map(({ name }) => {
      const { queued = 0, active = 0, failed = 0 } = rows.find((row) => row.name === name) ?? {};
      return [name, { queued, active, failed }];
    }),
  );
}
