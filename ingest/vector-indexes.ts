// Approximate indexes are made when a partition is large enough to need one.
import { ACCESS_LEVELS } from '../retrieval/model.ts';
import type { Query } from '../retrieval/ports.ts';

// On the embedded server an HNSW build of 20,000 vectors took 81 s and an exact scan of them tens of milliseconds; on a
// native one 30 % of 50,000 cost 61 ms exactly and 3 ms by the index.
const MIN_VECTORS = { embedded: 100_000, server: 20_000 } as const;

/** An index that should exist and does not: `sql` creates it, outside a transaction. */
export interface MissingIndex {
  readonly name: string;
  readonly vectors: number;
  readonly sql: string;
}

/**
 * The indexes that partitions lack, one for each tenant's embedder with enough vectors. m 16 and ef_construction 64 are
 * pgvector's defaults, with which the recall was measured.
 */
export async function missingVectorIndexes(
  query: Query,
  {
    embedded,
    minVectors = embedded ? MIN_VECTORS.embedded : MIN_VECTORS.server,
  }: { embedded: boolean; minVectors?: number },
): Promise<MissingIndex[]> {
  const missing: MissingIndex[] = [];
  for (const level of ACCESS_LEVELS) {
    const table = `chunk_embeddings_${level}`;
    const rows = await query<{
      tenant_id: string;
      hash: string;
      embedder_id: number;
      dimensions: number;
      vectors: number;
    }>(
      `select e.tenant_id, left(md5(e.tenant_id), 8) as hash, e.embedder_id, e.dimensions, count(*)::int as vectors
         from ${table} c join embedders e on e.tenant_id = c.tenant_id and e.embedder_id = c.embedder_id
         where e.state <> 'retired' group by 1, 2, 3, 4 having count(*) >= $1`,
      [minVectors],
    );
    for (const row of rows) {
      const name = vectorIndexName(table, row.hash, row.embedder_id);
      const state = await readState(query, name);
      if (state === 'usable') continue;
      const concurrently = embedded ? '' : 'concurrently ';
      missing.push({
        name,
        vectors: row.vectors,
        sql:
          state === 'broken'
            ? `reindex index ${concurrently}${name}`
            : `create index ${concurrently}if not exists ${name} on ${table}
          using hnsw ((embedding::halfvec(${row.dimensions})) halfvec_cosine_ops)
          where tenant_id = '${row.tenant_id.replaceAll("'", "''")}' and embedder_id = ${row.embedder_id}`,
      });
    }
  }
  return missing;
}

// What was being built when the process ended is there and no search uses it; what another one is building needs nothing.
async function readState(query: Query, name: string): Promise<'usable' | 'broken' | 'absent'> {
  const rows = await query<{ usable: boolean }>(
    `select i.indisvalid or exists (select 1 from pg_stat_progress_create_index p where p.index_relid = i.indexrelid) as usable
       from pg_index i join pg_class c on c.oid = i.indexrelid
       where c.relname = $1 and c.relnamespace = current_schema()::regnamespace`,
    [name],
  );
  const [row] = rows;
  if (!row) return 'absent';
  return row.usable ? 'usable' : 'broken';
}

/** The name of the index of an embedder's vectors in a partition; `hash` is that of the tenant. */
export function vectorIndexName(table: string, hash: string, embedderId: number): string {
  return `${table}_${hash}_${embedderId}`;
}
