// Whose turn it is: one event of a lane at a time, in order, and lanes in turn.
import { randomUUID } from 'node:crypto';
import type { HeldClaim, HeldEvent } from '../../adapters/inbox.ts';
import type { Claim } from '../../adapters/question.ts';
import type { Database, Logger, Query } from '../../retrieval/ports.ts';

export interface TakeOptions {
  readonly database: Database;
  readonly logger: Logger;
}

const LEASE_SECONDS = 15; // as long as a document's lease: a paused process is not taken for a dead one
const RENEW_MS = 4_000;
const MAX_ATTEMPTS = 20; // about an hour, since a question that is given up ends in silence; nothing waits for it meanwhile
const MAX_PAUSE_SECONDS = 300;
// An event keeps its place before those that came after it for two tries that follow each other at once. Then it steps aside
// until its pause is over: what is wrong with it must not hold back everything else that is said in its conversation.
const STEPPED_ASIDE = `(try_after > now() and (attempts >= 2 or try_after > now() + interval '5 seconds'))`;
const KEPT_ANSWER = 'verbatim_answer_id'; // kept beside what the platform sent, and removed together with it
const CANDIDATES = 50; // lanes; among more than are answered within a minute, those that have waited longest

interface Lane {
  tenant_id: string;
  lane: string;
}

interface Taken {
  event_key: string;
  position: string;
  payload: object;
  attempts: number;
  answer_id: string | null;
}

/** Takes the next event of the platforms for this instance; null when none is ready. */
export type TakeEvent = () => Promise<HeldEvent | null>;

/** Makes `TakeEvent`. Lanes take turns: a burst in one conversation does not keep the others waiting. */
export function createTakeEvent(options: TakeOptions, platforms: readonly string[]): TakeEvent {
  const served = new Map<string, number>();
  let turn = 0;
  const lastTurn = ({ tenant_id: tenantId, lane }: Lane) => served.get(`${tenantId} ${lane}`) ?? 0;
  return async () => {
    const owner = randomUUID();
    const taken = await options.database.transaction(async (query) => {
      const lanes = await readyLanes(query, platforms);
      for (const lane of lanes.sort((a, b) => lastTurn(a) - lastTurn(b))) {
        const event = await takeFirst(query, lane, owner);
        if (event !== null) return { lane, event };
      }
      return null;
    });
    if (taken === null) {
      served.clear();
      return null;
    }
    const { tenant_id: tenantId, lane } = taken.lane;
    served.set(`${tenantId} ${lane}`, ++turn);
    const { event_key: eventKey, position, payload, attempts, answer_id: answerId } = taken.event;
    const claim = hold(options, { tenantId, eventKey, owner, attempt: attempts, answerId });
    return { tenantId, eventKey, lane, position, payload, attempt: attempts, claim };
  };
}

// Lanes that nobody is at work on and whose first event may be tried now, longest waiting first. That includes those whose
// instance died and those whose pause is over.
async function readyLanes(query: Query, platforms: readonly string[]): Promise<Lane[]> {
  return query<Lane>(
    `select tenant_id, lane from (
       select distinct on (tenant_id, lane) tenant_id, lane, try_after, received_at,
           max(lease_until) over (partition by tenant_id, lane) as leased_until
         from chat_events
         where ended_at is null and payload is not null and split_part(lane, ':', 1) = any($1::text[])
           and not ${STEPPED_ASIDE}
         order by tenant_id, lane, position, event_key) first
       where try_after <= now() and coalesce(leased_until, '-infinity') <= now()
       order by received_at limit $2`,
    [platforms, CANDIDATES],
  );
}

// Under a lock a lane, and looked at again once it is held: another instance may have been quicker.
async function takeFirst(query: Query, { tenant_id: tenantId, lane }: Lane, owner: string): Promise<Taken | null> {
  const [lock] = await query<{ held: boolean }>('select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as held', [
    `chat ${tenantId}/${lane}`,
  ]);
  if (lock?.held !== true) return null;
  const rows = await query<Taken>(
    `update chat_events set attempts = attempts + 1, lease_owner = $3, lease_until = now() + $4 * interval '1 second'
       where tenant_id = $1 and try_after <= now()
         and event_key = (select event_key from chat_events
           where tenant_id = $1 and lane = $2 and ended_at is null and not ${STEPPED_ASIDE}
           order by position, event_key limit 1)
         and not exists (select 1 from chat_events
           where tenant_id = $1 and lane = $2 and ended_at is null and lease_until > now())
       returning event_key, position, payload - $5::text as payload, payload ->> $5::text as answer_id, attempts`,
    [tenantId, lane, owner, LEASE_SECONDS, KEPT_ANSWER],
  );
  return rows[0] ?? null;
}

interface Lease {
  readonly tenantId: string;
  readonly eventKey: string;
  readonly owner: string;
  readonly attempt: number;
  readonly answerId: string | null;
}

// Renews the lease until the event has ended or is given back.
function hold({ database, logger }: TakeOptions, { tenantId, eventKey, owner, attempt, answerId }: Lease): HeldClaim {
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
  const giveUp = async () => {
    logger.error({ eventKey, attempt }, 'an event of a chat platform was given up');
    await update(`ended_at = now(), outcome = 'failed', payload = null, lease_owner = null, lease_until = null`);
    clearInterval(renewal);
  };
  return {
    answerId,
    keep: (kept) => update('payload = payload || jsonb_build_object($4::text, $5::text)', [KEPT_ANSWER, kept]),
    async end() {
      await update(`ended_at = now(), outcome = 'done', payload = null, lease_owner = null, lease_until = null`);
      clearInterval(renewal);
    },
    giveUp,
    async giveBack(pauseSeconds) {
      if (pauseSeconds === undefined && attempt >= MAX_ATTEMPTS) return giveUp();
      const set = `try_after = now() + $4 * interval '1 second', lease_owner = null, lease_until = null`;
      await update(set, [pauseSeconds ?? Math.min(MAX_PAUSE_SECONDS, 2 ** (attempt - 1))]);
      clearInterval(renewal);
    },
  };
}

/**
 * Claims an event that is worked on where it came in and keeps no payload here. Null: it has ended, or another instance is
 * at work on it.
 */
export async function claimAlone(options: TakeOptions, tenantId: string, eventKey: string): Promise<Claim | null> {
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
  return row ? hold(options, { tenantId, eventKey, owner, attempt: row.attempts, answerId: null }) : null;
}
