// The documents as truth: submitting and replacing. Indexing follows through the outbox.
import { createHash, randomUUID } from 'node:crypto';
import type { AccessLevel } from '../retrieval/model.ts';
import type { Query } from '../retrieval/ports.ts';
import { type AclRequest, ensureTenant, requestedAcl, strictestOf } from './acl.ts';
import { applyClassification, type StoredSubmission } from './classification.ts';
import { setAcl } from './document-acl.ts';
import type { Outbox } from './ports.ts';

/** A document as it comes in. */
export interface Submission {
  readonly tenantId: string;
  readonly sourceId: string;
  /** The document's name in its source; a second submission of the same replaces the first. */
  readonly uri: string;
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** null = leave as it is; on a first submission: admins only. */
  readonly acl: AclRequest | null;
  readonly title?: string;
  readonly effectiveFrom?: Date;
  readonly effectiveTo?: Date;
  readonly sourceChangedAt?: Date;
  readonly submittedBy: string;
  /** The id of the document when it is new; a random one where absent. */
  readonly newDocumentId?: string;
  /** Searchable by its words first, and by meaning when the embedder comes to it. */
  readonly embedLater?: boolean;
  /** Index it before what waits in a large batch. */
  readonly urgent?: boolean;
}

export interface Submitted {
  readonly documentId: string;
  readonly version: number;
  readonly outcome: 'queued' | 'unchanged' | 'acl_changed';
}

interface Known {
  document_id: string;
  state: string;
  version: number;
  pending_version: number | null;
  acl_id: number;
  sha256: string | null;
  submission: StoredSubmission | null;
}

type DocumentRow = Omit<Known, 'sha256' | 'submission'>;
const NO_VERSION = { sha256: null, submission: null };

const ADMINS_ONLY: AclRequest = { allow: [], require: [], deny: [], grant: [], level: null };

/**
 * Stores a document and queues its indexing, in the caller's transaction. Equal bytes change nothing but what the ACL
 * request changes. Until the new content is in, the old one is visible only to those whom both ACLs let in.
 */
export async function submitDocument(query: Query, outbox: Outbox, submission: Submission): Promise<Submitted> {
  const { tenantId } = submission;
  await ensureTenant(query, tenantId);
  await query(
    `insert into sources (tenant_id, source_id, kind) values ($1, $2, split_part($2, ':', 1)) on conflict do nothing`,
    [tenantId, submission.sourceId],
  );
  const sha256 = createHash('sha256').update(submission.bytes).digest('hex');
  const known = await findOrCreate(query, submission);
  const stored: StoredSubmission = {
    acl: submission.acl ?? known.submission?.acl ?? ADMINS_ONLY,
    title: submission.title ?? null,
    effectiveFrom: submission.effectiveFrom?.toISOString() ?? null,
    effectiveTo: submission.effectiveTo?.toISOString() ?? null,
  };
  if (known.sha256 === sha256 && known.state !== 'failed') return resubmit(query, known, stored, submission);
  const documentId = known.document_id;
  if (known.version > 0) await tightenTo(query, tenantId, known, stored.acl);
  const version = await insertVersion(query, documentId, submission, stored, sha256);
  await outbox.send(query, 'index-document', {
    tenantId,
    documentId,
    version,
    byteSize: submission.bytes.byteLength,
    ...(submission.embedLater ? { embedLater: true } : {}),
    ...(submission.urgent ? { urgent: true } : {}),
  });
  return { documentId, version, outcome: 'queued' };
}

// Whoever is second, of two that submit a document for the first time at once, finds that of the first.
async function findOrCreate(query: Query, submission: NewDocument): Promise<Known> {
  const known = (await findByUri(query, submission)) ?? (await insertDocument(query, submission));
  return known ?? findOrCreate(query, submission);
}

// The row is locked before its version is read: in one statement, whoever waited for the lock would get the row as it is now
// and the version as it was before, which is none, and with it the rights of a new document.
async function findByUri(query: Query, submission: NewDocument): Promise<Known | undefined> {
  const rows = await query<DocumentRow>(
    `select document_id, state, version, pending_version, acl_id from documents
       where tenant_id = $1 and source_id = $2 and uri = $3 and state <> 'deleted' for update`,
    [submission.tenantId, submission.sourceId, submission.uri],
  );
  const row = rows[0];
  if (!row) return undefined;
  const versions = await query<Pick<Known, 'sha256' | 'submission'>>(
    'select sha256, submission from document_versions where tenant_id = $1 and document_id = $2 and version = $3',
    [submission.tenantId, row.document_id, row.pending_version ?? row.version],
  );
  return { ...row, ...(versions[0] ?? NO_VERSION) };
}

type NewDocument = Pick<
  Submission,
  'tenantId' | 'sourceId' | 'uri' | 'fileName' | 'mediaType' | 'title' | 'submittedBy' | 'newDocumentId'
>;

/** @returns the new document, or undefined where another process has just made one of this URI. */
async function insertDocument(query: Query, submission: NewDocument): Promise<Known | undefined> {
  const rows = await query<DocumentRow>(
    `insert into documents (tenant_id, document_id, source_id, uri, title, media_type, state, access_level, created_by)
       values ($1, $2, $3, $4, $5, $6, 'pending', 'restricted', $7)
       on conflict (tenant_id, source_id, uri) where state <> 'deleted' do nothing
       returning document_id, state, version, pending_version, acl_id`,
    [
      submission.tenantId,
      submission.newDocumentId ?? randomUUID(),
      submission.sourceId,
      submission.uri,
      submission.title ?? submission.fileName,
      submission.mediaType,
      submission.submittedBy,
    ],
  );
  return rows[0] && { ...rows[0], ...NO_VERSION };
}

async function insertVersion(
  query: Query,
  documentId: string,
  submission: Submission,
  stored: StoredSubmission,
  sha256: string,
): Promise<number> {
  const rows = await query<{ version: number }>(
    `insert into document_versions
         (tenant_id, document_id, version, sha256, file_name, media_type, byte_size, original, submission, source_changed_at)
       select $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6, $7, $8::jsonb, $9
         from document_versions where tenant_id = $1 and document_id = $2
       returning version`,
    [
      submission.tenantId,
      documentId,
      sha256,
      submission.fileName,
      submission.mediaType,
      submission.bytes.byteLength,
      Buffer.from(submission.bytes),
      JSON.stringify(stored),
      submission.sourceChangedAt ?? null,
    ],
  );
  const version = rows[0]?.version ?? 1;
  // A lease on an older version is void: whoever works on it will find another version pending and stop.
  await query(
    `update documents set pending_version = $3, lease_owner = null, lease_until = null, failure_code = null,
         failure_reason = null, seen_at = now(), source_changed_at = $4,
         state = case when version = 0 then 'pending' else state end
       where tenant_id = $1 and document_id = $2`,
    [submission.tenantId, documentId, version, submission.sourceChangedAt ?? null],
  );
  await query(
    `update document_versions set original = null, text = null, blocks = null
       where tenant_id = $1 and document_id = $2 and version < $3
         and version <> (select version from documents where tenant_id = $1 and document_id = $2)`,
    [submission.tenantId, documentId, version],
  );
  return version;
}

// Equal content: only who may read it, or what it is called, can have changed.
async function resubmit(
  query: Query,
  known: Known,
  stored: StoredSubmission,
  submission: Submission,
): Promise<Submitted> {
  const version = known.pending_version ?? known.version;
  const result = { documentId: known.document_id, version };
  const merged: StoredSubmission = {
    acl: stored.acl,
    title: stored.title ?? known.submission?.title ?? null,
    effectiveFrom: stored.effectiveFrom ?? known.submission?.effectiveFrom ?? null,
    effectiveTo: stored.effectiveTo ?? known.submission?.effectiveTo ?? null,
  };
  if (JSON.stringify(sorted(merged)) === JSON.stringify(sorted(known.submission))) {
    // On its way since before, perhaps from a process that is gone: whoever submits it again waits for it all the same.
    return { ...result, outcome: known.pending_version === null ? 'unchanged' : 'queued' };
  }
  const { tenantId } = submission;
  await query(
    `update document_versions set submission = $4::jsonb where tenant_id = $1 and document_id = $2 and version = $3`,
    [tenantId, known.document_id, version, JSON.stringify(merged)],
  );
  if (known.pending_version === null) await applyClassification(query, tenantId, known.document_id);
  else if (known.version > 0) await tightenTo(query, tenantId, known, merged.acl);
  return { ...result, outcome: 'acl_changed' };
}

// jsonb gives keys back in its own order.
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

// Revocations go first: whoever the new request shuts out loses the old content at once. Nobody new gets in yet.
async function tightenTo(query: Query, tenantId: string, known: Known, request: AclRequest): Promise<void> {
  const rows = await query<{ access_level: AccessLevel }>(
    'select access_level from documents where tenant_id = $1 and document_id = $2',
    [tenantId, known.document_id],
  );
  const accessLevel = rows[0]?.access_level ?? 'restricted';
  const requested = await requestedAcl(query, tenantId, request, accessLevel);
  await setAcl(query, tenantId, known.document_id, await strictestOf(query, tenantId, known.acl_id, requested));
}

/** Records that a document could not even be read, so that the failure is seen where all others are. */
export async function recordUnreadable(
  query: Query,
  submission: Pick<Submission, 'tenantId' | 'sourceId' | 'uri' | 'fileName' | 'submittedBy'>,
  failure: { readonly code: string; readonly reason: string },
): Promise<string> {
  await ensureTenant(query, submission.tenantId);
  const { document_id: documentId } = await findOrCreate(query, { ...submission, mediaType: '' });
  await query(
    `update documents set failure_code = $3, failure_reason = $4, seen_at = now(),
         state = case when version = 0 and pending_version is null then 'failed' else state end
       where tenant_id = $1 and document_id = $2`,
    [submission.tenantId, documentId, failure.code, failure.reason],
  );
  return documentId;
}
