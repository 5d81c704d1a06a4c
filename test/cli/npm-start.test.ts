// `npm start` as a process manager runs and ends it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { migratedDataDir } from '../helpers/embedded-template.ts';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

test('it is not ready before the demo is in, a SIGTERM for npm ends it, and its log names nobody', {
  timeout: 180_000,
}, async () => {
  const dataDir = await migratedDataDir();
  const port = await freePort();
  const npm = spawn('npm', ['start'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, VERBATIM_DATA_DIR: dataDir, VERBATIM_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (said += chunk));
  const alive = () =>
    fetch(`http://127.0.0.1:${port}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  try {
    await vi.waitFor(async () => expect(await alive(), said).toBe(true), { timeout: 120_000, interval: 500 });
    const ready = await fetch(`http://127.0.0.1:${port}/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { demo: 'is being loaded' } }]);
    const ended = once(npm, 'close');
    npm.kill('SIGTERM');
    await ended;
    await vi.waitFor(async () => expect(await alive()).toBe(false), { timeout: 30_000, interval: 500 });
    expect(said).not.toMatch(/Who is asking/);
  } finally {
    npm.kill('SIGKILL');
    await rm(dataDir, { recursive: true, force: true });
  }
});
