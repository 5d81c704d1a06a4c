import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { missingVectorIndexes } from '../../ingest/vector-indexes.ts';
import { DatabaseTimeoutError } from '../../retrieval/errors.ts';
import type { VisibleTo } from '../../retrieval/model.ts';
import type { Database, Embedder } from '../../retrieval/ports.ts';
import { createSearch, type SearchOptions, type SearchResult } from '../../retrieval/search.ts';
import { readTermRarity } from '../../retrieval/term-rarity.ts';
import { visibleAcls } from '../../retrieval/visible-acls.ts';
import { acl, type Corpus, createCorpus } from '../helpers/corpus.ts';
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
  corpus = createCorpus(opened.database);
});
afterAll(() => opened.close());

const audience = [{ principals: ['verbatim:everyone'] }];

async function search(
  question: string,
  options: Partial<SearchOptions> = {},
  limit = 10,
  rights?: VisibleTo,
): Promise<SearchResult> {
  const visibleTo = rights ?? (await opened.database.transaction((query) => visibleAcls(query, 'acme', audience)));
  const run = createSearch({
    database: opened.database,
    embedder: createWordEmbedder(),
    weights: { lexical: 1, vector: 0.3 },
    lexicalTimeoutMs: 30_000,
    vectorTimeoutMs: 30_000,
    logger: createTestLogger().logger,
    clock: Date.now,
    ...options,
  });
  return run({ question, visibleTo, audience, limit });
}

const uris = (result: SearchResult) => result.ranked.map((chunk) => chunk.uri);

describe('what is found', () => {
  test.each([
    ['an error code', 'ERR-4021', 'The device shows ERR-4021 when the probe is missing.'],
    ['a ticket key in other case', 'ops-1187', 'See OPS-1187 for the outage.'],
    ['a part number', 'AX-200/B', 'Replace the seal with part AX-200/B.'],
    ['an e-mail address', 'payroll@x.example', 'Write to payroll@x.example about your payslip.'],
    ['a version', 'v2.14.0', 'Version v2.14.0 removes the old endpoint.'],
    ['a part of a compound', 'probe', 'The device shows ERR-4021 when the probe is missing.'],
    ['another form of a word', 'approvals', 'Two people approve each payment.'],
    ['an irregular form of a word', 'losing a badge I paid for', 'Report a badge that is lost, and pay nothing.'],
  ])('%s', async (_, question, text) => {
    await corpus.add('right.md', text);
    await corpus.add(
      'wrong.md',
      'The device shows ERR-4022, see OPS-1188, part AX-200/C, sales@x.example and v2.14.1.',
    );
    await corpus.refresh();
    expect(uris(await search(`What about ${question}?`))[0]).toBe('right.md');
  });

  test('each score is the sum of its contributions, and the order is that of the scores', async () => {
    for (const word of ['walrus', 'walrus seal', 'seal', 'otter'])
      await corpus.add(`${word}.md`, `Here is the ${word}.`);
    await corpus.refresh();
    const { ranked, trace } = await search('walrus seal');
    for (const { score, contributions } of [...ranked, ...trace]) {
      const parts = Object.values(contributions).reduce((sum, part) => sum + part, 0);
      expect(score).toBe(parts);
    }
    expect(ranked.map((chunk) => chunk.score)).toEqual(ranked.map((chunk) => chunk.score).toSorted((a, b) => b - a));
    expect(ranked.map((chunk) => chunk.rank)).toEqual(ranked.map((_, index) => index + 1));
  });

  test.each([
    ['shares of the best fused score are added as they are', 'shares' as const, [0.5, 0.25]],
    ['other scores are stretched over the range of the fused ones', undefined, [1, 0]],
  ])('a reranker reads the title before the text; %s', async (_, scoresAre, expected) => {
    await corpus.add('a.md', '# Seal\n\nThe walrus sleeps.');
    await corpus.add('b.md', '# Walrus\n\nThe walrus wakes.');
    await corpus.refresh();
    const plain = await search('walrus');
    const read: string[] = [];
    const reranker = {
      id: 'test',
      ...(scoresAre ? { scoresAre } : {}),
      async rerank(_question: string, texts: readonly string[]) {
        read.push(...texts);
        return texts.map((text) => (text.startsWith('Seal\n') ? 0.5 : 0.25));
      },
    };
    const { ranked, trace } = await search('walrus', { reranker });
    expect(read.toSorted()).toEqual(['Seal\nThe walrus sleeps.', 'Walrus\nThe walrus wakes.']);
    const best = plain.ranked[0]?.score ?? 0;
    expect(uris({ ranked, trace } as SearchResult)[0]).toBe('a.md');
    expect(ranked.map((chunk) => chunk.contributions.rerank)).toEqual(expected.map((share) => share * best));
    for (const { score, contributions } of trace) {
      expect(score).toBeCloseTo(contributions.lexical + contributions.vector + (contributions.rerank ?? 0), 12);
    }
  });

  test('one long document does not crowd out the others', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `A${index},The walrus ${index} eats walrus food`);
    await corpus.add('long.csv', `id,note\n${rows.join('\n')}`);
    await corpus.add(
      'short.md',
      'A walrus may be kept by the curator alone, who writes down what it eats and where it sleeps.',
    );
    await corpus.refresh();
    const { ranked, trace } = await search('walrus', {}, 10);
    expect(ranked.filter((chunk) => chunk.uri === 'short.md')).toHaveLength(1);
    expect(trace.filter((entry) => entry.dropped === 'source_cap').length).toBeGreaterThan(0);
  });

  test('not by chunks that the reranker prefers, either', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `A${index},The walrus ${index} eats walrus food`);
    await corpus.add('long.csv', `id,note\n${rows.join('\n')}`);
    for (let index = 0; index < 8; index++)
      await corpus.add(`${index}.md`, `Here is the walrus ${index} of the curator.`);
    await corpus.refresh();
    const reranker = {
      id: 'test',
      rerank: async (_question: string, texts: readonly string[]) => texts.map((text) => Number(text.includes('food'))),
    };
    const { ranked } = await search('walrus', { reranker }, 10);
    expect(ranked.slice(0, 5).map((chunk) => chunk.uri)).toEqual(Array(5).fill('long.csv'));
    expect(ranked.filter((chunk) => chunk.uri === 'long.csv')).toHaveLength(5);
  });

  test('but alone it fills the list', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => `A${index},The walrus ${index} eats walrus food`);
    await corpus.add('long.csv', `id,note\n${rows.join('\n')}`);
    await corpus.refresh();
    expect((await search('walrus', {}, 10)).ranked).toHaveLength(10);
  });

  test('every candidate has one end, and what is ranked has none', async () => {
    for (let index = 0; index < 30; index++) await corpus.add(`${index}.md`, `The walrus number ${index} sleeps.`);
    await corpus.refresh();
    const { ranked, trace } = await search('walrus', {}, 5);
    expect(ranked).toHaveLength(5);
    expect(
      trace
        .filter((entry) => entry.dropped === null)
        .map((entry) => entry.chunkId)
        .sort(),
    ).toEqual(ranked.map((chunk) => chunk.chunkId).sort());
    expect(trace.filter((entry) => entry.dropped === 'beyond_limit')).toHaveLength(25);
  });
});

test('what loses its permission between search and reply is dropped and counted, not shown', async () => {
  await corpus.add('open.md', 'The walrus sleeps.');
  await corpus.add('closed.md', 'The walrus wakes.', { acl: acl({ allow: ['verbatim:group:keepers'] }) });
  await corpus.refresh();
  const keeper = [{ principals: ['verbatim:everyone', 'verbatim:group:keepers'] }];
  const before = await opened.database.transaction((query) => visibleAcls(query, 'acme', keeper));
  const { ranked, trace, droppedByPermission } = await search('walrus', {}, 10, before);
  expect([ranked.map((chunk) => chunk.uri), droppedByPermission]).toEqual([['open.md'], 1]);
  expect(trace.find((entry) => entry.dropped === 'permission')?.layer).toBe('verbatim:any-of:verbatim:group:keepers');
});

test('with a vector index the same is found as without', async () => {
  for (let index = 0; index < 30; index++)
    await corpus.add(`${index}.md`, `The walrus number ${index} sleeps in bay ${index % 7}.`);
  await corpus.refresh();
  const exact = await search('walrus in bay 3', { weights: { lexical: 0, vector: 1 } });
  const options = { embedded: opened.database.embedded, minVectors: 10 };
  const missing = await opened.database.owner((query) => missingVectorIndexes(query, options));
  expect(missing.map((index) => index.vectors)).toEqual([30]);
  for (const index of missing) await opened.database.outsideTransaction(index.sql);
  expect(await opened.database.owner((query) => missingVectorIndexes(query, options))).toEqual([]);
  const approximate = await search('walrus in bay 3', { weights: { lexical: 0, vector: 1 } });
  expect(uris(approximate)).toEqual(uris(exact));
  for (const index of missing) await opened.database.outsideTransaction(`drop index ${index.name}`);
});

test('an index whose building was cut off is built anew', async () => {
  for (let index = 0; index < 12; index++) await corpus.add(`${index}.md`, `The walrus number ${index} sleeps.`);
  const options = { embedded: opened.database.embedded, minVectors: 10 };
  const missing = () => opened.database.owner((query) => missingVectorIndexes(query, options));
  const [index] = await missing();
  const name = index?.name ?? '';
  await opened.database.outsideTransaction(index?.sql ?? '');
  await opened.database.outsideTransaction(
    `update pg_index set indisvalid = false where indexrelid = '${name}'::regclass`,
  );
  const [broken, ...others] = await missing();
  expect([broken?.name, broken?.sql.split(' ')[0], others]).toEqual([name, 'reindex', []]);
  await opened.database.outsideTransaction(broken?.sql ?? '');
  expect(await missing()).toEqual([]);
  await opened.database.outsideTransaction(`drop index ${name}`);
});

test('how rare the words are is looked up once, with the ranking', async () => {
  await corpus.add('a.md', 'The walrus sleeps. ERR-4021 is shown.');
  await corpus.add('b.md', 'The seal sleeps.');
  await corpus.refresh();
  const question = 'Which walrus sleeps at ERR-4021, and the dodo?';
  const visibleTo = await opened.database.transaction((query) => visibleAcls(query, 'acme', audience));
  let lookedUp = 0;
  const database: Database = {
    ...opened.database,
    read: (scope, run, options) =>
      opened.database.read(
        scope,
        (query) =>
          run((sql, values) => {
            if (sql.includes('look_up_terms')) lookedUp++;
            return query(sql, values);
          }),
        options,
      ),
  };
  const { termRarity } = await search(question, { database });
  expect([...(termRarity ?? [])]).toEqual([...(await readTermRarity(opened.database, visibleTo, question))]);
  expect(termRarity?.get('dodo')).toBe(1);
  expect(termRarity?.get('sleeps')).toBeLessThan(termRarity?.get('walrus') ?? 0);
  expect(lookedUp).toBe(1);
});

describe('when a part fails', () => {
  const broken: Embedder = { ...createWordEmbedder(), embed: () => Promise.reject(new Error('down')) };
  const hanging: Embedder = { ...createWordEmbedder(), embed: () => new Promise(() => undefined) };

  test.each([
    ['the embedder fails', { embedder: broken }, 'vector_search_failed'],
    ['the embedder is late', { embedder: hanging, vectorTimeoutMs: 50 }, 'vector_search_timeout'],
  ])('%s: the words answer, and the reply says so', async (_, options, degraded) => {
    await corpus.add('a.md', 'The walrus sleeps.');
    const { logger, lines } = createTestLogger();
    const result = await search('walrus', { ...options, logger });
    expect(uris(result)).toEqual(['a.md']);
    expect(result.degraded).toEqual([degraded]);
    const cause = expect.objectContaining({ message: expect.stringMatching(/down|50 ms/) });
    expect(lines()).toEqual([
      expect.objectContaining({ message: 'the search by meaning failed', tenantId: 'acme', err: cause }),
    ]);
    expect(JSON.stringify(lines())).not.toContain('walrus');
  });

  test('the lexical search is late: the meaning answers, and the reply says so', async () => {
    await corpus.add('a.md', 'The walrus sleeps.');
    const database: Database = {
      ...opened.database,
      read: (scope, run, options) =>
        options?.timeoutMs === 77
          ? Promise.reject(new DatabaseTimeoutError(77))
          : opened.database.read(scope, run, options),
    };
    const result = await search('walrus', { database, lexicalTimeoutMs: 77 });
    expect(uris(result)).toEqual(['a.md']);
    expect([result.degraded, result.termRarity]).toEqual([['lexical_search_timeout'], null]);
  });

  test('both fail: an error, not an empty result', async () => {
    await corpus.add('a.md', 'The walrus sleeps.');
    const database: Database = {
      ...opened.database,
      read: () => Promise.reject(new Error('down')),
    };
    await expect(search('walrus', { database, embedder: broken })).rejects.toThrow(
      expect.objectContaining({ code: 'search_failed' }),
    );
  });

  test('the reranker fails: the order stays, and the reply says so', async () => {
    await corpus.add('a.md', 'The walrus sleeps.');
    await corpus.add('b.md', 'The walrus wakes up and swims.');
    const reranker = { id: 'test', rerank: () => Promise.reject(new Error('down')) };
    const plain = await search('walrus');
    const { logger, lines } = createTestLogger();
    for (const options of [{ reranker }, { reranker, rerankerFallback: { ...reranker, id: 'other' } }]) {
      const result = await search('walrus', { ...options, logger });
      expect([uris(result), result.degraded]).toEqual([uris(plain), ['rerank_failed']]);
    }
    expect(lines().map(({ message }) => message)).toEqual(['reranking failed', 'reranking failed', 'reranking failed']);
    expect(JSON.stringify(lines())).not.toContain('walrus');
  });

  test('and another stands in for it where there is one', async () => {
    await corpus.add('a.md', 'The walrus sleeps.');
    await corpus.add('b.md', 'The walrus wakes up and swims.');
    const reranker = { id: 'test', rerank: () => Promise.reject(new Error('down')) };
    const first = (word: string) => ({
      id: word,
      rerank: async (_question: string, texts: readonly string[]) => texts.map((text) => Number(text.includes(word))),
    });
    for (const [word, uri] of [
      ['swims', 'b.md'],
      ['sleeps', 'a.md'],
    ] as const) {
      const result = await search('walrus', { reranker, rerankerFallback: first(word) });
      expect([uris(result)[0], result.degraded]).toEqual([uri, ['rerank_fallback']]);
    }
  });

  test('a question whose vector has another size than the stored ones is answered by words, and the log says why', async () => {
    await corpus.add('a.md', 'The walrus sleeps.');
    const { logger, lines } = createTestLogger();
    const replaced: Embedder = { ...createWordEmbedder(), embed: async (texts) => texts.map(() => [1, 0]) };
    const result = await search('walrus', { embedder: replaced, logger });
    expect([uris(result), result.degraded]).toEqual([['a.md'], ['vector_search_failed']]);
    expect(JSON.stringify(lines())).toMatch(/dimensions/);
  });

  test('vectors of another embedder are never compared', async () => {
    await corpus.add('a.md', 'The walrus sleeps.');
    const result = await search('walrus', { embedder: createWordEmbedder('test:words@2') });
    expect(result.ranked.map((chunk) => chunk.contributions.vector)).toEqual([0]);
  });
});
