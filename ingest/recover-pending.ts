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
