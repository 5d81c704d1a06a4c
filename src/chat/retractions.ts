// The sweep that finds posted answers whose evidence went, and puts each message that must be edited into the inbox, which
// orders, retries and survives for it.
import type { ChatEvent } from '../../adapters/inbox.ts';
import type { Database, Logger, Query } from '../../retrieval/ports.ts';
import {
  endRetraction,
  pendingRetractions,
  postponeRetraction,
  queueRetractions,
  type RetractionPlace,
  type RetractionTarget,
  reopenRetractions,
  retractUnreadable,
} from '../../retrieval/retraction.ts';
import { every } from '../every.ts';
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
  /** Notes why a message still stands; it is tried again. */
  postpone(target: RetractionTarget, error: string): Promise<void>;
  /** The bot is back in a conversation, or in a whole workspace (null): what could not be edited there is tried at once. */
  tryAgain(place: RetractionPlace): Promise<void>;
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
    postpone: (target, error) => database.transaction((query) => postponeRetraction(query, target, error)),
    async tryAgain(place) {
      await database.transaction(async (query) => {
        const toEvent = eventFor[place.platform];
        const targets = await reopenRetractions(query, place);
        if (toEvent && targets.length > 0) await tryAgain(query, targets.map(toEvent));
      });
      inbox.wake();
    },
    start() {
      timer ??= every(SWEEP_MS, sweep, logger, 'the sweep for answers without evidence failed');
    },
    stop() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

// Those that were given up get an event anew with the next sweep; the events of the others need not wait any longer.
async function tryAgain(query: Query, targets: readonly ChatEvent[]): Promise<void> {
  const keys = [targets[0]?.tenantId, targets.map(({ eventKey }) => eventKey)];
  await query(
    'delete from chat_events where tenant_id = $1 and event_key = any($2::text[]) and ended_at is not null',
    keys,
  );
  await query(
    'update chat_events set try_after = now() where tenant_id = $1 and event_key = any($2::text[]) and ended_at is null',
    keys,
  );
}
