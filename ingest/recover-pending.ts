import type { Database } from '../retrieval/ports.ts';
import { RECOVERY_OWNER } from './index-document.ts';
import type { Outbox } from './ports.ts';

// A job that was never begun is only late, as a rule, but its worker may have been killed between fetching and claiming it.
// So it is sent again after a minute, and marked, since a backlog need not be sent again in each sweep.
const UNBEGUN_MINUTES = 1;

/**
 * Sends the jobs of pending documents again whose worker gave no sign: a killed process loses time, never a document.
 * `everyLease` takes over what is still leased, for when no other process can be alive.
 */
export async function recoverPending(
  database: Database,
  outbox: Outbox,
  { everyLease }: { everyLease: boolean },
): Promise<number> {
  return database.transaction(async (query) => {
    const lost = await query<{ tenant_id: string; document_id: string; pending_version: number; byte_size: number }>(
      `update documents set lease_owner = $3, lease_until = now() + $1 * interval '1 minute'
         where pending_version is not null and state <> 'deleted'
           and ($2 or coalesce(lease_until, seen_at + $1 * interval '1 minute') < now())
         returning tenant_id, document_id, pending_version, coalesce((select v.byte_size::int from document_versions v
           where v.tenant_id = documents.tenant_id and v.document_id = documents.document_id
             and v.version = documents.pending_version), 0) as byte_size`,
      [UNBEGUN_MINUTES, everyLease, RECOVERY_OWNER],
    );
    for (const row of lost) {
      await outbox.send(query, 'index-document', {
        tenantId: row.tenant_id,
        documentId: row.document_id,
        version: row.pending_version,
        byteSize: row.byte_size,
      });
    }
    return lost.length;
  });
}

/**
 * Makes documents pending again that an earlier release gave up because the embedder failed on all of their texts, mostly
 * because it was away. Nothing gives a document up for that any more, so once is enough: when workers start. Their lease is
 * over at once, so that `recoverPending` sends their jobs.
 */
export async function reviveUnembedded(database: Database): Promise<void> {
  await database.transaction((query) =>
    query(
      `with newest as (
         select d.tenant_id, d.document_id, max(v.version) as version from documents d
           join document_versions v on v.tenant_id = d.tenant_id and v.document_id = d.document_id
           where d.failure_code = 'embedding_failed' and d.state <> 'deleted' and v.original is not null
           group by d.tenant_id, d.document_id
       ) update documents d set pending_version = n.version, failure_code = null, failure_reason = null, lease_until = now(),
             state = case when d.version = 0 then 'pending' else d.state end
           from newest n where d.tenant_id = n.tenant_id and d.document_id = n.document_id and n.version > d.version
             and d.failure_code = 'embedding_failed' and d.pending_version is null`,
    ),
  );
}
