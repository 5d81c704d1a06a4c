import type { Database } from '../retrieval/ports.ts';
import { bumpIndexVersion } from './acl.ts';
import { ensureEmbedder, findEmbedder } from './active-embedder.ts';
import { type EmbedChunksOptions, embedChunks, embeddingText } from './embed-chunks.ts';

const BATCH = 64; // chunks between two stores: a few seconds of work are lost at the most

interface Missing {
  chunk_id: string;
  title: string;
  heading_path: string[];
  text: string;
}

/** How making vectors that were missing ended. */
export interface EmbeddedMissing {
  readonly embedded: number;
  /** Chunks that are still without. */
  readonly missing: number;
  /** Why the embedder could not be used, with which the work ended; null = it could. */
  readonly away: unknown;
}

/**
 * Embeds the chunks of a tenant that have no vector of this embedder yet, in order of their ids, and goes on behind those
 * that it fails on. It ends when the embedder is away. Resumable: what is stored is not done again.
 */
export async function embedMissing(
  options: EmbedChunksOptions,
  tenantId: string,
  onProgress?: (embedded: number, total: number) => void,
): Promise<EmbeddedMissing> {
  const { database, embedder } = options;
  const known = await database.transaction((query) => findEmbedder(query, tenantId, embedder.id));
  const embedderId = known?.embedderId ?? null;
  const total = await countMissing(database, tenantId, embedderId);
  let after = '';
  let embedded = 0;
  let missing = 0;
  for (;;) {
    const chunks = await nextMissing(database, { tenantId, embedderId, after });
    const last = chunks.at(-1);
    if (!last) return { embedded, missing, away: null };
    after = last.chunk_id;
    const texts = chunks.map((chunk) => embeddingText(chunk.title, { headingPath: chunk.heading_path }, chunk.text));
    const names = { all: {}, each: (index: number) => ({ chunkId: chunks[index]?.chunk_id }) };
    const { vectors, away } = await embedChunks(options, { tenantId, texts, names });
    const rows = chunks.flatMap((chunk, index) =>
      vectors[index] ? [{ chunk_id: chunk.chunk_id, embedding: vectors[index] }] : [],
    );
    embedded += await storeVectors(options, tenantId, rows);
    missing += chunks.length - rows.length;
    onProgress?.(embedded, total);
    if (away) return { embedded, missing: Math.max(missing, total - embedded), away };
  }
}

async function nextMissing(
  database: Database,
  { tenantId, embedderId, after }: { tenantId: string; embedderId: number | null; after: string },
): Promise<Missing[]> {
  return database.transaction((query) =>
    query<Missing>(
      `select c.chunk_id, d.title, c.heading_path, c.text from chunks c
         join documents d on d.tenant_id = c.tenant_id and d.document_id = c.document_id
         where c.tenant_id = $1 and c.chunk_id > $2 and not exists (
           select 1 from chunk_embeddings e where e.tenant_id = $1 and e.access_level = c.access_level
             and e.embedder_id = $3 and e.chunk_id = c.chunk_id)
         order by c.chunk_id limit $4`,
      [tenantId, after, embedderId, BATCH],
    ),
  );
}

async function countMissing(database: Database, tenantId: string, embedderId: number | null): Promise<number> {
  const rows = await database.transaction((query) =>
    query<{ missing: number }>(
      `select (select count(*)::int from chunks where tenant_id = $1)
           - (select count(*)::int from chunk_embeddings where tenant_id = $1 and embedder_id = $2) as missing`,
      [tenantId, embedderId],
    ),
  );
  return rows[0]?.missing ?? 0;
}

// Joined to the chunks as they are now: a document forgotten meanwhile gets no vector back.
async function storeVectors(
  { database, embedder }: EmbedChunksOptions,
  tenantId: string,
  rows: readonly { chunk_id: string; embedding: readonly number[] }[],
): Promise<number> {
  const dimensions = rows[0]?.embedding.length;
  if (dimensions === undefined) return 0;
  const values = rows.map(({ chunk_id, embedding }) => ({ chunk_id, embedding: JSON.stringify(embedding) }));
  return database.transaction(async (query) => {
    const { embedderId, state } = await ensureEmbedder(query, tenantId, { id: embedder.id, dimensions });
    const stored = await query(
      `insert into chunk_embeddings (tenant_id, access_level, embedder_id, chunk_id, document_id, acl_id, effective_from,
           effective_to, embedding)
         select $1, c.access_level, $2, c.chunk_id, c.document_id, c.acl_id, c.effective_from, c.effective_to,
             r.embedding::halfvec
           from jsonb_to_recordset($3::jsonb) as r(chunk_id text, embedding text)
           join chunks c on c.tenant_id = $1 and c.chunk_id = r.chunk_id for key share of c
         on conflict do nothing returning chunk_id`,
      [tenantId, embedderId, JSON.stringify(values)],
    );
    // What is found by meaning from now on may answer otherwise.
    if (stored.length > 0 && state === 'active') await bumpIndexVersion(query, tenantId);
    return stored.length;
  });
}
