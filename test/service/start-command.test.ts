// What `npm start` says before it starts anything.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../helpers/run-command.ts';

test('a port that is taken is named before a database is made', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const dataDir = join(tmpdir(), `verbatim-never-made-${port}`);
  const { status, err } = await runCommand(['start'], { VERBATIM_DATA_DIR: dataDir, VERBATIM_PORT: String(port) });
  other.close();
  expect(status).toBe(1);
  expect(err).toMatch(new RegExp(`port ${port} of 127.0.0.1 is taken; .*VERBATIM_PORT`));
  expect(existsSync(dataDir)).toBe(false);
});
