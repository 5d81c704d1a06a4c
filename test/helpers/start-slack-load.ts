// Load on Slack's side of the service, against the strict emulator. Not a test: figures depend on the machine. Parts:
//   ack    how fast events are acknowledged while questions are answered; one instance
//   lost   what is lost or answered twice with redeliveries, two instances and restarts; needs TEST_DATABASE_URL
//   order  whether a burst of mentions in one channel is answered in order, with 429s
// Run: node --import tsx test/helpers/start-slack-load.ts <part> [--embedder words|builtin] [--events n] [--rate n]
// The database is embedded, or on the server of TEST_DATABASE_URL. Prints JSON, a line a part.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/logger.ts';
import { type ClosableEmbedder, chooseEmbedder } from '../../src/providers/choose-embedder.ts';
import { processDatabase } from './process-database.ts';
import { type SlackEmulator, startSlackEmulator } from './slack-emulator.ts';
import { connectTo, fillCompany, fillWorkspace, type LoadCompany } from './slack-load-company.ts';
import {
  atRate,
  createTraffic,
  type Delivered,
  deliver,
  deliverOnce,
  type TrafficEvent,
} from './slack-load-traffic.ts';
import { createWordEmbedder } from './word-embedder.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    embedder: { type: 'string', default: 'words' },
    events: { type: 'string' },
    rate: { type: 'string' },
    instanceArgument: { type: 'string', multiple: true, default: [] },
  },
});
const INSTANCE = fileURLToPath(new URL('./start-slack-instance.ts', import.meta.url));
const SETTLE_MS = 400_000;

interface Bench {
  readonly emulator: SlackEmulator;
  readonly company: LoadCompany;
  readonly start: () => Promise<Instance>;
  /** What became of the events, once none is open. */
  readonly settle: () => Promise<Outcomes>;
}

interface Instance {
  readonly url: string;
  /** With a signal it ends in its own time, or at once. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

interface Outcomes {
  readonly events: Readonly<Record<string, number>>;
  readonly postedAnswers: number;
  readonly opinions: number;
}

async function withBench(run: (bench: Bench) => Promise<void>): Promise<void> {
  const place = await processDatabase();
  const emulator = await startSlackEmulator();
  const running = new Set<Instance>();
  const environment = {
    ...process.env,
    ...place.environment,
    VERBATIM_TENANT: 'acme',
    VERBATIM_PORT: '0',
    VERBATIM_LOG_LEVEL: 'error',
    VERBATIM_TOKEN_SECRET: 'a secret of the load that is long enough',
    SLACK_BOT_TOKEN: emulator.botToken,
    SLACK_SIGNING_SECRET: emulator.signingSecret,
    SLACK_API_URL: emulator.apiUrl,
  };
  try {
    const filling = await connectTo(place.environment);
    const embedder = await embedderOf(values.embedder);
    await fillCompany(filling.database, embedder);
    await filling.close();
    await embedder.close();
    const start = async () => {
      const instance = await startInstance(environment, () => running.delete(instance));
      running.add(instance);
      return instance;
    };
    await run({ emulator, company: fillWorkspace(emulator), start, settle: () => settle(place.environment) });
    if (emulator.faults.length > 0) say({ faults: emulator.faults.slice(0, 5) });
  } finally {
    for (const instance of running) await instance.end('SIGTERM');
    await emulator.close();
    await place.close();
  }
}

async function embedderOf(name: string): Promise<ClosableEmbedder> {
  if (name === 'words') return { ...createWordEmbedder(), close: async () => undefined };
  return chooseEmbedder(readConfig({}), { logger: createLogger({ level: 'error' }), clock: Date.now });
}

async function startInstance(environment: NodeJS.ProcessEnv, onExit: () => void): Promise<Instance> {
  const child: ChildProcess = spawn(
    process.execPath,
    [...values.instanceArgument, '--import', 'tsx', INSTANCE, values.embedder],
    { env: environment, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = once(child, 'exit').then(() => {
    process.off('exit', kill);
    onExit();
  });
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line'),
    exited.then(() => Promise.reject(new Error('an instance ended before it was ready'))),
  ])) as [string];
  return {
    url: (JSON.parse(line) as { url: string }).url,
    async end(signal) {
      child.kill(signal);
      await exited;
    },
  };
}

async function settle(environment: Readonly<Record<string, string>>): Promise<Outcomes> {
  const { database, close } = await connectTo(environment);
  const deadline = Date.now() + SETTLE_MS;
  try {
    for (;;) {
      const [row] = await database.owner((query) =>
        query<Outcomes & { open: number }>(
          `select (select count(*)::int from chat_events where ended_at is null) as open,
             (select coalesce(jsonb_object_agg(outcome, n), '{}') from
               (select coalesce(outcome, 'open') as outcome, count(*)::int as n from chat_events group by 1) o) as events,
             (select count(*)::int from posted_answers) as "postedAnswers", (select count(*)::int from feedback) as opinions`,
        ),
      );
      if (row && (row.open === 0 || Date.now() > deadline)) return row;
      await sleep(500);
    }
  } finally {
    await close();
  }
}

function say(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** What stands in the workspace for the questions of `events`. */
function verify(emulator: SlackEmulator, events: readonly TrafficEvent[]) {
  const standing = new Map<string, number>();
  for (const message of emulator.messages) {
    const key = (message.metadata as { event_payload?: { key?: string } } | undefined)?.event_payload?.key;
    // The answer's id stands behind the question's message: whichever answer it was, the question has it once.
    const question = key?.replace(/^(slack:[^/]+\/message\/[^/]+\/[^/#]+)\/[^#]+#/, '$1#');
    if (question !== undefined) standing.set(question, (standing.get(question) ?? 0) + 1);
  }
  const keys = events.flatMap(({ replyKey }) => replyKey ?? []);
  const failed = emulator.messages.filter((message) => message.bot && /went wrong/.test(emulator.read(message)));
  return {
    questions: keys.length,
    unanswered: keys.filter((key) => !standing.has(key)).length,
    answeredTwice: keys.filter((key) => (standing.get(key) ?? 0) > 1).length,
    answeredWithFailure: failed.length,
  };
}

function spread(delivered: readonly Delivered[]) {
  const sorted = delivered.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99), maxMs: at(1) };
}

const load = () => loadavg().map((value) => Number(value.toFixed(2)));

// A twelfth are questions: more than people ask, and as many as this machine answers.
const DAILY = { mention: 0.04, direct: 0.03, followUp: 0.01, talk: 0.7, reaction: 0.1, member: 0.12 };

async function acknowledge({ emulator, company, start, settle: whenSettled }: Bench): Promise<void> {
  const instance = await start();
  const traffic = createTraffic(emulator, company, DAILY, 'fresh');
  const rate = Number(values.rate ?? 50);
  const events: TrafficEvent[] = [];
  const pending: Promise<Delivered>[] = [];
  const loadBefore = load();
  const send = () => {
    const event = traffic.next();
    events.push(event);
    pending.push(deliver(emulator, event.body, () => [instance.url]));
  };
  await atRate(rate, 10, send);
  await Promise.all(pending);
  await fetch(`${instance.url}/metrics`).then((response) => response.text());
  events.length = pending.length = 0;
  const answeredBefore = emulator.messages.filter(({ bot }) => bot).length;
  await atRate(rate, Number(values.events ?? rate * 60), send);
  const delivered = await Promise.all(pending);
  const answeredMeanwhile = emulator.messages.filter(({ bot }) => bot).length - answeredBefore;
  const metrics = await (await fetch(`${instance.url}/metrics`)).text();
  const stored = delivered.filter((_, index) => events[index]?.kind !== 'talk');
  const loadAfter = load();
  const outcomes = await whenSettled();
  say({
    part: 'ack',
    database: process.env.TEST_DATABASE_URL ? 'server' : 'embedded',
    embedder: values.embedder,
    perSecond: rate,
    events: events.length,
    unacknowledged: delivered.filter(({ acknowledged }) => !acknowledged).length,
    tries: delivered.reduce((sum, { tries }) => sum + tries, 0),
    all: spread(delivered),
    stored: { events: stored.length, ...spread(stored) },
    answeredMeanwhile,
    longestEventLoopBlockMs: Math.round(Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1]) * 1_000),
    ...verify(emulator, events),
    outcomes,
    load: { before: loadBefore, after: loadAfter },
  });
}

const BUSY = { mention: 0.25, direct: 0.1, followUp: 0.05, talk: 0.35, reaction: 0.15, member: 0.1 };
const REDELIVERED = 0.1;
const RESTARTS = 3;

async function lose({ emulator, company, start, settle: whenSettled }: Bench): Promise<void> {
  const instances: (Instance | null)[] = [await start(), await start()];
  // What stands before the instances notices that one is gone; what was on its way to it is lost.
  const urls = () => instances.flatMap((instance) => instance?.url ?? []);
  const traffic = createTraffic(emulator, company, BUSY, 'repeated');
  const count = Number(values.events ?? 5_000);
  const rate = Number(values.rate ?? 20);
  const events: TrafficEvent[] = [];
  const pending: Promise<Delivered>[] = [];
  const again: Promise<boolean>[] = [];
  const started = performance.now();
  const loadBefore = load();
  const killAt = new Set(
    Array.from({ length: RESTARTS }, (_, n) => Math.floor(((n + Math.random()) / RESTARTS) * count)),
  );
  const restarts: Promise<void>[] = [];
  const restart = async () => {
    const index = Math.random() < 0.5 ? 0 : 1;
    await instances[index]?.end('SIGKILL');
    instances[index] = null;
    instances[index] = await start();
  };
  const redeliver = async (body: object) => {
    await sleep(Math.random() * 20_000);
    return deliverOnce(emulator, body, urls(), 1);
  };
  await atRate(rate, count, () => {
    const event = traffic.next();
    if (killAt.has(events.length)) restarts.push((restarts.at(-1) ?? Promise.resolve()).then(restart));
    events.push(event);
    pending.push(deliver(emulator, event.body, urls));
    if (Math.random() < REDELIVERED) again.push(redeliver(event.body));
  });
  const delivered = await Promise.all(pending);
  await Promise.all(again);
  await Promise.all(restarts);
  const outcomes = await whenSettled();
  say({
    part: 'lost',
    embedder: values.embedder,
    events: events.length,
    redeliveries: again.length,
    restarts: restarts.length,
    retriedByTheSender: delivered.filter(({ tries }) => tries > 1).length,
    unacknowledged: delivered.filter(({ acknowledged }) => !acknowledged).length,
    ...verify(emulator, events),
    reactions: events.filter(({ kind }) => kind === 'reaction').length,
    outcomes,
    seconds: Math.round((performance.now() - started) / 1_000),
    load: { before: loadBefore, after: load() },
  });
}

const MENTIONS = 200;

async function order({ emulator, company, start, settle: whenSettled }: Bench): Promise<void> {
  const instance = await start();
  const traffic = createTraffic(emulator, company, DAILY, 'fresh');
  const [channel = ''] = company.channels;
  const events = Array.from({ length: Number(values.events ?? MENTIONS) }, () => traffic.mention(channel));
  const loadBefore = load();
  const started = performance.now();
  const limited = setInterval(() => {
    emulator.refuseNext = 1 + Math.floor(Math.random() * 2);
  }, 7_000);
  const delivered = await Promise.all(events.map(({ body }) => deliver(emulator, body, () => [instance.url])));
  const outcomes = await whenSettled();
  clearInterval(limited);
  const threads = emulator.replies(channel).map((message) => message.thread_ts ?? '');
  say({
    part: 'order',
    database: process.env.TEST_DATABASE_URL ? 'server' : 'embedded',
    embedder: values.embedder,
    mentions: events.length,
    unacknowledged: delivered.filter(({ acknowledged }) => !acknowledged).length,
    acknowledgement: spread(delivered),
    outOfOrder: threads.filter((thread, index) => index > 0 && thread < (threads[index - 1] ?? '')).length,
    refusedWith429: emulator.calls.filter(({ error }) => error === 'ratelimited').length,
    ...verify(emulator, events),
    seconds: Math.round((performance.now() - started) / 1_000),
    outcomes,
    load: { before: loadBefore, after: load() },
  });
}

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = { ack: acknowledge, lost: lose, order };
const part = PARTS[positionals[0] ?? ''];
if (!part) throw new Error(`name a part: ${Object.keys(PARTS).join(', ')}`);
// Ended from outside it takes its instances with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
await withBench(part);
