import type { IdempotencyStore, RequestKey } from '../../adapters/api/ports.ts';
import type { Database, Query } from '../../retrieval/ports.ts';

// Longer than any request takes; a request of a killed process is then done by whoever sends it again.
const ABANDONED_AFTER_SECONDS = 600;
const KEEP_HOURS = 24;

/** Keys of creating requests in the database, which all instances share. */
export function createIdempotencyStore({ database }: { readonly database: Database }): IdempotencyStore {
  return {
    begin: (request) => database.transaction((query) => begin(query, request)),
    async end({ tenantId, actor, key }, reference) {
      await database.transaction((query) =>
        query(
          `update idempotency_keys set status = 200, response = $4::jsonb
             where tenant_id = $1 and actor = $2 and key = $3`,
          [tenantId, actor, key, JSON.stringify({ reference })],
        ),
      );
    },
    async abandon({ tenantId, actor, key }) {
      await database.transaction((query) =>
        query('delete from idempotency_keys where tenant_id = $1 and actor = $2 and key = $3 and status is null', [
          tenantId,
          actor,
          key,
        ]),
      );
    },
  };
}

async function begin(
  query: Query,
  { tenantId, actor, key, digest }: RequestKey,
): Promise<Awaited<ReturnType<IdempotencyStore['begin']>>> {
  const begun = await query(
    `insert into idempotency_keys as k (tenant_id, actor, key, request_digest) values ($1, $2, $3, $4)
       on conflict (tenant_id, actor, key) do update set created_at = now()
         where k.status is null and k.request_digest = excluded.request_digest
           and k.created_at < now() - $5 * interval '1 second'
       returning 1 as one`,
    [tenantId, actor, key, digest, ABANDONED_AFTER_SECONDS],
  );
  if (begun.length > 0) return { state: 'new' };
  const rows = await query<{ digest: string; reference: string | null }>(
    `select request_digest as digest, response ->> 'reference' as reference from idempotency_keys
       where tenant_id = $1 and actor = $2 and key = $3`,
    [tenantId, actor, key],
  );
  const found = rows[0];
  // Abandoned in between: the sender asks again.
  if (!found) return { state: 'running' };
  if (found.digest !== digest) return { state: 'other' };
  return found.reference === null ? { state: 'running' } : { state: 'done', reference: found.reference };
}

/** Removes the keys of all tenants that are a day old. */
export async function expireIdempotencyKeys(query: Query): Promise<void> {
  await query(`delete from idempotency_keys where created_at < now() - $1 * interval '1 hour'`, [KEEP_HOURS]);
}
