import type { Database, Embedder } from '../retrieval/ports.ts';
import { bumpIndexVersion } from './acl.ts';
import { ensureEmbedder, type TenantEmbedder } from './active-embedder.ts';
import { embedAll } from './embed-batches.ts';
import { embeddingText } from './index-document.ts';

const BATCH = 64; // chunks between two stores: a few seconds of work are lost at the most

interface Missing {
  chunk_id: string;
  title: string;
  heading_path: string[];
  text: string;
}

/**
 * Embeds the chunks of a tenant that have no vector of this embedder yet, in order of their ids, and goes on behind those
 * that fail. Resumable: what is stored is not done again.
 * @returns how many vectors were stored and how many chunks are still without.
 */
export async function embedMissing(
  { database, embedder }: { database: Database; embedder: Embedder },
  tenantId: string,
  onProgress?: (embedded: number, total: number) => void,
): Promise<{ embedded: number; missing: number }> {
  const known = await database.transaction((query) => ensureEmbedder(query, tenantId, embedder));
  const { embedderId } = known;
  const total = await countMissing(database, tenantId, embedderId);
  let after = '';
  let embedded = 0;
  let missing = 0;
  for (;;) {
    const chunks = await database.transaction((query) =>
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
    const last = chunks.at(-1);
    if (!last) return { embedded, missing };
    after = last.chunk_id;
    const texts = chunks.map((chunk) => embeddingText(chunk.title, { headingPath: chunk.heading_path }, chunk.text));
    const vectors = await embedAll(embedder, texts, {});
    const rows = chunks.flatMap((chunk, index) =>
      vectors[index] ? [{ chunk_id: chunk.chunk_id, embedding: JSON.stringify(vectors[index]) }] : [],
    );
    embedded += await storeVectors(database, tenantId, known, rows);
    missing += chunks.length - rows.length;
    onProgress?.(embedded, total);
  }
}

async function countMissing(database: Database, tenantId: string, embedderId: number): Promise<number> {
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
  database: Database,
  tenantId: string,
  { embedderId, state }: TenantEmbedder,
  rows: readonly { chunk_id: string; embedding: string }[],
): Promise<number> {
  if (rows.length === 0) return 0;
  return database.transaction(async (query) => {
    const stored = await query(
      `insert into chunk_embeddings (tenant_id, access_level, embedder_id, chunk_id, document_id, acl_id, effective_from,
           effective_to, embedding)
         select $1, c.access_level, $2, c.chunk_id, c.document_id, c.acl_id, c.effective_from, c.effective_to,
             r.embedding::halfvec
           from jsonb_to_recordset($3::jsonb) as r(chunk_id text, embedding text)
           join chunks c on c.tenant_id = $1 and c.chunk_id = r.chunk_id for key share of c
         on conflict do nothing returning chunk_id`,
      [tenantId, embedderId, JSON.stringify(rows)],
    );
    // What is found by meaning from now on may answer otherwise.
    if (stored.length > 0 && state === 'active') await bumpIndexVersion(query, tenantId);
    return stored.length;
  });
}
