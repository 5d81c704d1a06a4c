// Storing what came in. Requests that arrive while a transaction runs share the next one, which is a single statement: under
// a burst each waits for two transactions at the most, instead of for those of everyone before it.
import type { ChatEvent, Invalidation, Received } from '../../adapters/inbox.ts';
import type { Database, Query } from '../../retrieval/ports.ts';

/** One request to be stored. */
export interface Incoming {
  readonly tenantId: string;
  /** Null: there is nothing to be done later. */
  readonly event: ChatEvent | null;
  readonly signature: string | null;
  readonly invalidates: Invalidation | null;
}

export interface ReceiverOptions {
  readonly database: Database;
  /** Called after a commit that stored an event. */
  readonly onStored: () => void;
}

const MAX_BATCH = 100; // requests; their payloads are a few kilobytes each

interface Waiting extends Incoming {
  readonly resolve: (received: Received) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes the function that stores one request, in its turn. */
export function createReceiver(options: ReceiverOptions): (incoming: Incoming) => Promise<Received> {
  const waiting: Waiting[] = [];
  let running = false;
  const run = async () => {
    running = true;
    while (waiting.length > 0) await storeAll(options, waiting.splice(0, MAX_BATCH));
    running = false;
  };
  return (incoming) =>
    new Promise((resolve, reject) => {
      waiting.push({ ...incoming, resolve, reject });
      if (!running) void run();
    });
}

async function storeAll(options: ReceiverOptions, batch: readonly Waiting[]): Promise<void> {
  try {
    const results = await options.database.transaction((query) => storeBatch(query, batch));
    if (batch.some(({ event }, index) => event !== null && results[index] === 'stored')) options.onStored();
    batch.forEach(({ resolve }, index) => {
      resolve(results[index] ?? 'duplicate');
    });
  } catch (error) {
    const [only, ...others] = batch;
    if (only && others.length === 0) return only.reject(error);
    // One that cannot be stored must not take the others with it.
    for (const one of batch) await storeAll(options, [one]);
  }
}

// Of requests with the same signature, and of those with the same event, only the first in the batch counts. Rows are
// inserted in the order of their keys, so that two instances with the same redeliveries do not block each other.
async function storeBatch(query: Query, batch: readonly Incoming[]): Promise<Received[]> {
  const rows = await query<{ n: number; received: Received }>(
    `with incoming as (
       select *, row_number() over (partition by tenant_id, signature order by n) as copy
         from jsonb_to_recordset($1::jsonb) as r(n int, tenant_id text, signature text, event_key text, lane text,
           position text, payload jsonb, platform text, workspace text, conversation text, user_id text)
     ), fresh as (
       insert into chat_requests (tenant_id, signature)
         select distinct tenant_id, signature from incoming where signature is not null order by 1, 2
         on conflict do nothing returning tenant_id, signature
     ), accepted as (
       select i.*, row_number() over (partition by i.tenant_id, i.event_key order by i.n) as event_copy
         from incoming i left join fresh f on f.tenant_id = i.tenant_id and f.signature = i.signature
         where i.signature is null or (f.signature is not null and i.copy = 1)
     ), stored as (
       insert into chat_events (tenant_id, event_key, lane, position, payload)
         select tenant_id, event_key, lane, position, payload from accepted
           where event_key is not null and event_copy = 1 order by tenant_id, event_key
         on conflict do nothing returning tenant_id, event_key
     ), members as (
       insert into chat_members (tenant_id, platform, workspace, conversation, read_at, invalidated_at)
         select distinct tenant_id, platform, workspace, conversation, '-infinity'::timestamptz, now() from accepted
           where conversation is not null order by 1, 2, 3, 4
         on conflict (tenant_id, platform, workspace, conversation) do update set read_at = '-infinity', invalidated_at = now()
     ), users as (
       insert into chat_users (tenant_id, platform, workspace, user_id, read_at, invalidated_at)
         select distinct tenant_id, platform, workspace, user_id, '-infinity'::timestamptz, now() from accepted
           where user_id is not null order by 1, 2, 3, 4
         on conflict (tenant_id, platform, workspace, user_id) do update set read_at = '-infinity', invalidated_at = now()
     )
     select i.n, case
           when a.n is null then 'replayed'
           when i.event_key is null or (a.event_copy = 1 and s.event_key is not null) then 'stored'
           else 'duplicate' end as received
       from incoming i left join accepted a on a.n = i.n
         left join stored s on s.tenant_id = i.tenant_id and s.event_key = i.event_key`,
    [storableJson(batch.map(toRow))],
  );
  const results = new Map(rows.map(({ n, received }) => [n, received]));
  return batch.map((_, index) => results.get(index) ?? 'duplicate');
}

function toRow({ tenantId, event, signature, invalidates }: Incoming, index: number): object {
  return {
    n: index,
    tenant_id: tenantId,
    signature,
    event_key: event?.eventKey,
    lane: event?.lane,
    position: event?.position,
    payload: event?.payload,
    platform: invalidates?.platform,
    workspace: invalidates?.workspace,
    conversation: invalidates?.conversation,
    user_id: invalidates?.userId,
  };
}

// PostgreSQL stores neither U+0000 nor half a surrogate pair, in JSON as little as in text.
function storableJson(value: object): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'string' ? inner.replaceAll('\u0000', '\uFFFD').toWellFormed() : inner,
  );
}
