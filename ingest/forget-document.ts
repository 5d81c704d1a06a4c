import { forgetCachedAnswers } from '../retrieval/answer-cache.ts';
import type { Query } from '../retrieval/ports.ts';
import { bumpIndexVersion } from './acl.ts';
import { subtractTerms } from './statistics.ts';

/** What forgetting removed, and where. Counts are rows. */
export interface Receipt {
  readonly documentId: string;
  readonly uri: string;
  readonly title: string;
  readonly versions: number;
  readonly chunks: number;
  readonly vectors: number;
  /** Stored answers that quoted the document: their text and quotes are emptied. */
  readonly answers: number;
  /** Answers kept to be given again that quoted it. */
  readonly cachedAnswers: number;
}

/** A document that a person may mean by what they typed. */
export interface ForgetTarget {
  readonly documentId: string;
  readonly uri: string;
  readonly title: string;
  readonly state: string;
}

/** The documents whose id, URI or path is `target`; a folder's path or URI stands for all below it. */
export async function findForgetTargets(
  query: Query,
  tenantId: string,
  targets: readonly string[],
): Promise<ForgetTarget[]> {
  return query<ForgetTarget>(
    `select document_id as "documentId", uri, title, state from documents
       where tenant_id = $1 and state <> 'deleted' and exists (
         select 1 from unnest($2::text[]) target
           where document_id = target or uri = target or starts_with(uri, rtrim(target, '/') || '/'))
       order by uri`,
    [tenantId, targets],
  );
}

/**
 * Removes a document with everything made from it, and leaves a tombstone without content, in the caller's transaction:
 * when that commits, no search, answer or cache gives the document any more.
 */
export async function forgetDocument(
  query: Query,
  tenantId: string,
  documentId: string,
  forgottenBy: string,
): Promise<Receipt | null> {
  const rows = await query<{ uri: string; title: string; source_id: string }>(
    `select uri, title, source_id from documents
       where tenant_id = $1 and document_id = $2 and state <> 'deleted' for update`,
    [tenantId, documentId],
  );
  const document = rows[0];
  if (!document) return null;
  const key = [tenantId, documentId];
  const count = async (sql: string) => (await query<{ one: number }>(`${sql} returning 1 as one`, key)).length;
  await subtractTerms(query, tenantId, documentId);
  const vectors = await count('delete from chunk_embeddings where tenant_id = $1 and document_id = $2');
  const chunks = await count('delete from chunks where tenant_id = $1 and document_id = $2');
  const versions = await count('delete from document_versions where tenant_id = $1 and document_id = $2');
  const answers = await retractAnswers(query, tenantId, documentId);
  // First counted up, then removed: an answer that is being stored now sees the new version, or is seen here.
  await bumpIndexVersion(query, tenantId);
  const cachedAnswers = await forgetCachedAnswers(query, tenantId, documentId);
  const { uri, title } = document;
  const receipt: Receipt = { documentId, uri, title, versions, chunks, vectors, answers, cachedAnswers };
  await query(
    `update documents set state = 'deleted', title = '', pending_version = null, lease_owner = null, lease_until = null,
         classification = '{}', failure_code = null, failure_reason = null
       where tenant_id = $1 and document_id = $2`,
    key,
  );
  await query(
    `insert into tombstones (tenant_id, document_id, source_id, uri, deleted_by, receipt) values ($1, $2, $3, $4, $5, $6)`,
    [tenantId, documentId, document.source_id, uri, forgottenBy, JSON.stringify({ ...receipt, title: '' })],
  );
  return receipt;
}

/** Empties each stored answer that cites the document. Where it was posted, the notice replaces it. */
export async function retractAnswers(query: Query, tenantId: string, documentId: string): Promise<number> {
  const rows = await query(
    `update answers a set retracted_at = now(),
         body = body || '{"text": "", "citations": [], "confidence": null}'::jsonb
       where a.tenant_id = $1 and a.retracted_at is null and a.answer_id in (
         select c.answer_id from answer_citations c where c.tenant_id = $1 and c.document_id = $2)
       returning a.answer_id`,
    [tenantId, documentId],
  );
  return rows.length;
}
