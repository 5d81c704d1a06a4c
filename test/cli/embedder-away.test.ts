// Commands while the server of the configured embedder is away: what embeds nothing does not need it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbedded } from '../../src/database/embedded.ts';
import { type ModelServer, startModelServer } from '../helpers/model-servers.ts';
import { type ProcessDatabase, processDatabase } from '../helpers/process-database.ts';
import { runCommand } from '../helpers/run-command.ts';

let place: ProcessDatabase;
let service: { close(): Promise<void> } | undefined;
let server: ModelServer;
let folder: string;
beforeAll(async () => {
  [place, server, folder] = await Promise.all([
    processDatabase(),
    startModelServer(),
    mkdtemp(join(tmpdir(), 'verbatim-away-')),
  ]);
  const dataDir = place.environment.VERBATIM_DATA_DIR;
  if (dataDir) service = await openEmbedded({ dataDir });
  await writeFile(join(folder, 'people.json'), JSON.stringify({ people: [{ email: 'ann@x.example' }] }));
  await writeFile(join(folder, 'leave.md'), '# Leave\n\nEvery employee has 30 days of annual leave a year.\n');
  await writeFile(join(folder, 'badge.md'), '# Badge\n\nReport a lost badge to the front desk at once.\n');
});
afterAll(async () => {
  await service?.close();
  await Promise.all([server.close(), place.close(), rm(folder, { recursive: true, force: true })]);
});

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand(args, {
    ...place.environment,
    VERBATIM_EMBEDDER: 'ollama:emb',
    OLLAMA_BASE_URL: server.url,
    ...environment,
  });

// Nothing listens there.
const AWAY = { OLLAMA_BASE_URL: 'http://127.0.0.1:9' };
const away = (...args: readonly string[]) => run(args, AWAY);
const ask = (question: string, environment: Readonly<Record<string, string>>) =>
  run(['ask', question, '--as', 'ann@x.example', '--json'], environment);

test('everything but embedding goes on, and questions are answered by words', async () => {
  await run(['directory', 'import', join(folder, 'people.json')]);
  await run(['ingest', join(folder, 'leave.md'), '--allow', 'verbatim:everyone']);
  expect(JSON.parse((await ask('How many days of annual leave are there?', {})).out).degraded).toEqual([]);

  const answered = await ask('How many days of annual leave does an employee have?', AWAY);
  expect(JSON.parse(answered.out)).toMatchObject({ status: 'answered', degraded: ['vector_search_failed'] });
  expect(await away('directory', 'import', join(folder, 'people.json'))).toMatchObject({ status: 0 });
  const ingested = await away('ingest', join(folder, 'badge.md'), '--allow', 'verbatim:everyone');
  expect([ingested.status, ingested.out]).toEqual([0, expect.stringContaining('1 indexed')]);
  const status = await away('status', '--json');
  expect(JSON.parse(status.out)).toMatchObject({ chunks: 2, chunksWithoutVector: 1, failures: [] });
  expect(await away('forget', join(folder, 'leave.md'))).toMatchObject({ status: 0 });
  expect(await away('reembed')).toMatchObject({ status: 1, err: expect.stringContaining('check OLLAMA_BASE_URL') });
}, 240_000);

test('status tells of an embedder that is configured and not in use yet', async () => {
  await run(['ingest', join(folder, 'leave.md'), '--allow', 'verbatim:everyone']);
  const next = { VERBATIM_EMBEDDER: 'ollama:next' };
  expect((await run(['status'], next)).out).toMatch(
    /ollama:emb; ollama:next is configured and not in use: \d chunks? without a vector of it, run "verbatim reembed"/,
  );
  await run(['reembed'], next);
  const { embedder, pendingEmbedder } = JSON.parse((await run(['status', '--json'], next)).out);
  expect([embedder, pendingEmbedder]).toEqual(['ollama:next', null]);
}, 240_000);
