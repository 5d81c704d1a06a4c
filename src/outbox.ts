import type { JobName, Jobs, Outbox } from '../ingest/ports.ts';
import type { Queue, QueueDefinition, SendOptions } from './database/queue.ts';

const HOUR_SECONDS = 3_600;

/** Jobs of long documents wait by themselves, so that they cannot take all workers. */
export const LONG_DOCUMENTS = 'index-long-document';
/** 210 chunks, or half a minute of the built-in embedder on one core; a file with pictures is long sooner. */
const LONG_FROM_BYTES = 100_000;

const INDEXING = { retryLimit: 3, retryDelaySeconds: 5, expireInSeconds: 4 * HOUR_SECONDS, onePerKey: true } as const;

/** The queues of all jobs. Handlers bear running twice. */
export const QUEUES: readonly QueueDefinition[] = [
  { name: 'index-document', ...INDEXING },
  { name: LONG_DOCUMENTS, ...INDEXING },
  { name: 'embed-missing', retryLimit: 10, retryDelaySeconds: 30, expireInSeconds: HOUR_SECONDS, onePerKey: true },
  { name: 'refresh-statistics', retryLimit: 2, retryDelaySeconds: 10, expireInSeconds: HOUR_SECONDS, onePerKey: true },
];

// Both wait until a burst of documents is over: beside the first start's 131 documents they took half of the machine, and
// made the first answer come after 53 s and not 22 s. Embedders that failed get time.
const START_AFTER_SECONDS: Readonly<Record<JobName, number>> = {
  'index-document': 0,
  'embed-missing': 20,
  'refresh-statistics': 15,
};

/** The outbox of ingest over the queue: one waiting job for each thing to do. */
export function createOutbox(queue: Queue): Outbox {
  return {
    async send(query, name, data) {
      const startAfterSeconds = START_AFTER_SECONDS[name];
      const options: SendOptions = {
        key: keyOf(data),
        ...('urgent' in data && data.urgent ? { priority: 1 } : {}),
        ...(startAfterSeconds > 0 ? { startAfterSeconds } : {}),
      };
      await queue.send(query, queueOf(name, data), data, options);
    },
  };
}

function queueOf(name: JobName, data: Jobs[JobName]): string {
  return 'byteSize' in data && (data.byteSize ?? 0) >= LONG_FROM_BYTES ? LONG_DOCUMENTS : name;
}

function keyOf(data: Jobs[JobName]): string {
  return 'documentId' in data ? `${data.tenantId}/${data.documentId}/${data.version}` : data.tenantId;
}
