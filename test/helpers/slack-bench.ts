// The product on the test database with Slack mounted, one or more instances of it, and the emulator that speaks to them.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerQuestion, createAnswerQuestion } from '../../retrieval/answer-question.ts';
import { createExtractiveModel } from '../../retrieval/extractive-answer.ts';
import type { Principal, Role } from '../../retrieval/model.ts';
import type { AnswerModel } from '../../retrieval/ports.ts';
import { createSearch } from '../../retrieval/search.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { createDatabase, type DatabaseClient } from '../../src/database/pool.ts';
import { createQueue } from '../../src/database/queue.ts';
import { createOperations } from '../../src/operations/create-operations.ts';
import { createOutbox, QUEUES } from '../../src/outbox.ts';
import type { Product } from '../../src/product.ts';
import { fusionWeights } from '../../src/providers/fusion-weights.ts';
import { type MountedSlack, mountSlack } from '../../src/slack/mount-slack.ts';
import { startWorkers } from '../../src/workers.ts';
import { acl, type Corpus, createCorpus } from './corpus.ts';
import { type TestDatabase, testDatabase } from './database.ts';
import { type EmulatedUser, type SlackEmulator, startSlackEmulator } from './slack-emulator.ts';
import { createTestLogger } from './test-logger.ts';
import { createWordEmbedder } from './word-embedder.ts';

export const TENANT = 'acme';

/** One instance of the service's Slack part. */
export interface SlackInstance {
  readonly url: string;
  readonly database: DatabaseClient;
  readonly product: Product;
  readonly slack: MountedSlack;
  readonly log: () => { message: string; level: string }[];
  close(): Promise<void>;
  /** Ends it as a crash does: nothing that has begun ends, nothing is given back. */
  crash(): Promise<void>;
}

export interface InstanceOptions {
  readonly environment?: Record<string, string>;
  readonly model?: AnswerModel;
  readonly wrapAsk?: (ask: AnswerQuestion) => AnswerQuestion;
}

/** A company and its workspace. */
export interface SlackCompany {
  readonly people?: readonly { readonly email: string; readonly role: Role; readonly active?: boolean }[];
  /** By their addresses; without readers for every member. */
  readonly documents?: Readonly<Record<string, { readonly text: string; readonly allow?: Principal }>>;
  readonly users?: Readonly<Record<string, Partial<Omit<EmulatedUser, 'id' | 'profile'>> & { email?: string }>>;
  /** Members besides the bot. */
  readonly channels?: Readonly<Record<string, readonly string[]>>;
}

/** A database and a workspace of the company, before any instance is started. */
export interface SlackBench {
  readonly opened: TestDatabase;
  readonly emulator: SlackEmulator;
  readonly corpus: Corpus;
  /** Of the documents by their addresses. */
  readonly ids: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** Opens both and fills them. */
export async function openSlackBench(company: SlackCompany): Promise<SlackBench> {
  const opened = await testDatabase();
  const emulator = await startSlackEmulator();
  const { corpus, ids } = await fillDatabase(opened, company);
  fillWorkspace(emulator, company);
  return {
    opened,
    emulator,
    corpus,
    ids,
    async close() {
      await emulator.close();
      await opened.close();
    },
  };
}

/** Puts the company into an empty database. */
export async function fillDatabase(
  opened: TestDatabase,
  { people = [], documents = {} }: SlackCompany,
): Promise<{ corpus: Corpus; ids: Map<string, string> }> {
  await opened.database.owner(async (query) => {
    await query('insert into tenants (tenant_id) values ($1)', [TENANT]);
    await query(
      `insert into people (tenant_id, email, name, role, directory, active)
         select $1, email, email, role, 'test', coalesce(active, true)
           from jsonb_to_recordset($2::jsonb) as r(email text, role text, active boolean)`,
      [TENANT, JSON.stringify(people)],
    );
  });
  const corpus = createCorpus(opened.database, { tenantId: TENANT });
  const ids = new Map<string, string>();
  for (const [uri, { text, allow = 'verbatim:everyone' }] of Object.entries(documents)) {
    ids.set(uri, await corpus.add(uri, text, { acl: acl({ allow: [allow], level: 'internal' }) }));
  }
  await corpus.refresh();
  return { corpus, ids };
}

/** Puts the company into a workspace. */
export function fillWorkspace(emulator: SlackEmulator, { users = {}, channels = {} }: SlackCompany): void {
  for (const [id, user] of Object.entries(users)) emulator.addUser(id, user);
  for (const [id, members] of Object.entries(channels)) emulator.channels.set(id, [...members, emulator.botUserId]);
}

/** Starts one. */
export async function startSlackInstance(
  opened: TestDatabase,
  emulator: SlackEmulator,
  { environment = {}, model, wrapAsk = (ask) => ask }: InstanceOptions = {},
): Promise<SlackInstance> {
  const { logger, lines } = createTestLogger();
  const config: Config = readConfig({
    VERBATIM_TENANT: TENANT,
    SLACK_BOT_TOKEN: emulator.botToken,
    SLACK_SIGNING_SECRET: emulator.signingSecret,
    SLACK_API_URL: emulator.apiUrl,
    VERBATIM_PUBLIC_URL: 'https://verbatim.example.com',
    ...environment,
  });
  const database = createDatabase(opened.options);
  const queue = createQueue(database, { queues: QUEUES, logger });
  const outbox = createOutbox(queue);
  const embedder = createWordEmbedder();
  const clock = Date.now;
  const search = createSearch({
    database,
    embedder,
    weights: fusionWeights(embedder.id),
    lexicalTimeoutMs: 20_000,
    vectorTimeoutMs: 20_000,
    logger: createTestLogger().logger,
    clock,
  });
  const answerQuestion = wrapAsk(
    createAnswerQuestion({
      database,
      search,
      model: model ?? createExtractiveModel({}),
      fallback: null,
      modelTimeoutMs: 10_000,
      largeAudiencePeople: config.largeAudiencePeople,
      clock,
      newId: randomUUID,
      logger,
    }),
  );
  const endSweep = await startWorkers({ config, logger, database, queue, outbox, embedder, aloneOnDatabase: false });
  const product = { config, logger, database, queue, outbox, embedder, search, answerQuestion } as unknown as Product;
  const slack = await mountSlack({ product, ask: answerQuestion, ...createOperations(product) });
  const server = await serve(slack);
  const close = async () => {
    await closeServer(server);
    await slack.stop();
    endSweep();
    await queue.stop({ timeoutMs: 5_000 });
    await database.close();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    database,
    product,
    slack,
    log: lines,
    close,
    async crash() {
      await closeServer(server);
      endSweep();
      // Without a database nothing it does counts any more; its leases run out.
      await database.close();
      await slack.stop().catch(() => undefined);
      await queue.stop({ graceful: false }).catch(() => undefined);
    },
  };
}

async function serve(slack: MountedSlack): Promise<Server> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    const endpoint = slack.endpoints.find((candidate) => candidate.path === path);
    if (endpoint) endpoint.handler(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Waits until all events that were received have ended. */
export async function settle(database: DatabaseClient, timeoutMs = 40_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const rows = await database.owner((query) =>
      query<{ open: number }>(
        'select count(*)::int as open from chat_events where ended_at is null and payload is not null',
      ),
    );
    if (rows[0]?.open === 0) return;
    if (Date.now() > deadline) throw new Error(`${rows[0]?.open} events have not ended`);
    await sleep(40);
  }
}
