// The prompt of `npm start`, with people who come and go beside it.
import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { importDirectory } from '../../ingest/directory.ts';
import { readDirectoryFile } from '../../ingest/directory-file.ts';
import { runPrompt } from '../../src/cli/prompt.ts';
import type { CliContext } from '../../src/cli/run-cli.ts';
import type { Product } from '../../src/product.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await testDatabase();
});
afterAll(() => opened.close());

const people = (tenantId: string, ...emails: string[]) =>
  opened.database.transaction((query) =>
    importDirectory(query, readDirectoryFile(['email', ...emails].join('\n')), {
      ...{ tenantId, name: 'import', merge: false, force: true },
    }),
  );

function startPrompt(tenantId: string) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let shown = '';
  stdout.on('data', (chunk) => {
    shown += chunk;
  });
  const context = { streams: { stdin, stdout, stderr: stdout } } as unknown as CliContext;
  const ended = runPrompt(context, { database: opened.database } as unknown as Product, tenantId);
  const until = async (pattern: RegExp) => {
    await vi.waitFor(() => expect(shown).toMatch(pattern), { timeout: 20_000 });
    shown = '';
  };
  return {
    until,
    say: async (line: string, pattern: RegExp) => {
      stdin.write(`${line}\n`);
      await until(pattern);
    },
    end: () => {
      stdin.end();
      return ended;
    },
  };
}

test('people who are imported while it runs are found, and those who went are not', async () => {
  const tenantId = `t-${randomUUID()}`;
  await people(tenantId, 'ann@x.example', 'bob@x.example');
  const prompt = startPrompt(tenantId);
  await prompt.until(/1 {2}ann@x\.example .*\n.*2 {2}bob@x\.example .*Who is asking/s);
  await people(tenantId, 'aaron@x.example', 'bob@x.example');
  await prompt.say('2', /Asking as bob@x\.example.*bob@x\.example> $/s);
  await prompt.say('/as aaron@x.example', /Asking as aaron@x\.example/);
  await prompt.say('/as 1', /There is no "1"/);
  await prompt.say('/people', /1 {2}aaron@x\.example .*> $/s);
  await prompt.say('/as', /Say who asks: \/as and a number.*> $/s);
  await prompt.say('/with nobody@x.example', /nobody@x\.example is not in the directory and may read nothing.*> $/s);
  await prompt.say('/with bob', /"bob" is neither.*aaron@x\.example \+ nobody@x\.example> $/s);
  await prompt.say('/with 2', /^aaron@x\.example \+ bob@x\.example> $/);
  await prompt.say('/with', /^aaron@x\.example> $/);
  expect(await prompt.end()).toBe('ended');
});
