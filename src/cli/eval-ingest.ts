// The texts of a set as documents: through the product's own submission and indexing, under exactly the set's layers.
import { createHash, randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { EVAL_URI_PREFIX } from '../../eval/ask-product.ts';
import { type CachedEmbedder, createCachedEmbedder } from '../../eval/cached-embedder.ts';
import type { CorpusText } from '../../eval/dataset.ts';
import type { IngestFigures } from '../../eval/render-report.ts';
import { type AclRequest, internAcl, type Layer, putLayer, requestedLayers } from '../../ingest/acl.ts';
import { setAcl } from '../../ingest/document-acl.ts';
import { submitDocument } from '../../ingest/documents.ts';
import { embedMissing } from '../../ingest/embed-missing.ts';
import { createIndexer } from '../../ingest/index-document.ts';
import type { Jobs, Outbox } from '../../ingest/ports.ts';
import { VerbatimError } from '../../retrieval/errors.ts';
import type { Query } from '../../retrieval/ports.ts';
import { createStopwatch } from '../../retrieval/search.ts';
import type { Product } from '../product.ts';
import { refreshFigures } from '../refresh-figures.ts';
import { buildVectorIndexes } from '../workers.ts';

/** The tenant of an evaluation's database. */
export const EVAL_TENANT = 'eval';

export interface EvalIngestOptions {
  /** Where vectors are remembered between runs. */
  readonly cacheDirectory: string;
  /** The documents are in already, from an earlier run. */
  readonly reused: boolean;
  readonly onProgress: (stage: 'submitted' | 'indexed', done: number) => void;
}

/**
 * Brings all texts of a set into a product of its own and waits until they can be found. A text that cannot be a document
 * (one without words) is counted in `failed`.
 */
export async function ingestTexts(
  product: Product,
  texts: readonly CorpusText[],
  { cacheDirectory, reused, onProgress }: EvalIngestOptions,
): Promise<IngestFigures & { readonly timingsMs: Record<string, number> }> {
  const embedder = await rememberVectors(product, cacheDirectory);
  const stopwatch = createStopwatch(Date.now);
  if (!reused) {
    const jobs = await stopwatch.time('submit', () =>
      submitAll(product, texts, (done) => onProgress('submitted', done)),
    );
    await stopwatch.time('index', () => indexAll(product, jobs, (done) => onProgress('indexed', done)));
    await stopwatch.time('permissions', () => putAcls(product, texts));
    await stopwatch.time('statistics', () => refreshFigures(product.database, EVAL_TENANT, true));
    await stopwatch.time('sort', () => product.database.outsideTransaction(SORT_VECTORS));
    await stopwatch.time('vectorIndexes', () => buildVectorIndexes(product));
  }
  const counted = await countIngested(product);
  return { ...counted, reused, embedded: embedder.counts, timingsMs: stopwatch.timings };
}

// The search, the answer model and the indexer hold the product's embedder, so what it does is replaced in place.
async function rememberVectors({ embedder }: Product, directory: string): Promise<CachedEmbedder> {
  const { id, dimensions } = embedder;
  const cached = await createCachedEmbedder({ id, dimensions, embed: embedder.embed.bind(embedder) }, directory);
  Object.assign(embedder, { embed: cached.embed });
  return cached;
}

// Of chunks at the same distance a vector search takes those that are stored first, and which of two documents is indexed
// first is chance: rows in the order of their ids make every run of a set the same.
const SORT_VECTORS = 'cluster chunk_embeddings using chunk_embeddings_pkey';

const DOCUMENTS_PER_TRANSACTION = 100; // a commit costs as much as storing several short texts

type IndexJob = Jobs['index-document'];

// The jobs are kept here and done by `indexAll`, so that the queue's own work is not measured with every document.
async function submitAll(
  { database }: Product,
  texts: readonly CorpusText[],
  onProgress: (done: number) => void,
): Promise<IndexJob[]> {
  const jobs: IndexJob[] = [];
  for (let first = 0; first < texts.length; first += DOCUMENTS_PER_TRANSACTION) {
    const batch = texts.slice(first, first + DOCUMENTS_PER_TRANSACTION);
    jobs.push(...(await database.transaction((query) => submitBatch(query, batch))));
    onProgress(jobs.length);
  }
  return jobs;
}

async function submitBatch(query: Query, texts: readonly CorpusText[]): Promise<IndexJob[]> {
  const jobs: IndexJob[] = [];
  for (const text of texts) {
    const { documentId, version } = await submitDocument(query, NO_OUTBOX, {
      tenantId: EVAL_TENANT,
      sourceId: 'eval',
      uri: `${EVAL_URI_PREFIX}${text.id}`,
      fileName: fileNameOf(text),
      mediaType: '',
      bytes: Buffer.from(text.text),
      title: text.title,
      acl: requestOf(text.acl),
      submittedBy: 'eval',
      newDocumentId: digestOf(text.id),
    });
    jobs.push({ tenantId: EVAL_TENANT, documentId, version });
  }
  return jobs;
}

const NO_OUTBOX: Outbox = { send: async () => undefined };

// A section of a Markdown page is Markdown; of everything else nothing is known, so it is read as it stands.
function fileNameOf({ id, doc }: CorpusText): string {
  return /\.(md|markdown)$/i.test(doc ?? '') ? `${digestOf(id)}.md` : `${digestOf(id)}.txt`;
}

// Chunks of equal score are ordered by their ids, which begin with the document's: from the text's id alone, so that every
// run has the same, and by a digest, so that no order of a set's ids (relevant ones first, say) decides.
function digestOf(textId: string): string {
  return createHash('sha256').update(textId).digest('hex').slice(0, 32);
}

const PUBLIC: Omit<AclRequest, 'allow' | 'require'> = { deny: [], grant: [], level: 'public' };

// What a request can say is indexed under its right ACL at once. The rest is for admins only until `putAcls`.
function requestOf(acl: CorpusText['acl']): AclRequest {
  const alternatives = acl.filter((layer) => layer.length !== 1);
  if (alternatives.length > 1) return { ...PUBLIC, allow: [], require: [] };
  return { ...PUBLIC, allow: alternatives[0] ?? [], require: acl.filter((layer) => layer.length === 1).flat() };
}

// As the product's workers do it, as many at a time.
async function indexAll(
  { config, database, embedder, logger }: Product,
  jobs: readonly IndexJob[],
  onProgress: (done: number) => void,
): Promise<void> {
  const index = createIndexer({
    database,
    embedder,
    outbox: NO_OUTBOX,
    workerId: randomUUID(),
    cutBelowSimilarity: config.cutBelowSimilarity,
    logger,
  });
  const limit = pLimit(config.indexWorkers);
  let done = 0;
  await Promise.all(
    jobs.map((job) =>
      limit(async () => {
        await index(job);
        onProgress(++done);
      }),
    ),
  );
  const { missing } = await embedMissing({ database, embedder, logger }, EVAL_TENANT);
  if (missing > 0) {
    throw new VerbatimError(
      'embedding_failed',
      `${missing} chunks could not be embedded by ${embedder.id}; see the log, and run it again: what is done is remembered`,
    );
  }
}

// The set's layers and no others: whatever the tagger took a text for, the level is `public`, which adds no layer.
async function putAcls({ database }: Product, texts: readonly CorpusText[]): Promise<void> {
  const wanted = new Map(texts.map(({ id, acl }) => [`${EVAL_URI_PREFIX}${id}`, acl]));
  await database.transaction(async (query) => {
    const aclIds = new Map<string, number>();
    const rows = await query<{ document_id: string; uri: string; acl_id: number }>(
      `select document_id, uri, acl_id from documents where tenant_id = $1 and state = 'live'`,
      [EVAL_TENANT],
    );
    for (const { document_id: documentId, uri, acl_id: current } of rows) {
      const acl = wanted.get(uri) ?? [];
      const key = JSON.stringify(acl);
      const aclId = aclIds.get(key) ?? (await aclOf(query, acl));
      aclIds.set(key, aclId);
      if (aclId !== current) await setAcl(query, EVAL_TENANT, documentId, aclId);
    }
  });
}

async function aclOf(query: Query, acl: CorpusText['acl']): Promise<number> {
  const layerIds: number[] = [];
  for (const principals of acl) layerIds.push(await putLayer(query, EVAL_TENANT, layerOf(principals)));
  return internAcl(query, EVAL_TENANT, { accessLevel: 'public', layerIds, denied: [] });
}

// The layer that a request for these principals makes, so that both are one; a request adds roles, a set does not.
function layerOf(principals: readonly string[]): Layer {
  const [requested] = requestedLayers({ ...PUBLIC, allow: principals, require: [] }, 'public');
  const same = (a: readonly string[], b: readonly string[]) =>
    JSON.stringify([...a].sort()) === JSON.stringify([...b].sort());
  if (requested && same(requested.principals, [...new Set(principals)])) return requested;
  const digest = createHash('sha256')
    .update(JSON.stringify([...principals].sort()))
    .digest('hex');
  return { node: `eval:any-of:${digest}`, principals };
}

async function countIngested({ database }: Product): Promise<Pick<IngestFigures, 'documents' | 'chunks' | 'failed'>> {
  return database.transaction(async (query) => {
    const [counts] = await query<{ documents: number; chunks: number }>(
      `select (select count(*)::int from documents where tenant_id = $1 and state = 'live') as documents,
           (select count(*)::int from chunks where tenant_id = $1) as chunks`,
      [EVAL_TENANT],
    );
    const failed = await query<{ id: string; reason: string }>(
      `select substr(uri, $2) as id, failure_code as reason from documents
         where tenant_id = $1 and failure_code is not null order by uri`,
      [EVAL_TENANT, EVAL_URI_PREFIX.length + 1],
    );
    return { documents: counts?.documents ?? 0, chunks: counts?.chunks ?? 0, failed };
  });
}
