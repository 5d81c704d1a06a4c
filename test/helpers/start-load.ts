// A load of 50 askers for 30 s on a service of its own with the demo company: what was lost, and how long its event loop
// stood still. Not a test: figures depend on the machine. Run: node --import tsx test/helpers/start-load.ts [seconds] [askers]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';

const [seconds = '30', askers = '50', keptDataDir = ''] = process.argv.slice(2);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'src/bin.js');

interface DemoQuestion {
  readonly text: string;
  readonly as: string;
}

const dataDir = keptDataDir || (await mkdtemp(join(tmpdir(), 'verbatim-load-')));
const environment = {
  ...process.env,
  VERBATIM_DATA_DIR: dataDir,
  VERBATIM_PORT: '0',
  VERBATIM_RATE_PER_MINUTE: '1000000',
  VERBATIM_LOG_LEVEL: 'warn',
};
const questions: DemoQuestion[] = JSON.parse(await readFile(join(ROOT, 'src/demo/company/questions.json'), 'utf8'));

const service = spawn(process.execPath, [BIN, 'start'], { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
try {
  const url = await addressOf(service);
  await vectorsAreIn(url);
  const tokens = new Map<string, string>();
  for (const person of new Set(questions.map(({ as }) => as))) {
    const token = await tokenOf(person);
    if (token !== '') tokens.set(person, token);
  }
  for (const kind of ['every question new', 'questions asked before']) {
    if (kind === 'questions asked before') await askAll(url, tokens);
    await maxLagMs(url);
    const result = await load(url, tokens, kind === 'every question new');
    const { requests, latency, errors, timeouts, non2xx } = result;
    say({
      kind,
      answered: result['2xx'],
      lost: errors + timeouts + non2xx,
      perSecond: requests.average,
      p50Ms: latency.p50,
      p99Ms: latency.p99,
      longestEventLoopBlockMs: await maxLagMs(url),
    });
  }
} finally {
  service.kill('SIGTERM');
  if (service.exitCode === null) await once(service, 'exit');
  if (!keptDataDir) await rm(dataDir, { recursive: true, force: true });
}

function say(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

async function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    // Read to the end: a service whose output nobody reads ends.
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const found = /ready at (http\S+) with/.exec(output)?.[1];
      if (found) resolve(found);
    });
    child.once('exit', () => reject(new Error(`the service ended: ${output}`)));
  });
}

// The first start embeds in the background; that is another load.
async function vectorsAreIn(url: string): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const waiting = [...metrics.matchAll(/^verbatim_jobs\{.*state="(?:queued|active)"\} (\d+)$/gm)];
    if (waiting.every(([, count]) => count === '0')) return;
    await sleep(5_000);
  }
}

async function tokenOf(email: string): Promise<string> {
  const child = spawn(process.execPath, [BIN, 'token', '--as', email], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let token = '';
  for await (const chunk of child.stdout) token += chunk;
  return token.trim();
}

/** The longest delay of the service's event loop since the last call. */
async function maxLagMs(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Math.round(Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1]) * 1000);
}

async function askAll(url: string, tokens: ReadonlyMap<string, string>): Promise<void> {
  for (const { text, as } of questions.filter((each) => tokens.has(each.as))) {
    const headers = { authorization: `Bearer ${tokens.get(as)}`, 'content-type': 'application/json' };
    await fetch(`${url}/v1/answers`, { method: 'POST', headers, body: JSON.stringify({ question: text }) });
  }
}

async function load(url: string, tokens: ReadonlyMap<string, string>, fresh: boolean): Promise<autocannon.Result> {
  let sent = 0;
  // Not those of somebody who has left.
  const asked = questions.filter(({ as }) => tokens.has(as));
  return autocannon({
    url: `${url}/v1/answers`,
    method: 'POST',
    connections: Number(askers),
    duration: Number(seconds),
    timeout: 300,
    setupClient: (client) => {
      const next = () => {
        const { text, as } = asked[sent % asked.length] as DemoQuestion;
        sent++;
        client.setHeadersAndBody(
          { authorization: `Bearer ${tokens.get(as)}`, 'content-type': 'application/json' },
          JSON.stringify({ question: fresh ? `${text} (request ${sent})` : text }),
        );
      };
      next();
      client.on('response', next);
    },
  });
}
