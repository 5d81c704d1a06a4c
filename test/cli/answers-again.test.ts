// Whether a command gives an answer again after a change of what answers.
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbedded } from '../../src/database/embedded.ts';
import { type ModelServer, startModelServer } from '../helpers/model-servers.ts';
import { type ProcessDatabase, processDatabase } from '../helpers/process-database.ts';
import { runCommand } from '../helpers/run-command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let place: ProcessDatabase;
let service: { close(): Promise<void> } | undefined;
let servers: [ModelServer, ModelServer];
let folder: string;
beforeAll(async () => {
  [place, folder] = await Promise.all([processDatabase(), mkdtemp(join(tmpdir(), 'verbatim-again-'))]);
  servers = [await startModelServer(), await startModelServer()];
  for (const server of servers)
    server.reply({ text: JSON.stringify({ sufficient: false, answer: '', citations: [] }) });
  const dataDir = place.environment.VERBATIM_DATA_DIR;
  if (dataDir) service = await openEmbedded({ dataDir });
  await writeFile(join(folder, 'people.json'), JSON.stringify({ people: [{ email: 'ann@x.example' }] }));
  await writeFile(join(folder, 'leave.md'), '# Leave\n\nEvery employee has 30 days of annual leave a year.\n');
  await runCommand(['directory', 'import', join(folder, 'people.json')], settings());
  await runCommand(['ingest', join(folder, 'leave.md'), '--allow', 'verbatim:everyone'], settings());
});
afterAll(async () => {
  await service?.close();
  await Promise.all([...servers.map((server) => server.close()), place.close()]);
  await rm(folder, { recursive: true, force: true });
});

const settings = (more: Readonly<Record<string, string>> = {}) => ({
  ...place.environment,
  VERBATIM_EMBEDDER: 'ollama:emb',
  OLLAMA_BASE_URL: servers[0].url,
  ...more,
});

const ASK = ['ask', 'How many days of annual leave does an employee have?', '--as', 'ann@x.example', '--json'];

// What is given again was not searched for.
const isGivenAgain = (written: string) => !('search' in JSON.parse(written).timingsMs);

async function asked(more: Readonly<Record<string, string>> = {}): Promise<boolean> {
  const { status, out, err } = await runCommand(ASK, settings(more));
  expect([status, err]).toEqual([0, '']);
  return isGivenAgain(out);
}

test('a model of the same name at another address is another model', async () => {
  const model = { VERBATIM_MODEL: 'ollama:m' };
  const elsewhere = { ...model, OLLAMA_BASE_URL: servers[1].url };
  expect([await asked(model), await asked(model), await asked(elsewhere), await asked(elsewhere)]).toEqual([
    false,
    true,
    false,
    true,
  ]);
  const chats = servers.map(({ received }) => received.filter(({ path }) => path === '/api/chat').length);
  expect(chats).toEqual([1, 1]);
}, 120_000);

test('an answer of another release is not given again, of the same one it is', async () => {
  const upgraded = join(folder, 'upgraded');
  for (const name of ['adapters', 'eval', 'ingest', 'retrieval', 'src', 'package.json', 'tsconfig.json']) {
    await cp(join(ROOT, name), join(upgraded, name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(upgraded, 'node_modules'));
  const askUpgraded = async () => {
    const env = { PATH: process.env.PATH, ...settings() };
    const { stdout } = await promisify(execFile)(process.execPath, [join(upgraded, 'src/bin.js'), ...ASK], { env });
    return isGivenAgain(stdout);
  };
  expect([await asked(), await asked(), await askUpgraded()]).toEqual([false, true, true]);
  await appendFile(join(upgraded, 'retrieval/extractive-answer.ts'), '// Mended.\n');
  expect([await askUpgraded(), await askUpgraded(), await asked()]).toEqual([false, true, true]);
}, 120_000);
