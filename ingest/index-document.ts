// From a stored original to live chunks: parse, tag, chunk, embed, and one transaction that makes the new version take
// the old one's place. Done twice it changes nothing; cut short it leaves nothing.

import type { Database, Embedder, Logger } from '../retrieval/ports.ts';
import { bumpIndexVersion } from './acl.ts';
import { ensureEmbedder } from './active-embedder.ts';
import { chunkDocument, chunkedPieces, type DocumentChunk } from './chunk-document.ts';
import { semanticCuts } from './chunk-semantic.ts';
import type { StoredSubmission } from './classification.ts';
import { embedChunks, embeddingText } from './embed-chunks.ts';
import { insertChunks, makeLive, type PreparedDocument } from './make-live.ts';
import { parseDocument } from './parse-document.ts';
import { type ParsedDocument, ParseError } from './parsed-document.ts';
import type { Jobs, Outbox } from './ports.ts';

/** How long a worker is believed to be alive without a sign, and how often it gives one. Milliseconds. */
const LEASE_MS = 15_000;
const RENEW_MS = 4_000;

/** The owner of a lease that only says that the job was sent again; it keeps nobody from the document. */
export const RECOVERY_OWNER = 'recovery';

/** What happens to documents on the way, for progress and logs. No text. */
export interface IndexEvent {
  readonly documentId: string;
  readonly uri: string;
  readonly step: 'parsed' | 'embedded' | 'live' | 'failed';
  readonly chunks?: number;
  readonly reason?: string;
}

export interface IndexerOptions {
  readonly database: Database;
  readonly outbox: Outbox;
  readonly embedder: Embedder;
  readonly logger: Pick<Logger, 'warn'>;
  /** Names this process in leases. */
  readonly workerId: string;
  /** Chunks also begin where neighbouring sentences have a similarity below this, 0…1; null or absent = not. */
  readonly cutBelowSimilarity?: number | null;
  readonly onEvent?: (event: IndexEvent) => void;
}

interface Work {
  embedLater?: boolean;
  tenantId: string;
  documentId: string;
  version: number;
  uri: string;
  title: string;
  language: string;
  file_name: string;
  media_type: string;
  original: Uint8Array;
  submission: StoredSubmission;
}

/** Makes the handler of `index-document` jobs. Resolves to whether this call did the work. */
export function createIndexer(options: IndexerOptions): (job: Jobs['index-document']) => Promise<boolean> {
  const steps = createSteps(options);
  return async (job) => {
    const work = await claim(options, job);
    if (!work) return false;
    const renewal = setInterval(() => void renew(options, job).catch(() => undefined), RENEW_MS);
    renewal.unref();
    try {
      const prepared = await prepare(options, steps, work);
      return await commit(options, work, prepared);
    } catch (error) {
      if (!(error instanceof ParseError)) {
        await release(options, job);
        throw error;
      }
      await recordFailure(options, work, error.code, error.message);
      return true;
    } finally {
      clearInterval(renewal);
    }
  };
}

async function claim({ database, workerId }: IndexerOptions, job: Jobs['index-document']): Promise<Work | undefined> {
  const rows = await database.transaction((query) =>
    query<Omit<Work, 'tenantId' | 'documentId' | 'version'>>(
      `with claimed as (
         update documents set lease_owner = $4, lease_until = now() + $5 * interval '1 millisecond'
           where tenant_id = $1 and document_id = $2 and pending_version = $3 and state <> 'deleted'
             and (lease_until is null or lease_until < now() or lease_owner = $6)
           returning tenant_id, document_id, uri, title, language
       ) select c.uri, c.title, c.language, v.file_name, v.media_type, v.original, v.submission
           from claimed c join document_versions v
             on v.tenant_id = c.tenant_id and v.document_id = c.document_id and v.version = $3`,
      [job.tenantId, job.documentId, job.version, workerId, LEASE_MS, RECOVERY_OWNER],
    ),
  );
  return rows[0] && { ...job, ...rows[0] };
}

async function renew({ database, workerId }: IndexerOptions, job: Jobs['index-document']): Promise<void> {
  await database.transaction((query) =>
    query(
      `update documents set lease_until = now() + $5 * interval '1 millisecond'
         where tenant_id = $1 and document_id = $2 and pending_version = $3 and lease_owner = $4`,
      [job.tenantId, job.documentId, job.version, workerId, LEASE_MS],
    ),
  );
}

async function release({ database, workerId }: IndexerOptions, job: Jobs['index-document']): Promise<void> {
  await database.transaction((query) =>
    query(
      `update documents set lease_owner = null, lease_until = null
         where tenant_id = $1 and document_id = $2 and pending_version = $3 and lease_owner = $4`,
      [job.tenantId, job.documentId, job.version, workerId],
    ),
  );
}

async function prepare({ onEvent }: IndexerOptions, steps: Steps, work: Work): Promise<PreparedDocument> {
  const { documentId, uri } = work;
  const parsed = storableDocument(
    await parseDocument({ bytes: work.original, name: work.file_name, mediaType: work.media_type }),
  );
  const title = work.submission.title ?? parsed.title ?? titleFromName(work.file_name);
  const chunks = await steps.chunk(work, parsed);
  onEvent?.({ documentId, uri, step: 'parsed', chunks: chunks.length });
  if (work.embedLater) return { parsed, title, chunks, vectors: chunks.map(() => null) };
  const texts = chunks.map((chunk) => embeddingText(title, chunk, parsed.text.slice(chunk.start, chunk.end)));
  const vectors = await steps.embed(work, texts);
  onEvent?.({ documentId, uri, step: 'embedded', chunks: chunks.length });
  return { parsed, title, chunks, vectors };
}

type Named = Pick<Work, 'tenantId' | 'documentId'>;

/** What asks the embedder. */
interface Steps {
  chunk(work: Named, parsed: ParsedDocument): Promise<DocumentChunk[]>;
  embed(work: Named, texts: readonly string[]): Promise<PreparedDocument['vectors']>;
}

// While the embedder is away each document asks for it once a step, without the delays of a bad minute: a thousand documents
// must not wait for a thousand of them to be found by their words.
function createSteps(options: IndexerOptions): Steps {
  const { embedder, cutBelowSimilarity, logger } = options;
  let wasAway = false;
  const waiting = () => (wasAway ? { retries: 0 } : {});
  return {
    async chunk({ tenantId, documentId }, parsed) {
      if (cutBelowSimilarity == null) return chunkDocument(parsed);
      const onAway = (err: unknown) => {
        wasAway = true;
        const fields = { tenantId, documentId, embedderId: embedder.id, err };
        logger.warn(fields, 'the embedder cannot be used; the document is cut by its length alone');
      };
      const how = { embedder, similarity: cutBelowSimilarity, onAway, ...waiting() };
      return chunkDocument(parsed, { cuts: await semanticCuts(parsed.text, chunkedPieces(parsed), how) });
    },
    async embed({ tenantId, documentId }, texts) {
      const names = { all: { documentId }, each: (chunk: number) => ({ chunk }) };
      const { vectors, away } = await embedChunks(options, { tenantId, texts, names, ...waiting() });
      if (texts.length > 0) wasAway = away !== null;
      return vectors;
    },
  };
}

function titleFromName(fileName: string): string {
  return (
    fileName
      .replace(/\.[a-z0-9]{1,8}$/i, '')
      .replace(/[-_]+/g, ' ')
      .trim() || fileName
  );
}

async function commit(options: IndexerOptions, work: Work, prepared: PreparedDocument): Promise<boolean> {
  const { database, embedder, outbox, workerId, onEvent } = options;
  const { tenantId, documentId, version } = work;
  const done = await database.transaction(async (query) => {
    const held = await query<{ state: string; submission: StoredSubmission }>(
      `select d.state, v.submission from documents d join document_versions v
           on v.tenant_id = d.tenant_id and v.document_id = d.document_id and v.version = d.pending_version
         where d.tenant_id = $1 and d.document_id = $2 and d.pending_version = $3 and d.lease_owner = $4
           and d.state <> 'deleted' for update of d`,
      [tenantId, documentId, version, workerId],
    );
    const current = held[0];
    if (!current) return false;
    const dimensions = prepared.vectors.find((vector) => vector !== null)?.length;
    // Whoever came first with another size meanwhile is right; the job is done again and finds it.
    const tenantEmbedder =
      dimensions === undefined ? null : await ensureEmbedder(query, tenantId, { id: embedder.id, dimensions });
    await makeLive(query, { ...work, submission: current.submission }, prepared, current.state === 'quarantined');
    await insertChunks(query, work, prepared, tenantEmbedder?.embedderId ?? null);
    await bumpIndexVersion(query, tenantId);
    if (prepared.vectors.includes(null)) await outbox.send(query, 'embed-missing', { tenantId });
    return true;
  });
  if (done) onEvent?.({ documentId, uri: work.uri, step: 'live', chunks: prepared.chunks.length });
  return done;
}

/** Records why the pending version is none. What was live before stays live. */
async function recordFailure(options: IndexerOptions, work: Work, code: string, reason: string): Promise<void> {
  await options.database.transaction(async (query) => {
    await query(
      `update documents set pending_version = null, lease_owner = null, lease_until = null,
           failure_code = $4, failure_reason = $5, state = case when version = 0 then 'failed' else state end
         where tenant_id = $1 and document_id = $2 and pending_version = $3`,
      [work.tenantId, work.documentId, work.version, code, reason.toWellFormed().replaceAll('\u0000', '\uFFFD')],
    );
  });
  options.onEvent?.({ documentId: work.documentId, uri: work.uri, step: 'failed', reason: `${code}: ${reason}` });
}

// PostgreSQL stores neither U+0000 nor half a surrogate pair. Both become U+FFFD, which keeps all offsets.
function storableDocument(parsed: ParsedDocument): ParsedDocument {
  const storable = (text: string) => text.replaceAll('\u0000', '\uFFFD').toWellFormed();
  return {
    ...parsed,
    title: parsed.title === null ? null : storable(parsed.title),
    text: storable(parsed.text),
    blocks: parsed.blocks.map((block) => (block.heading ? { ...block, heading: storable(block.heading) } : block)),
    properties: Object.fromEntries(
      Object.entries(parsed.properties).map(([key, value]) => [storable(key), storable(value)]),
    ),
  };
}
