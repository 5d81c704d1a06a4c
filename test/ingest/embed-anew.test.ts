import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type EmbedAnewOptions, embedAnew } from '../../ingest/embed-anew.ts';
import { missingVectorIndexes } from '../../ingest/vector-indexes.ts';
import type { Embedder } from '../../retrieval/ports.ts';
import { createSearch, type SearchOptions, type SearchResult } from '../../retrieval/search.ts';
import { visibleAcls } from '../../retrieval/visible-acls.ts';
import { type Corpus, createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { createTestLogger } from '../helpers/test-logger.ts';
import { createWordEmbedder } from '../helpers/word-embedder.ts';

let opened: TestDatabase;
let corpus: Corpus;
beforeAll(async () => {
  opened = await testDatabase();
});
beforeEach(async () => {
  await opened.reset();
  corpus = createCorpus(opened.database, { embedder: old });
  for (let index = 0; index < 70; index++) await corpus.add(`${index}.md`, `The walrus number ${index} sleeps.`);
  await corpus.refresh();
});
afterAll(() => opened.close());

const old = createWordEmbedder('test:words@1');
const next = createWordEmbedder('test:words@2');

const anew = (options: Partial<EmbedAnewOptions> = {}) =>
  embedAnew(
    {
      database: opened.database,
      embedder: next,
      logger: createTestLogger().logger,
      buildIndexes: async () => undefined,
      ...options,
    },
    'acme',
  );

async function search(embedder: Embedder, options: Partial<SearchOptions> = {}): Promise<SearchResult> {
  const audience = [{ principals: ['verbatim:everyone'] }];
  const visibleTo = await opened.database.transaction((query) => visibleAcls(query, 'acme', audience));
  const run = createSearch({
    database: opened.database,
    embedder,
    weights: { lexical: 0, vector: 1 },
    lexicalTimeoutMs: 30_000,
    vectorTimeoutMs: 30_000,
    logger: createTestLogger().logger,
    clock: Date.now,
    ...options,
  });
  return run({ question: 'walrus number 7', visibleTo, audience, limit: 5 });
}

const byMeaning = ({ ranked }: SearchResult) => ranked.filter((chunk) => chunk.contributions.vector > 0).length;

async function vectors(): Promise<Record<string, number>> {
  const rows = await opened.database.owner((query) =>
    query<{ name: string; state: string; count: number }>(
      `select m.name, m.state, count(e.chunk_id)::int as count from embedders m
         left join chunk_embeddings e on e.tenant_id = m.tenant_id and e.embedder_id = m.embedder_id group by 1, 2`,
    ),
  );
  return Object.fromEntries(rows.map(({ name, state, count }) => [`${name} ${state}`, count]));
}

/** Fails on the texts of which `isBad` says so. */
function failing(isBad: (text: string) => boolean): Embedder {
  return {
    ...next,
    embed: async (texts, kind) => {
      if (texts.some(isBad)) throw new Error('down');
      return next.embed(texts, kind);
    },
  };
}

test('the new vectors take the place of the old, which are gone afterwards', async () => {
  const shown: number[] = [];
  const outcome = await anew({ onProgress: (done) => shown.push(done) });
  expect(outcome).toEqual({ active: true, replaced: 'test:words@1', embedded: 70, missing: 0, removed: 70 });
  expect(shown).toEqual([64, 70]);
  expect(await vectors()).toEqual({ 'test:words@2 active': 70 });
  expect(byMeaning(await search(next))).toBe(5);
});

test('what is stopped is gone on with, and done twice changes nothing', async () => {
  let stored = 0;
  const stopped = anew({
    onProgress: (done) => {
      stored = done;
      throw new Error('stopped');
    },
  });
  await expect(stopped).rejects.toThrow('stopped');
  expect(await vectors()).toEqual({ 'test:words@1 active': 70, 'test:words@2 building': stored });
  expect(await anew()).toMatchObject({ active: true, embedded: 70 - stored, removed: 70 });
  expect(await anew()).toEqual({ active: true, replaced: null, embedded: 0, missing: 0, removed: 0 });
});

test('old vectors that a stopped run left are removed by the next', async () => {
  await opened.database.owner((query) => query(`update embedders set state = 'retired'`));
  await opened.database.owner((query) =>
    query(
      `insert into embedders (tenant_id, embedder_id, name, dimensions, state) values ('acme', 9, 'test:words@2', 16, 'active')`,
    ),
  );
  expect(await anew()).toMatchObject({ active: true, embedded: 70, removed: 70 });
  expect(await vectors()).toEqual({ 'test:words@2 active': 70 });
});

test('while a chunk cannot be embedded, the old vectors stay in use', async () => {
  const outcome = await anew({ embedder: failing((text) => text.includes('number 7 ')) });
  expect(outcome).toEqual({ active: false, replaced: null, embedded: 69, missing: 1, removed: 0 });
  expect(await vectors()).toEqual({ 'test:words@1 active': 70, 'test:words@2 building': 69 });
  expect(byMeaning(await search(old))).toBe(5);
}, 240_000);

test('a document that comes in before the switch is not left out', async () => {
  let late: Promise<unknown> | undefined;
  const outcome = await anew({
    buildIndexes: async () => {
      late ??= corpus.add('late.md', 'The walrus that came late sleeps.');
      await late;
    },
  });
  expect(outcome).toMatchObject({ active: true, embedded: 71, missing: 0, removed: 71 });
});

test('the index of the old vectors goes with them', async () => {
  const options = { embedded: opened.database.embedded, minVectors: 10 };
  const build = async () => {
    const missing = await opened.database.owner((query) => missingVectorIndexes(query, options));
    for (const { sql } of missing) await opened.database.outsideTransaction(sql);
  };
  const names = async () =>
    (
      await opened.database.owner((query) =>
        query<{ name: string }>(
          `select indexname as name from pg_indexes where indexdef like '%hnsw%' and schemaname = current_schema()`,
        ),
      )
    ).map((row) => row.name);
  await build();
  const before = await names();
  await anew({ buildIndexes: build });
  const after = await names();
  expect([before.length, after.length]).toEqual([1, 1]);
  expect(after).not.toEqual(before);
  await opened.database.outsideTransaction(`drop index ${after[0]}`);
});

describe('a model that was replaced under its name', () => {
  /** The old name over vectors of `size` numbers. */
  const replacedBy = (size: number): Embedder => ({
    id: old.id,
    dimensions: null,
    embed: async (texts) =>
      texts.map((text) => Array.from({ length: size }, (_, index) => (index < text.length ? 1 : 0))),
  });

  test.each([
    ['shows by vectors of another size', 8, {}],
    ['has to be told where they have the same', 16, { modelReplaced: true }],
  ])('%s: all vectors are made anew, and words alone are searched until then', async (_, size, settings) => {
    const during: SearchResult[] = [];
    const embedder = replacedBy(size);
    const outcome = await anew({
      ...settings,
      embedder,
      buildIndexes: async () => void during.push(await search(embedder, { embedderById: () => null })),
    });
    expect(outcome).toMatchObject({ active: true, embedded: 70, missing: 0, removed: 70 });
    expect(during.map(byMeaning)).toEqual([0]);
    expect(during[0]?.degraded).toEqual(['vector_search_unavailable']);
    expect(await vectors()).toEqual({ 'test:words@1 active': 70 });
    expect(byMeaning(await search(embedder))).toBe(5);
    expect(await anew({ embedder })).toMatchObject({ active: true, embedded: 0, removed: 0 });
  });

  test('once more while all is made anew ends the run, with advice other than to make all anew', async () => {
    let calls = 0;
    // The probe and the first batch are of the one, what follows of the other.
    const embed: Embedder['embed'] = (texts, kind) => replacedBy(++calls <= 2 ? 8 : 4).embed(texts, kind);
    const { logger, lines } = createTestLogger();
    const outcome = await anew({ embedder: { ...replacedBy(8), embed }, logger });
    expect(outcome).toMatchObject({ active: false, embedded: 64, missing: 6 });
    const said = JSON.stringify(lines());
    expect(said).toContain('one model alone');
    expect(said).not.toContain('verbatim reembed');
    expect(await anew({ embedder: replacedBy(8) })).toMatchObject({ active: true, embedded: 6, missing: 0 });
  });

  test('what a stopped run made is kept by the next, also when that is told again', async () => {
    const embedder = replacedBy(16);
    const onProgress = () => {
      throw new Error('stopped');
    };
    await expect(anew({ embedder, modelReplaced: true, onProgress })).rejects.toThrow('stopped');
    expect(await anew({ embedder, modelReplaced: true })).toMatchObject({ active: true, embedded: 6, removed: 70 });
  });

  test('vectors of it that stand among the others, with which no search works, are made anew', async () => {
    await opened.database.owner((query) =>
      query(`update chunk_embeddings set embedding = '[1,0]' where chunk_id in (select chunk_id from chunks limit 3)`),
    );
    expect((await search(old, { weights: { lexical: 1, vector: 1 } })).degraded).toEqual(['vector_search_failed']);
    expect(await anew({ embedder: old })).toMatchObject({ active: true, embedded: 3, missing: 0, removed: 3 });
    expect(byMeaning(await search(old))).toBe(5);
  });

  test('nothing is changed while it is away', async () => {
    await expect(anew({ embedder: failing(() => true) })).rejects.toThrow('down');
    expect(await vectors()).toEqual({ 'test:words@1 active': 70 });
  });
});

describe('a search whose embedder is not the one of the vectors', () => {
  const byId = (id: string) => (id === old.id ? old : null);

  test('uses the old one while it can be had, and never both', async () => {
    await anew({ embedder: failing((text) => text.includes('number 69')) });
    const result = await search(next, { embedderById: byId });
    expect(result.degraded).toEqual([]);
    expect(result.ranked.map((chunk) => chunk.chunkId)).toEqual(
      (await search(old)).ranked.map((chunk) => chunk.chunkId),
    );
  }, 240_000);

  test('finds by words alone where it cannot, and says so', async () => {
    const result = await search(next, { embedderById: () => null, weights: { lexical: 1, vector: 1 } });
    expect(result.degraded).toEqual(['vector_search_unavailable']);
    expect([byMeaning(result), result.ranked.map((chunk) => chunk.uri)]).toEqual([0, ['7.md']]);
  });

  test('by a process that still has the old one after the switch uses the new one', async () => {
    await anew();
    const result = await search(old, { embedderById: (id) => (id === next.id ? next : null) });
    expect([byMeaning(result), result.degraded]).toEqual([5, []]);
  });

  test('a tenant without vectors is searched by words and lacks nothing', async () => {
    await opened.database.owner((query) => query('delete from embedders'));
    expect((await search(next, { weights: { lexical: 1, vector: 1 } })).degraded).toEqual([]);
  });
});
