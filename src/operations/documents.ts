import { randomUUID } from 'node:crypto';
import type { DocumentSummary, Documents, ForgetReceipt, NewDocument } from '../../adapters/ports.ts';
import type { AclRequest } from '../../ingest/acl.ts';
import { setQuarantine } from '../../ingest/document-acl.ts';
import { findDocumentSummary, listDocumentSummaries } from '../../ingest/document-summaries.ts';
import { submitDocument } from '../../ingest/documents.ts';
import { forgetDocument } from '../../ingest/forget-document.ts';
import { MAX_DOCUMENT_BYTES } from '../../ingest/parse-document.ts';
import { mediaTypeOfName } from '../../ingest/parsers/type-names.ts';
import type { Outbox } from '../../ingest/ports.ts';
import { parsePrincipal } from '../../retrieval/access-policy.ts';
import { UsageError } from '../../retrieval/errors.ts';
import type { Database, Query } from '../../retrieval/ports.ts';
import { readDocument } from '../../retrieval/read-document.ts';
import { audit } from '../audit.ts';
import { UPLOAD_SOURCE } from '../ingest-run.ts';

interface Parts {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly queue: { wake(queueName: string): void };
}

// An entry of the index that keeps URIs apart holds about 2,700 bytes.
const MAX_URI_BYTES = 2_000;

/** Blanks and controls, schemes that run something or that the product itself gives, and ways out of a folder. */
const UNUSABLE_URI = /[\s\p{C}]|^(?:javascript|data|vbscript|file|demo|stdin|upload):|(?:^|[/\\])\.\.(?:[/\\]|$)/iu;

/** Documents as admins and editors handle them, over the database. */
export function createDocuments(parts: Parts): Documents {
  const { database } = parts;
  return {
    submit: (tenantId, actor, document) => submit(parts, tenantId, actor, document),
    find: (tenantId, documentId) => database.transaction((query) => findDocumentSummary(query, tenantId, documentId)),
    list: (tenantId, filter) => database.transaction((query) => listDocumentSummaries(query, tenantId, filter)),
    forget: (tenantId, actor, documentId) =>
      database.transaction((query) => forget(query, tenantId, actor, documentId)),
    quarantine: (tenantId, actor, documentId) =>
      database.transaction((query) => changeQuarantine(query, tenantId, actor, documentId, true)),
    release: (tenantId, actor, documentId) =>
      database.transaction((query) => changeQuarantine(query, tenantId, actor, documentId, false)),
    read: (tenantId, audience, documentId) => readDocument(database, tenantId, audience, documentId),
  };
}

/** @throws UsageError for principals, sizes and URIs that cannot be; nothing is stored then. */
async function submit(
  { database, outbox, queue }: Parts,
  tenantId: string,
  actor: string,
  document: NewDocument,
): Promise<DocumentSummary> {
  const { bytes, title, fileName, mediaType, readers } = document;
  if (bytes.byteLength > MAX_DOCUMENT_BYTES) {
    throw new UsageError(`the document is larger than ${MAX_DOCUMENT_BYTES / 2 ** 20} MiB; split it`);
  }
  const uri = document.uri ?? `${UPLOAD_SOURCE}:${randomUUID()}`;
  if (document.uri !== undefined && UNUSABLE_URI.test(document.uri)) {
    throw new UsageError(
      'the URI is not one of a document; give its address, such as https://wiki.example.com/page, or a name',
    );
  }
  if (Buffer.byteLength(uri) > MAX_URI_BYTES) throw new UsageError(`the URI is longer than ${MAX_URI_BYTES} bytes`);
  const acl = readers && requestOf(readers);
  const summary = await database.transaction(async (query) => {
    const { documentId, outcome } = await submitDocument(query, outbox, {
      tenantId,
      // What others added is none of an editor's business: neither its content nor whether it is there.
      sourceId: document.replaces === 'any' ? UPLOAD_SOURCE : `${UPLOAD_SOURCE}:${actor}`,
      uri,
      fileName,
      mediaType: mediaType || mediaTypeOfName(fileName),
      bytes,
      acl,
      ...(title === undefined ? {} : { title }),
      submittedBy: actor,
      urgent: true,
    });
    await audit(query, tenantId, { actor, action: 'document.ingest', target: uri, details: { documentId, outcome } });
    return findDocumentSummary(query, tenantId, documentId);
  });
  queue.wake('index-document');
  if (!summary) throw new Error('a document was submitted and is not there');
  return summary;
}

function requestOf({ allow, require, level }: NonNullable<NewDocument['readers']>): AclRequest {
  return { allow: allow.map(parsePrincipal), require: require.map(parsePrincipal), deny: [], grant: [], level };
}

async function forget(
  query: Query,
  tenantId: string,
  actor: string,
  documentId: string,
): Promise<ForgetReceipt | null> {
  const posted = await query<{ count: number }>(
    `select count(distinct (p.platform, p.workspace, p.conversation, p.message))::int as count
       from posted_answers p
       join answers a on a.tenant_id = p.tenant_id and a.answer_id = p.answer_id and a.retracted_at is null
       join answer_citations c on c.tenant_id = p.tenant_id and c.answer_id = p.answer_id
       where p.tenant_id = $1 and c.document_id = $2 and coalesce(p.retraction, 'pending') = 'pending'`,
    [tenantId, documentId],
  );
  const receipt = await forgetDocument(query, tenantId, documentId, actor);
  if (!receipt) return null;
  await audit(query, tenantId, { actor, action: 'document.forget', target: receipt.uri, details: { documentId } });
  return { postedAnswers: posted[0]?.count ?? 0, ...receipt };
}

async function changeQuarantine(
  query: Query,
  tenantId: string,
  actor: string,
  documentId: string,
  quarantined: boolean,
): Promise<boolean> {
  const changed = await setQuarantine(query, tenantId, documentId, quarantined);
  const action = quarantined ? 'document.quarantine' : 'document.release';
  if (changed) await audit(query, tenantId, { actor, action, target: documentId });
  return changed;
}
