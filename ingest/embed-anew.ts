// A change of the embedder: its vectors are made beside the old ones, take their place when complete, and the old ones go.
import { ACCESS_LEVELS } from '../retrieval/model.ts';
import type { Database, Embedder, Query } from '../retrieval/ports.ts';
import { bumpIndexVersion } from './acl.ts';
import { ensureEmbedder } from './active-embedder.ts';
import { embedMissing } from './embed-missing.ts';
import { vectorIndexName } from './vector-indexes.ts';

/** How embedding a tenant anew ended. */
export interface EmbeddedAnew {
  /** Whether the embedder's vectors are the ones that are searched now. */
  readonly active: boolean;
  /** The embedder that was active before; null = it was this one already, or none. */
  readonly replaced: string | null;
  readonly embedded: number;
  /** Chunks on which the embedder failed; while there are any, the old vectors stay in use. */
  readonly missing: number;
  /** Vectors of earlier embedders that were removed. */
  readonly removed: number;
}

export interface EmbedAnewOptions {
  readonly database: Database & { outsideTransaction(sql: string): Promise<void> };
  readonly embedder: Embedder;
  /** Makes the indexes that the new vectors need, before they are searched. */
  readonly buildIndexes: () => Promise<void>;
  readonly onProgress?: (embedded: number, total: number) => void;
}

/**
 * Brings a tenant to the vectors of `embedder`. Resumable: each stored batch is done, and whatever an earlier run did not
 * finish (embedding, switching, removing) is finished by the next. Searches use the old vectors until the switch, which is
 * one transaction.
 */
export async function embedAnew(options: EmbedAnewOptions, tenantId: string): Promise<EmbeddedAnew> {
  const { database, embedder, onProgress } = options;
  let embedded = 0;
  for (;;) {
    const run = await embedMissing({ database, embedder }, tenantId, onProgress);
    embedded += run.embedded;
    if (run.missing > 0) return { active: false, replaced: null, embedded, missing: run.missing, removed: 0 };
    await options.buildIndexes();
    const switched = await database.transaction((query) => switchTo(query, tenantId, embedder));
    // A document came in meanwhile, from a process with the other embedder.
    if (!switched) continue;
    const removed = await removeOthers(database, tenantId);
    return { active: true, replaced: switched.replaced, embedded, missing: 0, removed };
  }
}

// The tenant's row is locked first, as whoever makes a document live locks it: no chunk comes between counting and switching.
async function switchTo(
  query: Query,
  tenantId: string,
  embedder: Embedder,
): Promise<{ replaced: string | null } | undefined> {
  await bumpIndexVersion(query, tenantId);
  const { embedderId, state } = await ensureEmbedder(query, tenantId, embedder);
  if (state === 'active') return { replaced: null };
  const without = await query(
    `select 1 as one from chunks c where c.tenant_id = $1 and not exists (
       select 1 from chunk_embeddings e where e.tenant_id = $1 and e.access_level = c.access_level
         and e.embedder_id = $2 and e.chunk_id = c.chunk_id) limit 1`,
    [tenantId, embedderId],
  );
  if (without.length > 0) return undefined;
  const replaced = await query<{ name: string }>(
    `update embedders set state = 'retired' where tenant_id = $1 and state = 'active' returning name`,
    [tenantId],
  );
  await query(`update embedders set state = 'active' where tenant_id = $1 and embedder_id = $2`, [
    tenantId,
    embedderId,
  ]);
  return { replaced: replaced[0]?.name ?? null };
}

const DELETED_PER_TRANSACTION = 5_000; // vectors; a fraction of a second each

// Retired ones, and those that somebody began to build and gave up.
async function removeOthers(database: EmbedAnewOptions['database'], tenantId: string): Promise<number> {
  const others = await database.transaction((query) =>
    query<{ embedder_id: number; hash: string }>(
      `select embedder_id, left(md5(tenant_id), 8) as hash from embedders where tenant_id = $1 and state <> 'active'`,
      [tenantId],
    ),
  );
  let removed = 0;
  for (const { embedder_id: embedderId, hash } of others) {
    // The index first: each deleted row would be marked in it.
    for (const level of ACCESS_LEVELS) {
      await database.outsideTransaction(
        `drop index if exists ${vectorIndexName(`chunk_embeddings_${level}`, hash, embedderId)}`,
      );
    }
    for (;;) {
      const deleted = await database.transaction((query) => deleteSome(query, tenantId, embedderId));
      removed += deleted;
      if (deleted < DELETED_PER_TRANSACTION) break;
    }
    await database.transaction((query) =>
      query('delete from embedders where tenant_id = $1 and embedder_id = $2', [tenantId, embedderId]),
    );
  }
  return removed;
}

async function deleteSome(query: Query, tenantId: string, embedderId: number): Promise<number> {
  const rows = await query(
    `delete from chunk_embeddings where tenant_id = $1 and embedder_id = $2 and (access_level, chunk_id) in (
       select access_level, chunk_id from chunk_embeddings where tenant_id = $1 and embedder_id = $2 limit $3)
       returning 1 as one`,
    [tenantId, embedderId, DELETED_PER_TRANSACTION],
  );
  return rows.length;
}
