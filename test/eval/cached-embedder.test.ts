import { mkdtemp, readdir, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCachedEmbedder } from '../../eval/cached-embedder.ts';
import type { Embedder } from '../../retrieval/ports.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'verbatim-vectors-'));
});
afterEach(() => rm(directory, { recursive: true }));

const DIMENSIONS = 3;
const RECORD_BYTES = 32 + 4 * DIMENSIONS;

/** Vectors by length and kind; notes what it was asked. */
function countingEmbedder(id = 'test:counting/1'): Embedder & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    id,
    dimensions: DIMENSIONS,
    asked,
    async embed(texts, kind) {
      asked.push(...texts);
      return texts.map((text) => [text.length / 10, kind === 'question' ? 1 : 0, 0.1]);
    },
  };
}

async function vectorFile(): Promise<string> {
  const [name = ''] = await readdir(directory);
  return join(directory, name);
}

test('a text is computed once, also over two runs, and always has the same vector', async () => {
  const first = countingEmbedder();
  const one = await createCachedEmbedder(first, directory);
  const before = await one.embed(['aa', 'bbb', 'aa'], 'document');
  expect(first.asked).toEqual(['aa', 'bbb']);
  const second = countingEmbedder();
  const two = await createCachedEmbedder(second, directory);
  expect(await two.embed(['bbb', 'cccc', 'aa'], 'document')).toEqual([
    before[1],
    [Math.fround(0.4), 0, Math.fround(0.1)],
    before[0],
  ]);
  expect(second.asked).toEqual(['cccc']);
  expect(two.counts).toEqual({ remembered: 2, computed: 1 });
});

test('what is embedded as a question is computed by every run anew, once, and is in no file', async () => {
  for (let run = 0; run < 2; run++) {
    const embedder = countingEmbedder();
    const cached = await createCachedEmbedder(embedder, directory);
    const first = await cached.embed(['aa', 'bbb'], 'question');
    expect(await cached.embed(['aa', 'bbb'], 'question')).toEqual(first);
    expect(embedder.asked).toEqual(['aa', 'bbb']);
    expect(cached.counts).toEqual({ remembered: 0, computed: 0 });
  }
  expect((await stat(await vectorFile())).size).toBe(0);
});

test('a question and a document of the same words are two texts', async () => {
  const cached = await createCachedEmbedder(countingEmbedder(), directory);
  const [asDocument] = await cached.embed(['same'], 'document');
  const [asQuestion] = await cached.embed(['same'], 'question');
  expect(asDocument?.[1]).toBe(0);
  expect(asQuestion?.[1]).toBe(1);
});

test('each embedder has a file of its own', async () => {
  for (const id of ['a:1', 'a:2'])
    await (await createCachedEmbedder(countingEmbedder(id), directory)).embed(['x'], 'document');
  expect(await readdir(directory)).toHaveLength(2);
});

test('a record that was not finished is cut off and computed again', async () => {
  const cached = await createCachedEmbedder(countingEmbedder(), directory);
  await cached.embed(['a', 'bb'], 'document');
  const path = await vectorFile();
  await truncate(path, 2 * RECORD_BYTES - 5);
  const next = countingEmbedder();
  expect(await (await createCachedEmbedder(next, directory)).embed(['a', 'bb'], 'document')).toHaveLength(2);
  expect(next.asked).toEqual(['bb']);
  expect((await stat(path)).size).toBe(2 * RECORD_BYTES);
});

test('the records of several writers are all read', async () => {
  const one = await createCachedEmbedder(countingEmbedder(), directory);
  const two = await createCachedEmbedder(countingEmbedder(), directory);
  await one.embed(['a'], 'document');
  await two.embed(['bb'], 'document');
  const next = countingEmbedder();
  await (await createCachedEmbedder(next, directory)).embed(['a', 'bb'], 'document');
  expect(next.asked).toEqual([]);
});

test('a failure of the embedder is passed on, and nothing is remembered of it', async () => {
  const failing: Embedder = { ...countingEmbedder(), embed: () => Promise.reject(new Error('away')) };
  await expect((await createCachedEmbedder(failing, directory)).embed(['a'], 'document')).rejects.toThrow('away');
  expect((await stat(await vectorFile())).size).toBe(0);
});
