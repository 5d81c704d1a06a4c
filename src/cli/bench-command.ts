// `verbatim bench`: how fast questions are answered at size, beside what else one could run on the same rows.
import { type Command, InvalidArgumentError } from 'commander';
import {
  FIRST_WARM_UP,
  type MeasuredProduct,
  measureSearch,
  type ShareFigures,
  WARM_UP,
  warmUpSearch,
} from '../../eval/bench/measure-search.ts';
import { type BenchFigures, renderBench, type SizeFigures } from '../../eval/bench/render-bench.ts';
import { createSyntheticCorpus, type SyntheticQuestion } from '../../eval/bench/synthetic-corpus.ts';
import { missingVectorIndexes } from '../../ingest/vector-indexes.ts';
import { UsageError } from '../../retrieval/errors.ts';
import type { Embedder } from '../../retrieval/ports.ts';
import { createSearch } from '../../retrieval/search.ts';
import type { DatabaseConnection } from '../database/connection.ts';
import { openEmbedded } from '../database/embedded.ts';
import { migrate } from '../database/migrate.ts';
import { createDatabase, type DatabaseClient } from '../database/pool.ts';
import { chooseReranker } from '../providers/choose-reranker.ts';
import { fusionWeights } from '../providers/fusion-weights.ts';
import { BENCH_EMBEDDER, BENCH_TENANT, fillCorpus, groupPrincipal } from './bench-corpus.ts';
import { forIndexBuilds, keptDatabaseName, onBenchServerDatabase } from './bench-database.ts';
import { measureIngest } from './bench-ingest.ts';
import { type BenchPeer, createBenchPeer } from './bench-peer.ts';
import { measureStartUp } from './bench-start-up.ts';
import { onOwnDirectory } from './own-database.ts';
import { createProgress } from './progress.ts';
import { readCount, readCounts } from './read-counts.ts';
import type { CliContext } from './run-cli.ts';
import { runStoppable, type StoppableContext } from './until-stopped.ts';

interface BenchOptions {
  readonly sizes: readonly number[];
  readonly shares: readonly number[];
  readonly questions: number;
  readonly database: string;
  readonly ingest: boolean;
  readonly keep?: boolean;
  readonly json?: boolean;
}

/** `verbatim bench` */
export function addBenchCommand(program: Command, context: CliContext): void {
  program
    .command('bench')
    .description(
      'measure retrieval at size, beside plain pgvector and LangChain on the same rows; ingest; start-up; memory',
    )
    .option('--sizes <counts>', 'numbers of chunks', readCounts, [1_000, 10_000, 100_000])
    .option('--shares <percents>', 'percent of the chunks that the reader may see', readPercents, [1, 8, 30, 100])
    .option(
      '--questions <count>',
      `questions for each size and share that are measured, after ${WARM_UP} that are not (before the first share ${FIRST_WARM_UP})`,
      readCount,
      60,
    )
    .option(
      '--database <database>',
      '"embedded", or the URL of a server on which a database may be created',
      readDatabase,
      EMBEDDED,
    )
    .option('--keep', 'on a server: keep the filled databases (verbatim_bench_…), and use those of an earlier run')
    .option('--no-ingest', 'leave out ingest and start-up')
    .option('--json', 'print the figures as JSON')
    .action((options: BenchOptions) => runStoppable(context, (stoppable) => bench(stoppable, options)));
}

const EMBEDDED = 'embedded';

function readPercents(text: string): number[] {
  const percents = readCounts(text);
  if (percents.some((percent) => percent > 100)) {
    throw new InvalidArgumentError('give whole numbers from 1 to 100, separated by commas');
  }
  return percents;
}

function readDatabase(text: string): string {
  if (text === EMBEDDED || /^postgres(?:ql)?:\/\/./.test(text)) return text;
  throw new InvalidArgumentError(
    `give "${EMBEDDED}", or a URL such as postgres://user:password@localhost:5432/postgres`,
  );
}

async function bench(context: StoppableContext, options: BenchOptions): Promise<void> {
  if (options.keep && options.database === EMBEDDED) {
    throw new UsageError(
      '--keep is for servers: give --database URL with it; the embedded database is made anew each time',
    );
  }
  const sizes: SizeFigures[] = [];
  for (const chunks of options.sizes) sizes.push(await measureSize(context, options, chunks));
  const figures: BenchFigures = {
    sizes,
    ingest: options.ingest ? await measureIngest(context) : null,
    startUp: options.ingest ? await measureStartUp(context) : null,
  };
  context.streams.stdout.write(options.json ? `${JSON.stringify(figures, null, 2)}\n` : renderBench(figures));
}

type Connection = DatabaseConnection | { readonly connectionString: string };

async function measureSize(context: StoppableContext, options: BenchOptions, chunks: number): Promise<SizeFigures> {
  // The plain query sees all.
  const corpusShares = [...new Set([...options.shares, 100])];
  const run = async (database: DatabaseClient, connection: Connection) => {
    try {
      await migrate(database);
      const measured = measureDatabase(context, { ...options, corpusShares }, chunks, { database, connection });
      return await context.untilStopped(measured);
    } finally {
      await database.close();
    }
  };
  if (options.database !== EMBEDDED) {
    const keep = options.keep ? keptDatabaseName(chunks, corpusShares) : null;
    return onBenchServerDatabase(options.database, keep, (connectionString) =>
      run(createDatabase({ connectionString }), { connectionString }),
    );
  }
  return onOwnDirectory('bench', async (dataDir) => {
    const server = await openEmbedded({ dataDir, shared: false });
    try {
      return await run(createDatabase({ connection: server.connection }), server.connection);
    } finally {
      await server.close();
    }
  });
}

async function measureDatabase(
  context: CliContext,
  { shares, corpusShares, questions: count }: BenchOptions & { readonly corpusShares: readonly number[] },
  chunks: number,
  { database, connection }: { database: DatabaseClient; connection: Connection },
): Promise<SizeFigures> {
  const corpus = createSyntheticCorpus({ shares: corpusShares, seed: 1 });
  const progress = createProgress(context.streams.stderr, 'chunks stored');
  const filled = performance.now();
  await fillCorpus(database, corpus, {
    count: chunks,
    groups: corpusShares.length,
    onProgress: (done) => progress.show(done, chunks),
  });
  progress.end();
  const indexing = performance.now();
  const builder = openBuilder(database, connection);
  const withIndex = await buildIndexes(builder);
  const ready = performance.now();
  const peer = await createBenchPeer(builder, connection, { withIndex });
  if (builder !== database) await builder.close();
  const memory = watchMemory();
  try {
    const figures: ShareFigures[] = [];
    const all = corpus.questions(FIRST_WARM_UP + WARM_UP + count);
    const exact = createExactSearch(database);
    const readerOf = (group: number) => {
      const groups = Array.from({ length: group + 1 }, (_, index) => index);
      const product = measuredProduct(context, { database, peer, groups, questions: all, exact });
      return { product, audience: [{ principals: groups.map(groupPrincipal) }] };
    };
    const everyone = readerOf(corpusShares.length - 1);
    await warmUpSearch(everyone.product, everyone.audience, all.slice(0, FIRST_WARM_UP));
    const questions = all.slice(FIRST_WARM_UP);
    for (const [group, sharePercent] of shares.entries()) {
      const { product, audience } = readerOf(group);
      figures.push(await measureSearch(product, { sharePercent, audience }, questions));
    }
    return {
      database: database.embedded ? 'embedded' : 'server',
      chunks,
      fillSeconds: (indexing - filled) / 1000,
      vectorIndexSeconds: (ready - indexing) / 1000,
      peakMemoryMb: memory.peakMb(),
      shares: figures,
    };
  } finally {
    memory.end();
    await peer.close();
  }
}

function openBuilder(database: DatabaseClient, connection: Connection): DatabaseClient {
  if (!('connectionString' in connection)) return database;
  return createDatabase({ connectionString: forIndexBuilds(connection.connectionString), poolSize: 1 });
}

// As the product does; whether the corpus is large enough for any.
async function buildIndexes(database: DatabaseClient): Promise<boolean> {
  const missing = await database.owner((query) => missingVectorIndexes(query, { embedded: database.embedded }));
  for (const { sql } of missing) await database.outsideTransaction(sql);
  const made = await database.owner((query) =>
    query(`select 1 as one from pg_indexes where tablename like 'chunk_embeddings_%' and indexdef like '%USING hnsw%'`),
  );
  return made.length > 0;
}

function measuredProduct(
  { config, logger }: CliContext,
  parts: {
    database: DatabaseClient;
    peer: BenchPeer;
    groups: readonly number[];
    questions: readonly SyntheticQuestion[];
    exact: MeasuredProduct['exact'];
  },
): MeasuredProduct {
  const { database, peer, groups, questions, exact } = parts;
  const clock = () => performance.now();
  const vectors = new Map(questions.map(({ text, vector }) => [text, [...vector]]));
  const embedder: Embedder = {
    ...BENCH_EMBEDDER,
    embed: async (texts) => texts.map((text) => vectors.get(text) ?? []),
  };
  return {
    tenantId: BENCH_TENANT,
    database,
    embedder,
    clock,
    search: createSearch({
      database,
      embedder,
      ...chooseReranker({ ...config, reranker: { provider: 'builtin', model: null } }, { clock }),
      weights: fusionWeights,
      lexicalTimeoutMs: config.lexicalTimeoutMs,
      vectorTimeoutMs: config.vectorTimeoutMs,
      clock,
      logger,
    }),
    exact,
    compared: peer.comparedFor(groups),
  };
}

// All rows are the same for each share, and take as long as everything else together.
function createExactSearch(database: DatabaseClient): MeasuredProduct['exact'] {
  const nearestOfAll = new Map<readonly number[], readonly string[]>();
  return async (visibleTo, vector, limit) => {
    if (visibleTo !== 'all') return exactNeighbours(database, visibleTo.aclIds, vector, limit);
    const known = nearestOfAll.get(vector);
    if (known) return known;
    const found = await exactNeighbours(database, null, vector, limit);
    nearestOfAll.set(vector, found);
    return found;
  };
}

// `+ 0` keeps the planner from the index.
async function exactNeighbours(
  database: DatabaseClient,
  aclIds: readonly number[] | null,
  vector: readonly number[],
  limit: number,
): Promise<string[]> {
  const type = `halfvec(${BENCH_EMBEDDER.dimensions})`;
  const rows = await database.owner((query) =>
    query<{ chunk_id: string }>(
      `select chunk_id from chunk_embeddings where tenant_id = $1 and ($2::int[] is null or acl_id = any($2))
         order by (embedding::${type} <=> $3::${type}) + 0, chunk_id limit $4`,
      [BENCH_TENANT, aclIds, JSON.stringify(vector), limit],
    ),
  );
  return rows.map((row) => row.chunk_id);
}

const SAMPLE_MS = 200;

function watchMemory(): { peakMb(): number; end(): void } {
  let peak = 0;
  const sample = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    peakMb() {
      sample();
      return peak / 2 ** 20;
    },
    end: () => clearInterval(timer),
  };
}
