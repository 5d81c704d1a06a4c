// The composition root: everything is made here, from the configuration, and handed to whoever uses it.
import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { IndexEvent } from '../ingest/index-document.ts';
import type { Outbox } from '../ingest/ports.ts';
import { type AnswerQuestion, createAnswerQuestion } from '../retrieval/answer-question.ts';
import type { Embedder } from '../retrieval/ports.ts';
import { rememberVectors } from '../retrieval/remember-vectors.ts';
import { createSearch, type Search } from '../retrieval/search.ts';
import { answerCode } from './answer-code.ts';
import type { Config } from './config.ts';
import { migrate } from './database/migrate.ts';
import { createDatabase, type DatabaseClient } from './database/pool.ts';
import { createQueue, type Queue } from './database/queue.ts';
import type { Logger } from './logger.ts';
import { databaseLogger, type OpeningServer, openServer, type ServerUse } from './open-server.ts';
import { createOutbox, QUEUES } from './outbox.ts';
import { type ClosableEmbedder, chooseEmbedder } from './providers/choose-embedder.ts';
import { chooseModel } from './providers/choose-model.ts';
import { chooseReranker } from './providers/choose-reranker.ts';
import { fusionWeights } from './providers/fusion-weights.ts';
import { createOtherEmbedders, type OtherEmbedders } from './providers/other-embedders.ts';
import { loadProviders } from './providers/provider-packages.ts';
import { startWorkers } from './workers.ts';

/** The whole product in one process, without a way to reach it: the terminal and the adapters add those. */
export interface Product {
  readonly config: Config;
  readonly logger: Logger;
  readonly database: DatabaseClient;
  readonly queue: Queue;
  readonly outbox: Outbox;
  readonly embedder: Embedder;
  readonly search: Search;
  readonly answerQuestion: AnswerQuestion;
  /** Runs jobs in this process until `close`. Idempotent. */
  startWorkers(onEvent?: (event: IndexEvent) => void): Promise<void>;
  workersRunning(): boolean;
  /** Takes no more jobs, waits for the running ones up to `timeoutMs`, and gives back the rest. `close` does it too. */
  stopWorkers(timeoutMs?: number): Promise<void>;
  /** Ends what is asked of models, embedders and rerankers, now and from now on. What can do without them goes on. */
  endModelCalls(): void;
  close(): Promise<void>;
}

/** What a caller brings instead of what the configuration says. */
export interface ProductOverrides extends ServerUse {
  readonly embedder?: ClosableEmbedder;
  /** A server that the caller has begun to open, for the same use; this closes it. */
  readonly server?: OpeningServer;
  /** A question comes next. */
  readonly asking?: boolean;
  /** Every question is answered anew. */
  readonly withoutAnswerCache?: boolean;
}

const MODEL_TIMEOUT_MS = 60_000;

/** Opens the database (starting the embedded one where none is configured), brings the schema up to date, and composes. */
export async function openProduct(config: Config, logger: Logger, overrides: ProductOverrides = {}): Promise<Product> {
  const { serving = false, asking = serving, withoutAnswerCache = false } = overrides;
  const modelCalls = new AbortController();
  const ending = modelCalls.signal;
  // One listener for each call that runs.
  setMaxListeners(0, ending);
  const { opened } = overrides.server ?? openServer(config, logger, overrides);
  const embedder = overrides.embedder ?? chooseEmbedder(config, { logger, clock: Date.now, ending });
  // The models load while the database opens. What goes wrong here is told by the first question.
  if (asking) Promise.all([embedder.warm?.(), loadProviders(config)]).catch(() => undefined);
  // Read while the database opens, too; and at once, before an upgrade can change the files of a service that runs.
  if (asking) answerCode();
  const quiet = databaseLogger(logger, serving);
  const server = await opened;
  const database = createDatabase(
    server
      ? { connection: server.connection, logger: quiet }
      : { connectionString: config.databaseUrl ?? '', logger: quiet },
  );
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    await server?.close();
    throw error;
  }
  const others = createOtherEmbedders(config, { logger, clock: Date.now, ending });
  const queue = createQueue(database, { queues: QUEUES, logger: quiet });
  const parts = compose(config, logger, {
    database,
    queue,
    embedder,
    others,
    withoutAnswerCache,
    ending,
  });
  let working: Promise<() => void> | undefined;
  let running = false;
  let stopping: Promise<void> | undefined;
  const stopWorkers = (timeoutMs?: number) => {
    running = false;
    stopping ??= (async () => {
      const endSweep = await working?.catch(() => undefined);
      endSweep?.();
      await queue.stop(timeoutMs === undefined ? {} : { timeoutMs });
    })();
    return stopping;
  };
  return {
    ...parts,
    stopWorkers,
    workersRunning: () => running,
    async startWorkers(onEvent) {
      working ??= startWorkers({ ...parts, aloneOnDatabase: server?.owned === true, ...(onEvent ? { onEvent } : {}) });
      await working;
      running = stopping === undefined;
    },
    endModelCalls: () => modelCalls.abort(),
    close: () =>
      inTurn([
        () => stopWorkers(),
        async () => modelCalls.abort(),
        () => embedder.close(),
        () => others.close(),
        () => database.close(),
        () => server?.close(),
      ]),
  };
}

// What cannot be closed properly, as without a database, must not keep the rest open, and with it the process running.
async function inTurn(steps: readonly (() => Promise<unknown> | undefined)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function compose(
  config: Config,
  logger: Logger,
  base: {
    database: DatabaseClient;
    queue: Queue;
    embedder: Embedder;
    others: OtherEmbedders;
    withoutAnswerCache: boolean;
    ending: AbortSignal;
  },
): Omit<Product, 'startWorkers' | 'workersRunning' | 'stopWorkers' | 'endModelCalls' | 'close'> {
  const { database, queue, embedder, others, withoutAnswerCache, ending } = base;
  const clock = Date.now;
  const rerankers = chooseReranker(config, { clock, ending });
  const questionEmbedder = rememberVectors(embedder, clock);
  const search = createSearch({
    database,
    embedder: questionEmbedder,
    embedderById: others.byId,
    ...rerankers,
    weights: fusionWeights,
    lexicalTimeoutMs: config.lexicalTimeoutMs,
    vectorTimeoutMs: config.vectorTimeoutMs,
    clock,
    logger,
  });
  const models = chooseModel(config, {
    embedder: questionEmbedder,
    modelTimeoutMs: MODEL_TIMEOUT_MS,
    clock,
    ending,
    logger,
  });
  const ids = [models.model.id, models.fallback?.id, embedder.id, rerankers.reranker?.id];
  const cache = {
    get pipeline() {
      return JSON.stringify([answerCode(), ids, placesOf(config)]);
    },
  };
  const answerQuestion = createAnswerQuestion({
    database,
    search,
    ...models,
    cache: withoutAnswerCache ? null : cache,
    modelTimeoutMs: MODEL_TIMEOUT_MS,
    largeAudiencePeople: config.largeAudiencePeople,
    clock,
    newId: randomUUID,
    logger,
  });
  return { config, logger, database, queue, embedder, search, answerQuestion, outbox: createOutbox(queue) };
}

// The same name at another address may be another model; vectors in use may come from a provider that is configured no more.
function placesOf({ cohere, openai, anthropic, azureOpenai, ollama }: Config): readonly (string | null)[] {
  return [...[cohere, openai, anthropic, azureOpenai, ollama].map(({ baseUrl }) => baseUrl), azureOpenai.apiVersion];
}
