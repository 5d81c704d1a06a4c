// The jobs' handlers in this process, and the sweep that finds what a killed process left.
import { randomUUID } from 'node:crypto';
import { VectorSizeError } from '../ingest/active-embedder.ts';
import { embedMissing } from '../ingest/embed-missing.ts';
import { createIndexer, type IndexEvent } from '../ingest/index-document.ts';
import type { Jobs, Outbox } from '../ingest/ports.ts';
import { recoverPending, reviveUnembedded } from '../ingest/recover-pending.ts';
import { missingVectorIndexes } from '../ingest/vector-indexes.ts';
import { expireCachedAnswers } from '../retrieval/answer-cache.ts';
import { expireTraces } from '../retrieval/answer-log.ts';
import { DatabaseUnavailableError } from '../retrieval/errors.ts';
import type { Embedder, Logger } from '../retrieval/ports.ts';
import type { JobHandler } from './database/job-workers.ts';
import type { DatabaseClient } from './database/pool.ts';
import type { Queue } from './database/queue.ts';
import { every } from './every.ts';
import { expireIdempotencyKeys } from './operations/idempotency.ts';
import { LONG_DOCUMENTS } from './outbox.ts';
import { refreshFigures } from './refresh-figures.ts';
import { expireEndedSessions } from './service/sessions.ts';
import { expireSignInTries } from './service/sign-in-limits.ts';

export interface WorkerOptions {
  readonly config: {
    readonly indexWorkers: number;
    readonly cutBelowSimilarity: number | null;
    readonly traceDays: number;
  };
  readonly logger: Logger;
  readonly database: DatabaseClient;
  readonly queue: Queue;
  readonly outbox: Outbox;
  readonly embedder: Embedder;
  /** No other process can be at work on this database: what looks taken was left by a dead one. */
  readonly aloneOnDatabase: boolean;
  readonly onEvent?: (event: IndexEvent) => void;
}

const POLL_MS = 1_000;
const SWEEP_MS = 5_000;
const EXPIRE_MS = 3_600_000;

/** Starts the queue and its handlers. @returns what ends the sweep; the handlers end with `queue.stop()`. */
export async function startWorkers(options: WorkerOptions): Promise<() => void> {
  const { database, queue, outbox, aloneOnDatabase, logger } = options;
  await queue.start();
  if (aloneOnDatabase) await queue.giveBackActive();
  await reviveUnembedded(database);
  await recoverPending(database, outbox, { everyLease: aloneOnDatabase });
  const index = createIndexer({
    ...options,
    workerId: randomUUID(),
    cutBelowSimilarity: options.config.cutBelowSimilarity,
  });
  workOnDocuments(queue, options.config.indexWorkers, async ({ data }) => {
    const job = data as Jobs['index-document'];
    const done = await index(job);
    const { tenantId } = job;
    if (done) await database.transaction((query) => outbox.send(query, 'refresh-statistics', { tenantId }));
  });
  queue.work('refresh-statistics', { concurrency: 1, pollMs: POLL_MS }, async ({ data }) => {
    const { tenantId } = data as Jobs['refresh-statistics'];
    await refreshFigures(database, tenantId);
    await buildVectorIndexes(options);
  });
  queue.work('embed-missing', { concurrency: 1, pollMs: POLL_MS }, async ({ data }) => {
    const { tenantId } = data as Jobs['embed-missing'];
    const { missing, away } = await embedMissing(options, tenantId);
    // However long it is away, the vectors follow soon after it is back; another model has to be seen to by somebody.
    if (away && !(away instanceof VectorSizeError)) {
      await database.transaction((query) => outbox.send(query, 'embed-missing', { tenantId }));
    } else if (missing > 0) throw new Error(`${missing} chunks are still without a vector`);
  });
  const sweep = setInterval(() => {
    recoverPending(database, outbox, { everyLease: false }).catch((error: unknown) => {
      // Whoever needs the database says that it is away.
      const level = error instanceof DatabaseUnavailableError ? 'debug' : 'warn';
      logger[level]({ err: error }, 'the sweep for lost work failed');
    });
  }, SWEEP_MS);
  sweep.unref();
  const removeExpired = () =>
    database.transaction(async (query) => {
      await expireTraces(query, options.config.traceDays);
      await expireCachedAnswers(query);
      await expireIdempotencyKeys(query);
      await expireEndedSessions(query);
      await expireSignInTries(query);
    });
  const expiry = every(EXPIRE_MS, removeExpired, logger, 'what had expired could not be removed');
  return () => {
    clearInterval(sweep);
    clearInterval(expiry);
  };
}

// A long document takes minutes: one worker is kept for the others, so that a page that is added now is found soon.
function workOnDocuments(queue: Pick<Queue, 'work'>, workers: number, handler: JobHandler): void {
  const [any, long] = ['index-document', LONG_DOCUMENTS] as const;
  if (workers === 1) {
    queue.work(any, { concurrency: 1, pollMs: POLL_MS, otherwise: long }, handler);
  } else {
    queue.work(any, { concurrency: 1, pollMs: POLL_MS }, handler);
    queue.work(long, { concurrency: workers - 1, pollMs: POLL_MS, otherwise: any }, handler);
  }
}

/** Builds the approximate indexes that partitions are large enough for and lack. */
export async function buildVectorIndexes({
  database,
  logger,
}: Pick<WorkerOptions, 'database' | 'logger'>): Promise<void> {
  const missing = await database.owner((query) => missingVectorIndexes(query, { embedded: database.embedded }));
  for (const index of missing) {
    logger.info({ index: index.name, vectors: index.vectors }, 'building a vector index');
    await database.outsideTransaction(index.sql);
  }
}
