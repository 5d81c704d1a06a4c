// What retrieval is compared with: LangChain's vector store on the same rows, and the plain query of pgvector.
import { PGVectorStore } from '@langchain/community/vectorstores/pgvector';
import type { ComparedName, ComparedSearch } from '../../eval/bench/measure-search.ts';
import { VECTOR_DIMENSIONS } from '../../eval/bench/synthetic-corpus.ts';
import { BREADTH } from '../../retrieval/vector-search.ts';
import type { DatabaseConnection } from '../database/connection.ts';
import type { DatabaseClient } from '../database/pool.ts';
import { BENCH_EMBEDDER, BENCH_TENANT } from './bench-corpus.ts';
import { withSettings } from './bench-database.ts';

/** The peer and the plain query over connection pools of the peer's own, without transactions or roles. */
export interface BenchPeer {
  /** The peer lets the rows of `groups` through; tuned ones are null on the embedded database, whose settings are one for all. */
  comparedFor(groups: readonly number[]): Readonly<Record<ComparedName, ComparedSearch | null>>;
  close(): Promise<void>;
}

const TABLE = 'bench_peer';
const TUNED_SETTINGS = `-c hnsw.ef_search=${BREADTH} -c hnsw.iterative_scan=relaxed_order`; // as `nearest_chunks` sets them

/** Copies the rows into the peer's table, with its own index and the same parameters where `withIndex`. */
export async function createBenchPeer(
  database: DatabaseClient,
  connection: DatabaseConnection | { readonly connectionString: string },
  { withIndex }: { withIndex: boolean },
): Promise<BenchPeer> {
  const store = await openStore(connection);
  // A server's connections have settings of their own; the embedded one's are one for all.
  const tuned =
    'connectionString' in connection
      ? await openStore({ connectionString: withSettings(connection.connectionString, TUNED_SETTINGS) })
      : null;
  await fillPeer(database);
  if (withIndex) await createPeerIndex(database);
  await database.outsideTransaction(`analyze ${TABLE}`);
  return {
    comparedFor: (groups) => ({
      plain: plainSearch(store),
      tunedPlain: tuned && plainSearch(tuned),
      peer: searchOf(store, groups),
      tunedPeer: tuned && searchOf(tuned, groups),
    }),
    async close() {
      await store.end();
      await tuned?.end();
    },
  };
}

function openStore(connection: DatabaseConnection | { readonly connectionString: string }): Promise<PGVectorStore> {
  const noEmbedding = () => Promise.reject(new Error('vectors are given'));
  return PGVectorStore.initialize(
    { embedDocuments: noEmbedding, embedQuery: noEmbedding },
    {
      postgresConnectionOptions: { ...connection },
      tableName: TABLE,
      dimensions: VECTOR_DIMENSIONS,
      distanceStrategy: 'cosine',
    },
  );
}

// The product's vectors in the product's index, nothing filtered.
function plainSearch(store: PGVectorStore): ComparedSearch {
  const type = `halfvec(${BENCH_EMBEDDER.dimensions})`;
  return async (vector, limit) => {
    const { rows } = await store.pool.query<{ chunk_id: string }>(
      `select chunk_id from chunk_embeddings_public where tenant_id = '${BENCH_TENANT}' and embedder_id = 1
         order by embedding::${type} <=> $1::${type} limit ${limit}`,
      [JSON.stringify(vector)],
    );
    return rows.map((row) => row.chunk_id);
  };
}

function searchOf(store: PGVectorStore, groups: readonly number[]): ComparedSearch {
  const filter = { group: { in: groups.map((group) => String(group + 1)) } };
  return async (vector, limit) => {
    const found = await store.similaritySearchVectorWithScore([...vector], limit, filter);
    return found.map(([document]) => String(document.metadata.chunk));
  };
}

async function fillPeer(database: DatabaseClient): Promise<void> {
  await database.owner((query) =>
    query(
      `insert into ${TABLE} (text, metadata, embedding)
         select c.text, jsonb_build_object('chunk', c.chunk_id, 'group', c.acl_id::text), e.embedding::vector
           from chunks c join chunk_embeddings e using (tenant_id, access_level, chunk_id)
           where tenant_id = $1 and not exists (select 1 from ${TABLE})`,
      [BENCH_TENANT],
    ),
  );
}

// The statement of the store's own `createHnswIndex`, which prints what goes wrong and carries on.
async function createPeerIndex(database: DatabaseClient): Promise<void> {
  await database.outsideTransaction(
    `create index if not exists embedding_embedding_hnsw_idx on ${TABLE}
       using hnsw ((embedding::vector(${VECTOR_DIMENSIONS})) vector_cosine_ops) with (m = 16, ef_construction = 64)`,
  );
}
