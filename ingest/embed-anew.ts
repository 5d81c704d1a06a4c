// A change of the embedder: its vectors are made beside the old ones, take their place when complete, and the old ones go.
import { ACCESS_LEVELS } from '../retrieval/model.ts';
import type { Database, Embedder, Logger, Query } from '../retrieval/ports.ts';
import { PROBE_TEXT } from '../retrieval/probe-text.ts';
import { bumpIndexVersion } from './acl.ts';
import { ensureEmbedder, findEmbedder, VectorSizeError } from './active-embedder.ts';
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
  readonly logger: Pick<Logger, 'warn'>;
  /**
   * The model was replaced under its name since the vectors in use were made: none of them counts. Where the new one gives
   * vectors of another size that shows by itself.
   */
  readonly modelReplaced?: boolean;
  /** Makes the indexes that the new vectors need, before they are searched. */
  readonly buildIndexes: () => Promise<void>;
  readonly onProgress?: (embedded: number, total: number) => void;
}

/**
 * Brings a tenant to the vectors of `embedder`. Resumable: each stored batch is done, and whatever an earlier run did not
 * finish (embedding, switching, removing) is finished by the next. Searches use the old vectors until the switch, which is
 * one transaction; those of a model that was replaced are of no more use, and words alone are searched.
 * @throws what the embedder throws when it is away before anything was begun.
 */
export async function embedAnew(options: EmbedAnewOptions, tenantId: string): Promise<EmbeddedAnew> {
  const { database, embedder, onProgress } = options;
  const [probe = []] = await embedder.embed([PROBE_TEXT], 'document');
  const sized = { id: embedder.id, dimensions: probe.length };
  const cleared = await setAsideOtherModel(options, tenantId, sized);
  let embedded = 0;
  const steady = { ...options, embedder: ofOneSize(embedder, probe.length) };
  for (;;) {
    const run = await embedMissing(steady, tenantId, onProgress);
    embedded += run.embedded;
    if (run.missing > 0) return { active: false, replaced: null, embedded, missing: run.missing, removed: cleared };
    await options.buildIndexes();
    const switched = await database.transaction((query) => switchTo(query, tenantId, sized));
    // A document came in meanwhile, from a process with the other embedder.
    if (!switched) continue;
    const removed = cleared + (await removeOthers(database, tenantId));
    return { active: true, replaced: switched.replaced, embedded, missing: 0, removed };
  }
}

// A model that is replaced while all vectors are made anew: the advice of any other time would be to do just that.
function ofOneSize(embedder: Embedder, dimensions: number): Embedder {
  return {
    id: embedder.id,
    dimensions,
    async embed(texts, kind) {
      const vectors = await embedder.embed(texts, kind);
      const other = vectors.find((vector) => vector.length !== dimensions);
      if (!other) return vectors;
      const advice = 'see that one model alone answers under it, and begin again';
      throw new VectorSizeError(embedder.id, other.length, dimensions, advice);
    },
  };
}

// No provider has this name.
const REPLACED = 'replaced';

interface SizedEmbedder {
  readonly id: string;
  readonly dimensions: number;
}

// Another model under the same name is another embedder. The stored vectors get a name that no configuration has, so that they
// are not searched with the questions of this one, and go like those of any other when the new ones are complete. Where the
// size is right, vectors of another size, which make searches fail, are removed.
async function setAsideOtherModel(
  { database, modelReplaced = false }: EmbedAnewOptions,
  tenantId: string,
  { id, dimensions }: SizedEmbedder,
): Promise<number> {
  return database.transaction(async (query) => {
    await bumpIndexVersion(query, tenantId);
    const known = await findEmbedder(query, tenantId, id);
    if (!known) return 0;
    // What is being built is of the new model: an earlier run was stopped.
    if (known.dimensions !== dimensions || (modelReplaced && known.state === 'active')) {
      await query('update embedders set name = $3 where tenant_id = $1 and embedder_id = $2', [
        tenantId,
        known.embedderId,
        `${REPLACED}:${id}#${known.embedderId}`,
      ]);
      return 0;
    }
    const removed = await query(
      `delete from chunk_embeddings where tenant_id = $1 and embedder_id = $2 and vector_dims(embedding) <> $3
         returning 1 as one`,
      [tenantId, known.embedderId, dimensions],
    );
    return removed.length;
  });
}

// The tenant's row is locked first, as whoever makes a document live locks it: no chunk comes between counting and switching.
async function switchTo(
  query: Query,
  tenantId: string,
  embedder: SizedEmbedder,
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
