// Events of chat platforms: stored before they are acknowledged, worked on in order within a lane, ended once. An instance
// that dies leaves a lease that runs out, and another one goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldEvent, Inbox, Outgoing } from '../../adapters/inbox.ts';
import type { Deliveries } from '../../adapters/question.ts';
import type { Database, Logger } from '../../retrieval/ports.ts';
import { every } from '../every.ts';
import { createReceiver } from './receive-batch.ts';
import { claimAlone, createTakeEvent } from './take-event.ts';
import { startWorkLoop, type WorkLoop } from './work-loop.ts';

export interface InboxOptions {
  readonly database: Database;
  readonly logger: Logger;
  /** Events that are worked on at the same time by this instance, each of another lane. */
  readonly concurrency: number;
}

/** Works on events of the lanes that begin with its platform's name. What it throws makes the event be tried again. */
export type EventHandler = (event: HeldEvent) => Promise<void>;

/** The inbox of this instance, and what happens to the events. */
export interface ChatInbox extends Inbox, Deliveries, Outgoing {
  /** Starts the handlers; events of lanes with another beginning are left for whoever handles them. */
  start(handlers: Readonly<Record<string, EventHandler>>): void;
  /** Looks for events now: some became ready. */
  wake(): void;
  /** Takes no further events; resolves when the running ones have ended, or after `timeoutMs`: others then take them over. */
  stop(timeoutMs: number): Promise<void>;
}

const KEEP_ENDED = '7 days'; // Slack redelivers for minutes; a week is for whoever looks into what happened
const KEEP_REQUESTS = '1 hour'; // twelve times the age at which a request is refused as stale
const CLEAN_MS = 3_600_000;

/** Makes the inbox over the database. */
export function createInbox(options: InboxOptions): ChatInbox {
  const { database, logger } = options;
  let loop: WorkLoop | undefined;
  let cleaning: NodeJS.Timeout | undefined;
  const receive = createReceiver({ database, onStored: () => loop?.wake() });
  return {
    receive: (event, noted) => receive({ tenantId: event.tenantId, event, ...noted }),
    note: (tenantId, noted) => receive({ tenantId, event: null, ...noted }),
    claim: (tenantId, eventKey) => claimAlone(options, tenantId, eventKey),
    begin: (tenantId, eventKey, part) => beginPart(options.database, tenantId, eventKey, part),
    complete: (tenantId, eventKey, part, message) =>
      options.database.transaction(async (query) => {
        await query('update chat_messages set message = $4 where tenant_id = $1 and event_key = $2 and part = $3', [
          tenantId,
          eventKey,
          part,
          message,
        ]);
      }),
    wake: () => loop?.wake(),
    start(handlers) {
      const take = createTakeEvent(options, Object.keys(handlers));
      const handle = async (event: HeldEvent) => handlers[event.lane.split(':')[0] ?? '']?.(event);
      loop = startWorkLoop({ ...options, take, handle });
      cleaning = every(
        CLEAN_MS,
        () => clean(database),
        logger,
        'what had expired of the chat inbox could not be removed',
      );
    },
    async stop(timeoutMs) {
      clearInterval(cleaning);
      const late = new AbortController();
      const timeout = sleep(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined);
      await Promise.race([loop?.stop(), timeout]);
      late.abort();
    },
  };
}

async function beginPart(
  database: Database,
  tenantId: string,
  eventKey: string,
  part: number,
): Promise<{ message: string } | 'unknown' | 'new'> {
  return database.transaction(async (query) => {
    const begun = await query(
      `insert into chat_messages (tenant_id, event_key, part) values ($1, $2, $3) on conflict do nothing returning 1 as one`,
      [tenantId, eventKey, part],
    );
    if (begun.length > 0) return 'new';
    const rows = await query<{ message: string | null }>(
      'select message from chat_messages where tenant_id = $1 and event_key = $2 and part = $3',
      [tenantId, eventKey, part],
    );
    const message = rows[0]?.message ?? null;
    return message === null ? 'unknown' : { message };
  });
}

async function clean(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    // By age alone: their keys can be longer than those of the events.
    await query('delete from chat_messages where started_at < now() - $1::interval', [KEEP_ENDED]);
    await query('delete from chat_events where ended_at < now() - $1::interval', [KEEP_ENDED]);
    await query('delete from chat_requests where seen_at < now() - $1::interval', [KEEP_REQUESTS]);
  });
}
