// The sweep that finds posted answers whose evidence went, and puts each message that must be edited into the inbox, which
// orders, retries and survives for it.
import type { ChatEvent } from '../../adapters/inbox.ts';
import type { Database, Logger } from '../../retrieval/ports.ts';
import {
  endRetraction,
  pendingRetractions,
  queueRetractions,
  type RetractionTarget,
  retractUnreadable,
} from '../../retrieval/retraction.ts';
import { every } from './every.ts';
import type { ChatInbox } from './inbox.ts';

export interface RetractionOptions {
  readonly database: Database;
  readonly inbox: ChatInbox;
  readonly logger: Logger;
  /** The event that edits a message, for each platform that can. */
  readonly eventFor: Readonly<Record<string, (target: RetractionTarget) => ChatEvent>>;
}

export interface Retractions {
  /** Looks once; what it found is in the inbox when this resolves. */
  sweep(): Promise<void>;
  end(target: RetractionTarget, error: string | null): Promise<void>;
  /** Looks again and again until `stop`. */
  start(): void;
  stop(): void;
}

const SWEEP_MS = 2_000; // a deleted quote must not stand for longer than a glance
const BATCH = 200;

/** Makes the sweep. */
export function createRetractions({ database, inbox, logger, eventFor }: RetractionOptions): Retractions {
  let timer: NodeJS.Timeout | undefined;
  const sweep = async () => {
    const tenants = await database.transaction((query) =>
      query<{ tenant_id: string }>('select tenant_id from tenants'),
    );
    for (const { tenant_id: tenantId } of tenants) {
      await database.transaction(async (query) => {
        const emptied = await retractUnreadable(query, tenantId);
        if (emptied > 0) logger.info({ emptied }, 'posted answers lost their evidence and are taken back');
        await queueRetractions(query, tenantId);
      });
      for (const [platform, toEvent] of Object.entries(eventFor)) {
        const targets = await database.transaction((query) => pendingRetractions(query, tenantId, platform, BATCH));
        for (const target of targets) await inbox.receive(toEvent(target), { signature: null, invalidates: null });
      }
    }
  };
  return {
    sweep,
    end: (target, error) => database.transaction((query) => endRetraction(query, target, error)),
    start() {
      timer ??= every(SWEEP_MS, sweep, logger, 'the sweep for answers without evidence failed');
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
