import { appendFile, cp, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digestAnswerCode } from '../src/answer-code.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'verbatim-code-'));
  for (const name of [
    'retrieval',
    'src/providers',
    'src/database',
    'src/product.ts',
    'src/status.ts',
    'package.json',
  ]) {
    await cp(join(ROOT, name), join(root, name), { recursive: true });
  }
});
afterEach(() => rm(root, { recursive: true }));

test('the same code is known again wherever it is', () => {
  expect(digestAnswerCode(root)).toBe(digestAnswerCode());
  expect(digestAnswerCode()).toMatch(/^[0-9a-f]{64}$/);
});

test.each<[string, () => Promise<unknown>]>([
  ['a letter of the core', () => appendFile(join(root, 'retrieval/sentences.ts'), ' ')],
  ['a letter of a provider', () => appendFile(join(root, 'src/providers/answer-prompt.ts'), ' ')],
  ['what runs on a thread', () => appendFile(join(root, 'src/providers/builtin-embedder-worker.js'), ' ')],
  ['how the parts are put together', () => appendFile(join(root, 'src/product.ts'), ' ')],
  ['a migration', () => writeFile(join(root, 'src/database/migrations/9999_other.sql'), '')],
  ['a library', () => appendFile(join(root, 'package.json'), ' ')],
  ['a name', () => rename(join(root, 'retrieval/sentences.ts'), join(root, 'retrieval/sentence.ts'))],
  [
    'a folder in a folder',
    async () => {
      await mkdir(join(root, 'retrieval/more'));
      await writeFile(join(root, 'retrieval/more/more.ts'), '');
    },
  ],
])('another is known by %s', async (_, change) => {
  await change();
  expect(digestAnswerCode(root)).not.toBe(digestAnswerCode());
});

test('what answers do not depend on may change', async () => {
  await appendFile(join(root, 'src/status.ts'), ' ');
  expect(digestAnswerCode(root)).toBe(digestAnswerCode());
});
