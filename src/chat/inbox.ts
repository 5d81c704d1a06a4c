// Events of chat platforms: stored before they are acknowledged, worked on in order within a lane, ended once. An instance
// that dies leaves a lease that runs out, and another one goes on.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HeldEvent, Inbox, Outgoing } from '../../adapters/inbox.ts';
import type { Claim, Deliveries } from '../../adapters/question.ts';
import type { Outbox } from '../../ingest/ports.ts';
import type { Database, Logger, Query } from '../../retrieval/ports.ts';
import type { Queue } from '../database/queue.ts';
import { every } from './every.ts';
import { createReceiver } from './receive-batch.ts';

export interface InboxOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly queue: Pick<Queue, 'work' | 'wake'>;
  readonly logger: Logger;
  /** Conversations that are answered at the same time by this instance. */
  readonly concurrency: number;
}

/** Works on events of the lanes that begin with `prefix`. What it throws makes the event be tried again. */
export type EventHandler = (event: HeldEvent) => Promise<void>;

/** The inbox of this instance, and what happens to the events. */
export interface ChatInbox extends Inbox, Deliveries, Outgoing {
  /** Starts the handlers; events of lanes with another beginning are left for whoever handles them. */
  start(handlers: Readonly<Record<string, EventHandler>>): void;
  /** Takes no further events; resolves when the running ones have ended, or after `timeoutMs`: others then take them over. */
  stop(timeoutMs: number): Promise<void>;
}

const LEASE_SECONDS = 15; // as long as a document's lease: a paused process is not taken for a dead one
const RENEW_MS = 4_000;
const SWEEP_MS = 3_000;
const POLL_MS = 1_000;
/** Tries of an event before it is given up: about four minutes. */
export const MAX_ATTEMPTS = 9;
const KEEP_ENDED = '7 days'; // Slack redelivers for minutes; a week is for whoever looks into what happened
const KEEP_REQUESTS = '1 hour'; // twelve times the age at which a request is refused as stale
const CLEAN_MS = 3_600_000;
const FAILURE = 'the chat inbox could not be looked through';

/** Makes the inbox over the database. */
export function createInbox(options: InboxOptions): ChatInbox {
  const running = new Set<Promise<void>>();
  const timers: NodeJS.Timeout[] = [];
  let stopping = false;
  const receive = createReceiver({ ...options, onStored: () => options.queue.wake('chat-events') });
  return {
    receive: (event, { signature, invalidates }) => receive({ event, signature, invalidates }),
    firstSight: (tenantId, signature) =>
      options.database.transaction((query) => rememberRequest(query, tenantId, signature)),
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
    start(handlers) {
      const { queue, concurrency } = options;
      queue.work('chat-events', { concurrency, pollMs: POLL_MS }, async ({ data }) => {
        const { tenantId, lane } = data as { tenantId: string; lane: string };
        const handler = handlers[lane.split(':')[0] ?? ''];
        if (!handler || stopping) return;
        const work = drain(options, tenantId, lane, handler, () => stopping);
        running.add(work);
        await work.finally(() => running.delete(work));
      });
      timers.push(every(SWEEP_MS, () => sweep(options, Object.keys(handlers)), options.logger, FAILURE));
      timers.push(every(CLEAN_MS, () => clean(options.database), options.logger, FAILURE));
    },
    async stop(timeoutMs) {
      stopping = true;
      for (const timer of timers) clearInterval(timer);
      const late = new AbortController();
      const timeout = sleep(timeoutMs, undefined, { signal: late.signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(running), timeout]);
      late.abort();
    },
  };
}

async function rememberRequest(query: Query, tenantId: string, signature: string): Promise<boolean> {
  const rows = await query(
    'insert into chat_requests (tenant_id, signature) values ($1, $2) on conflict do nothing returning 1 as one',
    [tenantId, signature],
  );
  return rows.length > 0;
}

async function drain(
  options: InboxOptions,
  tenantId: string,
  lane: string,
  handle: EventHandler,
  isStopping: () => boolean,
): Promise<void> {
  while (!isStopping()) {
    const event = await next(options, tenantId, lane);
    if (event === null) return;
    try {
      await handle(event);
      await persist(() => event.claim.end(), options.logger);
    } catch (error) {
      const { eventKey, attempt } = event;
      options.logger.warn({ eventKey, attempt, err: error }, 'an event of a chat platform could not be handled');
      await persist(() => event.claim.giveBack(), options.logger);
      return;
    }
  }
}

// What was done must not be done again only because the database was away for a moment.
async function persist(run: () => Promise<void>, logger: Logger): Promise<void> {
  for (let attempt = 1; attempt <= 5; attempt++) {
    try {
      return await run();
    } catch (error) {
      logger.warn({ attempt, err: error }, 'the end of an event could not be stored');
      await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** attempt));
    }
  }
}

interface EventRow {
  event_key: string;
  position: string;
  payload: object | null;
  attempts: number;
  leased: boolean;
  ready: boolean;
}

// Under one lock a lane: nothing is taken while another event of the lane is being worked on, nor out of turn.
async function next(options: InboxOptions, tenantId: string, lane: string): Promise<HeldEvent | null> {
  const owner = randomUUID();
  const row = await options.database.transaction(async (query) => {
    await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`chat ${tenantId}/${lane}`]);
    const rows = await query<EventRow>(
      `select event_key, position, payload, attempts, try_after <= now() as ready,
           exists (select 1 from chat_events b where b.tenant_id = $1 and b.lane = $2 and b.ended_at is null
             and b.lease_until > now()) as leased
         from chat_events where tenant_id = $1 and lane = $2 and ended_at is null
         order by position, event_key limit 1`,
      [tenantId, lane],
    );
    const head = rows[0];
    if (!head || head.leased || !head.ready) return null;
    await query(
      `update chat_events set attempts = attempts + 1, lease_owner = $3, lease_until = now() + $4 * interval '1 second'
         where tenant_id = $1 and event_key = $2`,
      [tenantId, head.event_key, owner, LEASE_SECONDS],
    );
    return head;
  });
  if (row === null) return null;
  const { event_key: eventKey, position, payload, attempts } = row;
  const claim = hold(options, tenantId, eventKey, owner, attempts + 1);
  return { tenantId, eventKey, lane, position, payload: payload ?? {}, attempt: attempts + 1, claim };
}

// Renews the lease until the event has ended or is given back.
function hold(
  { database, logger }: InboxOptions,
  tenantId: string,
  eventKey: string,
  owner: string,
  attempt: number,
): Claim {
  const update = (set: string, values: readonly unknown[] = []) =>
    database.transaction(async (query) => {
      await query(
        `update chat_events set ${set} where tenant_id = $1 and event_key = $2 and lease_owner = $3 and ended_at is null`,
        [tenantId, eventKey, owner, ...values],
      );
    });
  const renewal = setInterval(() => {
    update(`lease_until = now() + $4 * interval '1 second'`, [LEASE_SECONDS]).catch((error: unknown) =>
      logger.warn({ eventKey, err: error }, 'the lease of an event could not be renewed'),
    );
  }, RENEW_MS);
  renewal.unref();
  return {
    async end() {
      await update(`ended_at = now(), outcome = 'done', payload = null, lease_owner = null, lease_until = null`);
      clearInterval(renewal);
    },
    async giveBack() {
      if (attempt >= MAX_ATTEMPTS) {
        logger.error({ eventKey, attempt }, 'an event of a chat platform was given up');
        await update(`ended_at = now(), outcome = 'failed', payload = null, lease_owner = null, lease_until = null`);
      } else {
        const pauseSeconds = Math.min(60, 2 ** (attempt - 1));
        const set = `try_after = now() + $4 * interval '1 second', lease_owner = null, lease_until = null`;
        await update(set, [pauseSeconds]);
      }
      clearInterval(renewal);
    },
  };
}

// For platforms that keep no payload here: only that the event is being, or was, answered.
async function claimAlone(options: InboxOptions, tenantId: string, eventKey: string): Promise<Claim | null> {
  const owner = randomUUID();
  const rows = await options.database.transaction((query) =>
    query<{ attempts: number }>(
      `insert into chat_events as e (tenant_id, event_key, lane, position, attempts, lease_owner, lease_until)
         values ($1, $2, '', '', 1, $3, now() + $4 * interval '1 second')
         on conflict (tenant_id, event_key) do update
           set attempts = e.attempts + 1, lease_owner = excluded.lease_owner, lease_until = excluded.lease_until
           where e.ended_at is null and (e.lease_until is null or e.lease_until < now())
         returning attempts`,
      [tenantId, eventKey, owner, LEASE_SECONDS],
    ),
  );
  const row = rows[0];
  return row ? hold(options, tenantId, eventKey, owner, row.attempts) : null;
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

// Lanes whose instance died, whose pause is over, or whose job was lost.
async function sweep({ database, outbox, queue }: InboxOptions, platforms: readonly string[]): Promise<void> {
  const lanes = await database.transaction(async (query) => {
    const found = await query<{ tenant_id: string; lane: string }>(
      `select tenant_id, lane from chat_events
         where ended_at is null and payload is not null and split_part(lane, ':', 1) = any($1::text[])
         group by tenant_id, lane
         having min(try_after) <= now() and coalesce(max(lease_until), '-infinity') < now()
           and min(received_at) < now() - interval '2 seconds'
         limit 100`,
      [platforms],
    );
    for (const { tenant_id: tenantId, lane } of found) await outbox.send(query, 'chat-events', { tenantId, lane });
    return found;
  });
  if (lanes.length > 0) queue.wake('chat-events');
}

async function clean(database: Database): Promise<void> {
  await database.transaction(async (query) => {
    await query(
      `delete from chat_messages m using chat_events e where e.tenant_id = m.tenant_id and e.event_key = m.event_key
         and e.ended_at < now() - $1::interval`,
      [KEEP_ENDED],
    );
    await query('delete from chat_events where ended_at < now() - $1::interval', [KEEP_ENDED]);
    await query('delete from chat_requests where seen_at < now() - $1::interval', [KEEP_REQUESTS]);
  });
}
