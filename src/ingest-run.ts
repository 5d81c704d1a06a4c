// One run of ingesting: everything is submitted, then the run waits until each document has ended one way or the other.
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { AclRequest } from '../ingest/acl.ts';
import { recordUnreadable, type Submission, type Submitted, submitDocument } from '../ingest/documents.ts';
import { MAX_DOCUMENT_BYTES } from '../ingest/parse-document.ts';
import { mediaTypeOfName } from '../ingest/parsers/type-names.ts';
import { VerbatimError } from '../retrieval/errors.ts';
import { audit } from './audit.ts';
import type { Product } from './product.ts';
import { refreshFigures } from './refresh-figures.ts';

/** The source of everything that is uploaded or ingested by command. */
export const UPLOAD_SOURCE = 'upload';

/** A document to come: `read` gets its bytes when its turn comes, so that a run holds one at a time. */
export interface Intake {
  readonly uri: string;
  readonly fileName: string;
  readonly read: () => Promise<{ bytes: Uint8Array; mediaType: string; changedAt?: Date }>;
  readonly acl: AclRequest | null;
  readonly title?: string;
  readonly effectiveFrom?: Date;
  readonly effectiveTo?: Date;
}

/** How one document ended. */
export interface IngestedDocument {
  readonly documentId: string;
  readonly uri: string;
  readonly outcome: 'indexed' | 'unchanged' | 'acl_changed' | 'failed';
  readonly version: number;
  readonly accessLevel: string;
  readonly chunks: number;
  readonly failure: { readonly code: string; readonly reason: string } | null;
  readonly classification: readonly string[];
}

export interface IngestRunOptions {
  readonly tenantId: string;
  readonly submittedBy: string;
  readonly sourceId?: string;
  /** Do not wait for the embedder: the documents are found by their words at once. */
  readonly embedLater?: boolean;
  readonly onProgress?: (progress: { submitted: number; done: number; total: number }) => void;
}

const POLL_MS = 150;
const SMALL_RUN = 5; // documents; they do not wait behind somebody's thousands

/** Submits all, indexes them in this process (and wherever else workers run), and reports on each in order. */
export async function ingestAll(
  product: Product,
  intakes: readonly Intake[],
  options: IngestRunOptions,
): Promise<IngestedDocument[]> {
  await product.startWorkers();
  const small = intakes.length <= SMALL_RUN;
  const submitted: {
    intake: Intake;
    result: Submitted | { documentId: string; outcome: 'unreadable'; version: number };
  }[] = [];
  const report = (done: number) => options.onProgress?.({ submitted: submitted.length, done, total: intakes.length });
  for (const intake of intakes) {
    submitted.push({ intake, result: await submitOne(product, intake, { ...options, small }) });
    product.queue.wake('index-document');
    report(0);
  }
  const queued = submitted.flatMap(({ result }) => (result.outcome === 'queued' ? [result.documentId] : []));
  for (;;) {
    const pending = await countPending(product, options.tenantId, queued);
    report(intakes.length - pending);
    if (pending === 0) break;
    await sleep(POLL_MS);
  }
  if (queued.length > 0) await refreshFigures(product.database, options.tenantId);
  return describe(product, options.tenantId, submitted);
}

async function submitOne(
  { database, outbox }: Product,
  intake: Intake,
  { tenantId, submittedBy, sourceId = UPLOAD_SOURCE, embedLater = false, small }: IngestRunOptions & { small: boolean },
): Promise<Submitted | { documentId: string; outcome: 'unreadable'; version: number }> {
  const base = { tenantId, sourceId, uri: intake.uri, fileName: intake.fileName, submittedBy };
  let content: Awaited<ReturnType<Intake['read']>>;
  try {
    content = await intake.read();
  } catch (error) {
    const code = error instanceof VerbatimError ? error.code : 'unreadable';
    const reason = error instanceof Error ? error.message : String(error);
    const documentId = await database.transaction((query) => recordUnreadable(query, base, { code, reason }));
    return { documentId, outcome: 'unreadable', version: 0 };
  }
  const submission: Submission = {
    ...base,
    mediaType: content.mediaType || mediaTypeOfName(intake.fileName),
    bytes: content.bytes,
    acl: intake.acl,
    embedLater,
    urgent: small,
    ...(intake.title === undefined ? {} : { title: intake.title }),
    ...(intake.effectiveFrom ? { effectiveFrom: intake.effectiveFrom } : {}),
    ...(intake.effectiveTo ? { effectiveTo: intake.effectiveTo } : {}),
    ...(content.changedAt ? { sourceChangedAt: content.changedAt } : {}),
  };
  return database.transaction(async (query) => {
    const result = await submitDocument(query, outbox, submission);
    const details = { documentId: result.documentId, outcome: result.outcome };
    await audit(query, tenantId, { actor: submittedBy, action: 'document.ingest', target: intake.uri, details });
    return result;
  });
}

async function countPending({ database }: Product, tenantId: string, documentIds: readonly string[]): Promise<number> {
  const rows = await database.transaction((query) =>
    query<{ pending: number }>(
      `select count(*)::int as pending from documents
         where tenant_id = $1 and document_id = any($2::text[]) and pending_version is not null`,
      [tenantId, documentIds],
    ),
  );
  return rows[0]?.pending ?? 0;
}

async function describe(
  { database }: Product,
  tenantId: string,
  submitted: readonly { intake: Intake; result: { documentId: string; outcome: string } }[],
): Promise<IngestedDocument[]> {
  const rows = await database.transaction((query) =>
    query<{
      document_id: string;
      version: number;
      access_level: string;
      failure_code: string | null;
      failure_reason: string | null;
      classification: string[];
      chunks: number;
    }>(
      `select document_id, version, access_level, failure_code, failure_reason, classification,
           (select count(*)::int from chunks c where c.tenant_id = d.tenant_id and c.document_id = d.document_id) as chunks
         from documents d where tenant_id = $1 and document_id = any($2::text[])`,
      [tenantId, submitted.map(({ result }) => result.documentId)],
    ),
  );
  const byId = new Map(rows.map((row) => [row.document_id, row]));
  return submitted.map(({ intake, result }) => {
    const row = byId.get(result.documentId);
    const failed = row?.failure_code != null;
    const outcome = failed ? 'failed' : result.outcome === 'queued' ? 'indexed' : result.outcome;
    return {
      documentId: result.documentId,
      uri: intake.uri,
      outcome: outcome as IngestedDocument['outcome'],
      version: row?.version ?? 0,
      accessLevel: row?.access_level ?? 'restricted',
      chunks: row?.chunks ?? 0,
      failure: failed ? { code: row.failure_code ?? '', reason: row.failure_reason ?? '' } : null,
      classification: row?.classification ?? [],
    };
  });
}

/** A file is too large to be a document. */
class TooLargeError extends VerbatimError {
  constructor(bytes: number) {
    const limit = MAX_DOCUMENT_BYTES / 2 ** 20;
    super('too_large', `the file has ${Math.ceil(bytes / 2 ** 20)} MiB, the limit is ${limit} MiB; split it`);
  }
}

// What Node puts for bytes of a name that are not UTF-8; under that name there is no file.
const REPLACEMENT = '\ufffd';

/** A file has a name that cannot be spoken of: URIs, titles and what people type are Unicode. */
class UndecodableNameError extends VerbatimError {
  constructor(cause: unknown) {
    super(
      'undecodable_name',
      'its name, or that of a folder above it, is not UTF-8 (as archives of other systems have them); rename it, ' +
        'for example with convmv -f latin1 -t utf8',
      { cause },
    );
  }
}

/** A file on disk as a document; its URI is its `file:` URL. */
export function fileIntake(path: string, acl: AclRequest | null): Intake {
  return {
    uri: pathToFileURL(path).href,
    fileName: basename(path),
    acl,
    read: async () => {
      const { size, mtime } = await stat(path).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' && path.includes(REPLACEMENT) ? new UndecodableNameError(error) : error;
      });
      if (size > MAX_DOCUMENT_BYTES) throw new TooLargeError(size);
      return { bytes: await readFile(path), mediaType: '', changedAt: mtime };
    },
  };
}
