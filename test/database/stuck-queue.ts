import type { QueueDefinition } from '../../src/database/queue.ts';

/** The queue that a killed process and its successor share. */
export const STUCK_QUEUE: QueueDefinition = {
  name: 'stuck',
  retryLimit: 2,
  retryDelaySeconds: 1,
  expireInSeconds: 900,
};
