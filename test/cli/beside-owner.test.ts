// Commands of processes of their own, beside another process that owns the embedded database.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openEmbedded } from '../../src/database/embedded.ts';
import { createDatabase } from '../../src/database/pool.ts';
import { migratedDataDir } from '../helpers/embedded-template.ts';
import { startOwnerProcess } from '../helpers/start-owner-process.ts';

const BIN = fileURLToPath(new URL('../../src/bin.js', import.meta.url));

let dataDir: string;
let cleanUp: (() => unknown)[];
beforeEach(async () => {
  dataDir = await migratedDataDir();
  cleanUp = [() => rm(dataDir, { recursive: true, force: true })];
});
afterEach(async () => {
  for (const step of cleanUp.reverse()) await step();
});

interface Running {
  readonly child: ChildProcess;
  readonly err: Promise<string>;
  readonly status: Promise<number | null>;
}

function command(...args: string[]): Running {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, VERBATIM_DATA_DIR: dataDir },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  cleanUp.push(() => child.kill('SIGKILL'));
  return { child, err: text(child.stderr), status: once(child, 'exit').then(([status]) => status as number | null) };
}

test('a command whose owner is killed ends within seconds, with an error that fits and nothing else', async () => {
  const owner = startOwnerProcess(dataDir, 'job');
  cleanUp.push(() => owner.kill());
  await owner.readUntil((event) => 'started' in event);
  const folder = join(dataDir, 'many');
  await mkdir(folder);
  for (let index = 0; index < 300; index++) await writeFile(join(folder, `${index}.md`), `Swan ${index} swims.\n`);
  const { status, err } = command('ingest', folder);
  const server = await openEmbedded({ dataDir });
  const database = createDatabase({ connection: server.connection });
  cleanUp.push(() => database.close());
  await vi.waitFor(
    async () => expect(await database.owner((query) => query('select 1 from chunks'))).not.toHaveLength(0),
    { timeout: 60_000 },
  );
  await owner.kill();
  const killedAt = performance.now();

  expect(await status).toBe(1);
  // Threads of the embedder may be loading a model, which ends first.
  expect(performance.now() - killedAt).toBeLessThan(20_000);
  expect(await err).toMatch(
    /^(\d+ of \d+ documents, \d+ s\n)*error: the embedded database has stopped, or the process that ran it/,
  );
});

test('a command says at once which process it waits for', async () => {
  const owner = await openEmbedded({ dataDir, shared: false });
  const { child, status, err } = command('status');
  const [first] = await once(child.stderr ?? child, 'data');
  expect(String(first)).toMatch(new RegExp(`^hint: process ${process.pid} uses the database`));
  await owner.close();
  expect(await status).toBe(0);
  expect(await err).toMatch(/^[^\n]*\n$/);
});
