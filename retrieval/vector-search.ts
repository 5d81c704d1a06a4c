import type { Hit } from './lexical-search.ts';
import type { VisibleTo } from './model.ts';
import type { Database, Embedder } from './ports.ts';

// Below this share of visible chunks an approximate search must walk far for enough of them and goes astray: at 8 % of 100,000
// its recall@50 was 0.91 to 0.93, whatever the breadth, and it took twice the time of the exact search of so few rows (at 30 %
// 0.996 and a sixth). As few rows as EXACT_ROWS are searched exactly whatever their share is: 2 to 5 ms on a quiet server.
const EXACT_SHARE = 0.1;
const EXACT_ROWS = 10_000;
/**
 * Candidates of one step of the index's walk. Over 300 questions at 30 and 100 % of 100,000, recall@50 was 0.992 with 200, where
 * one question ended up in a wrong cluster and found next to nothing, 0.995 with 300 and with 400; 600 took twice the time.
 */
export const BREADTH = 300;

/**
 * Nearest chunks of the visible ones by cosine, under the vectors of this embedder and no other. Exact where few chunks
 * are visible or no index exists; else by the index, chosen from the measured share of visible chunks.
 * @returns at most `limit` hits; `score` is the cosine similarity, -1 to 1. Null while another embedder, or none, is active.
 */
export async function vectorSearch(
  database: Database,
  visibleTo: VisibleTo,
  question: { readonly embedder: Pick<Embedder, 'id'>; readonly vector: readonly number[] },
  { limit, timeoutMs }: { limit: number; timeoutMs: number },
): Promise<Hit[] | null> {
  if (visibleTo.aclIds.length === 0) return [];
  const { embedder, vector } = question;
  const rows = await database.read(
    visibleTo,
    (query) =>
      query<{ chunkId: string | null; documentId: string; distance: number }>(
        `select chunk_id as "chunkId", document_id as "documentId", distance
           from nearest_chunks($1, $2::text[], $3::int[], $4, $5, $6, $7, $8, $9)`,
        [
          visibleTo.tenantId,
          visibleTo.levels,
          visibleTo.aclIds,
          embedder.id,
          JSON.stringify(vector),
          limit,
          EXACT_ROWS,
          EXACT_SHARE,
          Math.max(BREADTH, 2 * limit),
        ],
      ),
    { timeoutMs, oneStatement: true },
  );
  if (rows[0]?.chunkId === null) return null;
  return rows
    .flatMap(({ chunkId, documentId, distance }) => (chunkId ? [{ chunkId, documentId, score: 1 - distance }] : []))
    .sort((a, b) => b.score - a.score || (a.chunkId < b.chunkId ? -1 : 1));
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
