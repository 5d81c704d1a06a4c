import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { describeConfig } from '../src/config.ts';

test('the table of the README says of every variable what the code says', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const rows = readme.split('\n').filter((line) => /^\| `[A-Z_]+` \|/.test(line));
  expect(rows).toEqual(
    describeConfig().map((row) => `| \`${row.name}\` | ${row.meaning} | ${row.default || '–'} | \`${row.example}\` |`),
  );
});
