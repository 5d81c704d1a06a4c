// The product on the test database with Slack mounted, one or more instances of it, and the emulator that speaks to them.
import { createHmac, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { types } from '@slack/bolt';
import { type AnswerQuestion, createAnswerQuestion } from '../../retrieval/answer-question.ts';
import { createExtractiveModel } from '../../retrieval/extractive-answer.ts';
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
import type { TestDatabase } from './database.ts';
import type { SlackEmulator } from './slack-emulator.ts';
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

/** How a request is signed; what is not given is right. */
export interface Signing {
  readonly secret?: string;
  readonly timestamp?: number;
  readonly headers?: Record<string, string | undefined>;
  readonly signal?: AbortSignal;
}

/** Sends a signed request as Slack does: events as JSON, commands and interactions as forms. */
export async function sendSigned(
  url: string,
  emulator: SlackEmulator,
  body: object,
  signing: Signing = {},
): Promise<Response> {
  const form =
    'command' in body
      ? body
      : 'type' in body && isInteraction(String(body.type))
        ? { payload: JSON.stringify(body) }
        : null;
  const text = form ? new URLSearchParams(form as Record<string, string>).toString() : JSON.stringify(body);
  const timestamp = String(signing.timestamp ?? Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', signing.secret ?? emulator.signingSecret)
    .update(`v0:${timestamp}:${text}`)
    .digest('hex');
  const headers = {
    'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
    'x-slack-request-timestamp': timestamp,
    'x-slack-signature': `v0=${signature}`,
    ...signing.headers,
  };
  const given = Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const init = { method: 'POST', headers: given, body: text };
  return fetch(`${url}/slack/events`, signing.signal ? { ...init, signal: signing.signal } : init);
}

function isInteraction(type: string): boolean {
  return ['block_actions', 'view_submission', 'message_action', 'shortcut'].includes(type);
}

let counter = 0;

/** Wraps an event as the Events API does. */
export function envelope(
  emulator: SlackEmulator,
  event: object,
  extra: object = {},
): { event_id: string; [key: string]: unknown } {
  counter += 1;
  return {
    token: 'unused',
    team_id: emulator.teamId,
    api_app_id: 'A0VERBATIM',
    type: 'event_callback',
    event_id: `Ev${String(counter).padStart(10, '0')}`,
    event_time: Math.floor(Date.now() / 1_000),
    event_context: 'unused',
    is_ext_shared_channel: false,
    authorizations: [
      {
        enterprise_id: null,
        team_id: emulator.teamId,
        user_id: emulator.botUserId,
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
    event,
    ...extra,
  };
}

/** A message of a person to the bot, in a direct message or by a mention. */
export function messageEvent(
  emulator: SlackEmulator,
  {
    channel,
    user,
    text,
    thread,
    ts,
    ...extra
  }: { channel: string; user: string; text: string; thread?: string | undefined; ts: string; [key: string]: unknown },
): Partial<types.GenericMessageEvent> & { ts: string } {
  const direct = channel.startsWith('D');
  return {
    client_msg_id: randomUUID(),
    type: 'message',
    team: emulator.teamId,
    user,
    text,
    ts,
    event_ts: ts,
    channel,
    channel_type: direct ? 'im' : 'channel',
    blocks: [],
    ...(thread === undefined ? {} : { thread_ts: thread }),
    ...extra,
  } as Partial<types.GenericMessageEvent> & { ts: string };
}

/** The same as the event of a mention. */
export function mentionEvent(emulator: SlackEmulator, message: Parameters<typeof messageEvent>[1]): object {
  const { channel_type: _type, ...event } = messageEvent(emulator, message);
  return { ...event, type: 'app_mention' };
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
