// Documents as admins and editors look at them: without content, with what they are and who may read them in words.
import type { DocumentState, DocumentSummary } from '../retrieval/document-summary.ts';
import type { Query } from '../retrieval/ports.ts';
import { readPageCursor, writePageCursor } from './page-cursor.ts';

export interface DocumentFilter {
  readonly state?: DocumentState;
  /** Part of the title or the URI, without regard to case. */
  readonly search?: string;
  /** Only what this person submitted. */
  readonly createdBy?: string;
  /** What the page before gave as `nextCursor`. */
  readonly cursor?: string;
  readonly limit: number;
}

/** SQL for the ACL `a` of a document of tenant $1 in words: layers joined by "and", principals of a layer by "or". */
export const READERS_IN_WORDS = `coalesce((select string_agg(layer.words, ' and ' order by layer.words) from (
    select '(' || string_agg(lp.principal, ' or ' order by lp.principal) || ')' as words
      from unnest(a.layer_ids) id join acl_layer_principals lp on lp.tenant_id = $1 and lp.layer_id = id
      group by id) layer), '')
  || case when a.denied <> '{}' then ' not ' || array_to_string(a.denied, ', ') else '' end`;

const GROUP_NAMES = `coalesce((select jsonb_object_agg(g.principal, g.name) from groups g
    where g.tenant_id = $1 and (g.principal = any(a.denied) or g.principal in (
      select lp.principal from acl_layer_principals lp where lp.tenant_id = $1 and lp.layer_id = any(a.layer_ids)))), '{}')`;

const SUMMARY = `select d.document_id as "documentId", d.title, d.uri, d.state, d.version, d.media_type as "mediaType",
    d.access_level as "accessLevel", d.department, coalesce(${READERS_IN_WORDS}, '') as readers,
    ${GROUP_NAMES} as "groupNames",
    (select count(*)::int from chunks c where c.tenant_id = $1 and c.document_id = d.document_id) as chunks,
    case when d.failure_code is not null
      then jsonb_build_object('code', d.failure_code, 'reason', coalesce(d.failure_reason, '')) end as failure,
    d.created_by as "createdBy", d.took_effect_at as "tookEffectAt"`;
const FROM = 'from documents d left join acls a on a.tenant_id = d.tenant_id and a.acl_id = d.acl_id';

/** One document in any state; null when there never was one of that id in the tenant. */
export async function findDocumentSummary(
  query: Query,
  tenantId: string,
  documentId: string,
): Promise<DocumentSummary | null> {
  const rows = await query<DocumentSummary>(`${SUMMARY} ${FROM} where d.tenant_id = $1 and d.document_id = $2`, [
    tenantId,
    documentId,
  ]);
  return rows[0] ?? null;
}

/**
 * A page of documents, newest first; deleted ones only when `state` asks for them.
 * @throws UsageError for a cursor that no page gave.
 */
export async function listDocumentSummaries(
  query: Query,
  tenantId: string,
  { state, search, createdBy, cursor, limit }: DocumentFilter,
): Promise<{ documents: DocumentSummary[]; nextCursor: string | null }> {
  const after = cursor === undefined ? null : readPageCursor(cursor);
  const rows = await query<DocumentSummary & { createdAt?: string }>(
    `${SUMMARY}, d.created_at::text as "createdAt" ${FROM}
       where d.tenant_id = $1
         and (case when $2::text is null then d.state <> 'deleted' else d.state = $2 end)
         and ($3::text is null or strpos(lower(d.title), lower($3)) > 0 or strpos(lower(d.uri), lower($3)) > 0)
         and ($7::text is null or d.created_by = $7)
         and ($4::timestamptz is null or (d.created_at, d.document_id) < ($4::timestamptz, $5::text))
       order by d.created_at desc, d.document_id desc limit $6`,
    [tenantId, state ?? null, search ?? null, after?.time ?? null, after?.id ?? null, limit + 1, createdBy ?? null],
  );
  const documents = rows.slice(0, limit);
  const last = documents.at(-1);
  const more = rows.length > limit && last !== undefined;
  const nextCursor = more ? writePageCursor({ time: last.createdAt ?? '', id: last.documentId }) : null;
  return { documents: documents.map(({ createdAt: _, ...summary }) => summary), nextCursor };
}
