// Who may read a stored document, on its row and on the chunks and vectors that a search filters.
import type { Query } from '../retrieval/ports.ts';
import { bumpIndexVersion } from './acl.ts';

/**
 * Puts the document and its chunks under an ACL. A quarantined document's chunks keep ACL 0, which nobody satisfies.
 * Chunks move between partitions when the level changes.
 */
export async function setAcl(query: Query, tenantId: string, documentId: string, aclId: number): Promise<void> {
  await query(
    `update documents d set acl_id = a.acl_id, access_level = a.access_level
       from acls a where d.tenant_id = $1 and d.document_id = $2 and a.tenant_id = $1 and a.acl_id = $3`,
    [tenantId, documentId, aclId],
  );
  await restampChunks(query, tenantId, documentId);
}

// The copies of what filters a search, on each chunk and vector, follow the document's row.
async function restampChunks(query: Query, tenantId: string, documentId: string): Promise<void> {
  for (const table of ['chunks', 'chunk_embeddings']) {
    await query(
      `update ${table} c set acl_id = case when d.state = 'live' then d.acl_id else 0 end,
           access_level = d.access_level, effective_from = d.effective_from, effective_to = d.effective_to
         from documents d
         where c.tenant_id = $1 and c.document_id = $2 and d.tenant_id = $1 and d.document_id = $2
           and (c.acl_id, c.access_level, c.effective_from, c.effective_to) is distinct from
             (case when d.state = 'live' then d.acl_id else 0 end, d.access_level, d.effective_from, d.effective_to)`,
      [tenantId, documentId],
    );
  }
  await bumpIndexVersion(query, tenantId);
}

/** Takes a live document out of all answers at once, or back in; nothing is indexed again. */
export async function setQuarantine(
  query: Query,
  tenantId: string,
  documentId: string,
  quarantined: boolean,
): Promise<boolean> {
  const rows = await query(
    `update documents set state = $3 where tenant_id = $1 and document_id = $2 and state = $4 returning document_id`,
    quarantined ? [tenantId, documentId, 'quarantined', 'live'] : [tenantId, documentId, 'live', 'quarantined'],
  );
  if (rows.length > 0) await restampChunks(query, tenantId, documentId);
  return rows.length > 0;
}
