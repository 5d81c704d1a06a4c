// Storing what came in. Events that arrive while a transaction runs share the next one: under a burst each waits for two
// transactions at the most, instead of for those of everyone before it.
import type { ChatEvent, Invalidation, Received } from '../../adapters/inbox.ts';
import type { Outbox } from '../../ingest/ports.ts';
import type { Database, Query } from '../../retrieval/ports.ts';

/** One event to be stored. */
export interface Incoming {
  readonly event: ChatEvent;
  readonly signature: string | null;
  readonly invalidates: Invalidation | null;
}

export interface ReceiverOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  /** Called after a commit that stored something. */
  readonly onStored: () => void;
}

const MAX_BATCH = 100; // events; their payloads are a few kilobytes each

interface Waiting extends Incoming {
  readonly resolve: (received: Received) => void;
  readonly reject: (error: unknown) => void;
}

/** Makes the function that stores one event, in its turn. */
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
    const results = await options.database.transaction((query) => storeBatch(query, options.outbox, batch));
    if (results.includes('stored')) options.onStored();
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

async function storeBatch(query: Query, outbox: Outbox, batch: readonly Incoming[]): Promise<Received[]> {
  const fresh = await storeSignatures(query, batch);
  const isReplayed = ({ event, signature }: Incoming, index: number) =>
    signature !== null && fresh.get(`${event.tenantId} ${signature}`) !== index;
  const accepted = batch.filter((incoming, index) => !isReplayed(incoming, index));
  const stored = await storeEvents(query, accepted);
  const results = batch.map((incoming, index): Received => {
    if (isReplayed(incoming, index)) return 'replayed';
    // Only the first of the same event within the batch was stored.
    return stored.delete(keyOf(incoming.event)) ? 'stored' : 'duplicate';
  });
  const kept = batch.filter((_, index) => results[index] === 'stored');
  for (const { event, invalidates } of kept) if (invalidates) await invalidate(query, event.tenantId, invalidates);
  const lanes = new Map(kept.map(({ event: { tenantId, lane } }) => [`${tenantId} ${lane}`, { tenantId, lane }]));
  for (const lane of lanes.values()) await outbox.send(query, 'chat-events', lane);
  return results;
}

/** Which request of the batch was the first with each signature that was not seen before. */
async function storeSignatures(query: Query, batch: readonly Incoming[]): Promise<Map<string, number>> {
  const first = new Map<string, number>();
  batch.forEach(({ event, signature }, index) => {
    const key = `${event.tenantId} ${signature}`;
    if (signature !== null && !first.has(key)) first.set(key, index);
  });
  const rows = [...first.values()].flatMap((index) => {
    const incoming = batch[index];
    return incoming ? [{ tenant_id: incoming.event.tenantId, signature: incoming.signature }] : [];
  });
  if (rows.length === 0) return first;
  const stored = await query<{ tenant_id: string; signature: string }>(
    `insert into chat_requests (tenant_id, signature)
       select tenant_id, signature from jsonb_to_recordset($1::jsonb) as r(tenant_id text, signature text)
         order by tenant_id, signature
       on conflict do nothing returning tenant_id, signature`,
    [JSON.stringify(rows)],
  );
  const fresh = new Set(stored.map((row) => `${row.tenant_id} ${row.signature}`));
  return new Map([...first].filter(([key]) => fresh.has(key)));
}

async function storeEvents(query: Query, accepted: readonly Incoming[]): Promise<Set<string>> {
  if (accepted.length === 0) return new Set();
  const rows = new Map(accepted.map(({ event }) => [keyOf(event), event]));
  const stored = await query<{ tenant_id: string; event_key: string }>(
    `insert into chat_events (tenant_id, event_key, lane, position, payload)
       select "tenantId", "eventKey", lane, position, payload from jsonb_to_recordset($1::jsonb)
         as r("tenantId" text, "eventKey" text, lane text, position text, payload jsonb)
         order by "tenantId", "eventKey"
       on conflict do nothing returning tenant_id, event_key`,
    [storableJson([...rows.values()])],
  );
  return new Set(stored.map((row) => `${row.tenant_id} ${row.event_key}`));
}

function keyOf({ tenantId, eventKey }: ChatEvent): string {
  return `${tenantId} ${eventKey}`;
}

// PostgreSQL stores neither U+0000 nor half a surrogate pair, in JSON as little as in text.
function storableJson(value: object): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'string' ? inner.replaceAll('\u0000', '\uFFFD').toWellFormed() : inner,
  );
}

async function invalidate(query: Query, tenantId: string, what: Invalidation): Promise<void> {
  const place = [tenantId, what.platform, what.workspace];
  const mark = `set read_at = '-infinity', invalidated_at = now()`;
  if (what.conversation !== undefined) {
    await query(
      `insert into chat_members (tenant_id, platform, workspace, conversation, read_at, invalidated_at)
         values ($1, $2, $3, $4, '-infinity', now())
         on conflict (tenant_id, platform, workspace, conversation) do update ${mark}`,
      [...place, what.conversation],
    );
  }
  if (what.userId !== undefined) {
    await query(
      `insert into chat_users (tenant_id, platform, workspace, user_id, read_at, invalidated_at)
         values ($1, $2, $3, $4, '-infinity', now())
         on conflict (tenant_id, platform, workspace, user_id) do update ${mark}`,
      [...place, what.userId],
    );
  }
}
