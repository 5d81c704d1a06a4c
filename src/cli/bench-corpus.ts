// Synthetic chunks as rows, where an ingest would have put them: parsing and embedding are measured elsewhere.
import type { SyntheticChunk, SyntheticCorpus } from '../../eval/bench/synthetic-corpus.ts';
import { VECTOR_DIMENSIONS } from '../../eval/bench/synthetic-corpus.ts';
import { ensureTenant, internAcl, putLayer } from '../../ingest/acl.ts';
import { ensureEmbedder } from '../../ingest/active-embedder.ts';
import { refreshStatistics } from '../../ingest/statistics.ts';
import type { Query } from '../../retrieval/ports.ts';
import type { DatabaseClient } from '../database/pool.ts';

/** The tenant of a benchmark's database. */
export const BENCH_TENANT = 'bench';
/** The id under which synthetic vectors are stored. */
export const BENCH_EMBEDDER = { id: 'bench:synthetic@1', dimensions: VECTOR_DIMENSIONS };

const BATCH = 500; // chunks a statement: two megabytes of vectors

// Not there while the rows come: into the term index each of 100,000 chunks would put 50 entries, at a cost that grows with
// it, and at the end it is built in seconds.
const TERM_INDEX = 'chunks_by_term';

/** The principal that reads a group. */
export function groupPrincipal(group: number): string {
  return `verbatim:group:bench-${group}`;
}

/**
 * Stores `count` chunks of the corpus, ten a document, each document under the ACL of its group; then the statistics. Goes on
 * where an earlier fill ended.
 */
export async function fillCorpus(
  database: DatabaseClient,
  corpus: SyntheticCorpus,
  { count, groups, onProgress }: { count: number; groups: number; onProgress: (done: number) => void },
): Promise<void> {
  const { stored, counted } = await readFilled(database);
  if (stored >= count && counted) return;
  const aclIds = await database.transaction(async (query) => {
    await ensureTenant(query, BENCH_TENANT);
    await ensureEmbedder(query, BENCH_TENANT, BENCH_EMBEDDER);
    await query(
      `insert into sources (tenant_id, source_id, kind) values ($1, 'bench', 'bench') on conflict do nothing`,
      [BENCH_TENANT],
    );
    return makeAcls(query, groups);
  });
  await database.outsideTransaction(`drop index if exists ${TERM_INDEX}`);
  for (let first = stored; first < count; first += BATCH) {
    const chunks = corpus.batch(first, Math.min(BATCH, count - first));
    await database.transaction((query) => insertBatch(query, chunks, aclIds));
    onProgress(first + chunks.length);
  }
  await database.outsideTransaction(`create index ${TERM_INDEX} on chunks using gin (tsv)`);
  await database.outsideTransaction('analyze');
  // Last, since it says that the fill is complete.
  await database.transaction((query) => refreshStatistics(query, BENCH_TENANT, true));
}

async function readFilled(database: DatabaseClient): Promise<{ stored: number; counted: boolean }> {
  const rows = await database.owner((query) =>
    query<{ stored: number; counted: boolean }>(
      `select count(*)::int as stored,
           coalesce((select chunk_count from corpus_statistics where tenant_id = $1), -1) = count(*) as counted
         from chunk_embeddings where tenant_id = $1`,
      [BENCH_TENANT],
    ),
  );
  return rows[0] ?? { stored: 0, counted: false };
}

async function makeAcls(query: Query, groups: number): Promise<number[]> {
  const aclIds: number[] = [];
  for (let group = 0; group < groups; group++) {
    const layer = { node: `bench:${group}`, principals: [groupPrincipal(group)] };
    const layerIds = [await putLayer(query, BENCH_TENANT, layer)];
    aclIds.push(await internAcl(query, BENCH_TENANT, { accessLevel: 'public', layerIds, denied: [] }));
  }
  return aclIds;
}

async function insertBatch(query: Query, chunks: readonly SyntheticChunk[], aclIds: readonly number[]): Promise<void> {
  const rows = chunks.map(({ number, document, group, text, vector }) => ({
    chunk_id: `chunk-${number}`,
    document_id: `document-${document}`,
    acl_id: aclIds[group],
    ordinal: number,
    text,
    // Four digits: half precision keeps no more.
    embedding: `[${Array.from(vector, (value) => value.toFixed(4)).join(',')}]`,
  }));
  const values = [BENCH_TENANT, JSON.stringify(rows)];
  await query(
    `insert into documents (tenant_id, document_id, source_id, uri, title, state, version, acl_id, access_level, took_effect_at)
       select distinct on (document_id) $1, document_id, 'bench', 'bench:' || document_id, document_id, 'live', 1, acl_id,
           'public', now()
         from jsonb_to_recordset($2::jsonb) as r(document_id text, acl_id int) on conflict do nothing`,
    values,
  );
  await query(
    `insert into chunks (tenant_id, access_level, chunk_id, document_id, version, ordinal, acl_id, start_offset, end_offset,
         section_start, section_end, heading_path, text, tsv, terms)
       select $1, 'public', chunk_id, document_id, 1, ordinal, acl_id, 0, length(text), 0, length(text), '{}', text, tsv,
           bm25_weights(tsv, 70)
         from jsonb_to_recordset($2::jsonb) as r(chunk_id text, document_id text, acl_id int, ordinal int, text text),
           lateral to_tsvector('english', text) as tsv`,
    values,
  );
  await query(
    `insert into chunk_embeddings (tenant_id, access_level, embedder_id, chunk_id, document_id, acl_id, embedding)
       select $1, 'public', 1, chunk_id, document_id, acl_id, embedding::halfvec
         from jsonb_to_recordset($2::jsonb) as r(chunk_id text, document_id text, acl_id int, embedding text)`,
    values,
  );
}
