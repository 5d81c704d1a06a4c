import type { Hit } from './lexical-search.ts';
import type { VisibleTo } from './model.ts';
import type { Database, Embedder, Query } from './ports.ts';

// Below this share of visible chunks an approximate search must walk far for enough of them: at 8 % its recall@50 fell
// to 0.92, while the exact search of so few rows costs less than the walk (17 ms at 8 % of 50k chunks).
const APPROXIMATE_FROM_SHARE = 0.1;
const EF_SEARCH = 200; // 0.997 recall@50 was measured with 100 when all is visible; room for filtered searches

/**
 * Nearest chunks of the visible ones by cosine, under the vectors of this embedder and no other. Exact where few chunks
 * are visible or no index exists; else by the index, chosen from the measured share of visible chunks.
 * @returns at most `limit` hits; `score` is the cosine similarity, -1 to 1. Null while another embedder, or none, is active.
 */
export async function vectorSearch(
  database: Database,
  visibleTo: VisibleTo,
  question: { readonly embedder: Pick<Embedder, 'id' | 'dimensions'>; readonly vector: readonly number[] },
  { limit, timeoutMs }: { limit: number; timeoutMs: number },
): Promise<Hit[] | null> {
  if (visibleTo.aclIds.length === 0) return [];
  return database.read(
    visibleTo,
    async (query) => {
      const plan = await planSearch(query, visibleTo, question.embedder.id, limit);
      if (!plan) return null;
      // `+ 0` hides the ordering from the index. The dimension is cast so that the index on that expression is found;
      // both numbers come from our own rows, never from a question.
      const column = `embedding::halfvec(${Number(plan.dimensions)})`;
      const distance = `${column} <=> $4::halfvec(${Number(plan.dimensions)})`;
      const rows = await query<Hit>(
        `select chunk_id as "chunkId", document_id as "documentId", 1 - (${distance}) as score
           from chunk_embeddings
           where tenant_id = $1 and access_level = any($2::text[]) and acl_id = any($3::int[]) and embedder_id = ${Number(plan.embedder_id)}
             and (effective_from is null or effective_from <= now()) and (effective_to is null or effective_to > now())
           order by ${plan.approximate ? distance : `(${distance}) + 0`} limit $5`,
        [visibleTo.tenantId, visibleTo.levels, visibleTo.aclIds, JSON.stringify(question.vector), limit],
      );
      return rows.sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
    },
    { timeoutMs },
  );
}

interface Plan {
  embedder_id: number;
  dimensions: number;
  approximate: boolean;
}

// One statement, because each costs a round trip: what to search, and the settings of an index search, which an exact one
// ignores. Iterative scans came with pgvector 0.8.
async function planSearch(
  query: Query,
  visibleTo: VisibleTo,
  embedderName: string,
  limit: number,
): Promise<Plan | undefined> {
  const rows = await query<{ embedder_id: number; dimensions: number; share: number }>(
    `select embedder_id, dimensions,
         coalesce((select sum(chunk_count) filter (where acl_id = any($3::int[])) / nullif(sum(chunk_count), 0)
           from acl_statistics where tenant_id = $1), 1)::float8 as share,
         set_config('hnsw.ef_search', $4, true),
         case when (select extversion from pg_extension where extname = 'vector') not like '0.7%'
           then set_config('hnsw.iterative_scan', 'relaxed_order', true) end
       from embedders where tenant_id = $1 and name = $2 and state = 'active'`,
    [visibleTo.tenantId, embedderName, visibleTo.aclIds, String(Math.max(EF_SEARCH, Math.min(1000, 2 * limit)))],
  );
  const row = rows[0];
  return row && { ...row, approximate: row.share >= APPROXIMATE_FROM_SHARE };
}

/** The name of the embedder whose vectors are searched; undefined when the tenant has none yet. */
export async function activeEmbedderName(database: Database, visibleTo: VisibleTo): Promise<string | undefined> {
  const rows = await database.read(visibleTo, (query) =>
    query<{ name: string }>(`select name from embedders where tenant_id = $1 and state = 'active'`, [
      visibleTo.tenantId,
    ]),
  );
  return rows[0]?.name;
}
