// What comes of documents whose texts the embedder does not embed.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { VectorSizeError } from '../../ingest/active-embedder.ts';
import { embedMissing } from '../../ingest/embed-missing.ts';
import { ModelError } from '../../retrieval/errors.ts';
import type { Embedder } from '../../retrieval/ports.ts';
import { createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { createTestLogger } from '../helpers/test-logger.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await testDatabase();
});
beforeEach(() => opened.reset());
afterAll(() => opened.close());

/** An embedder whose server can be stopped, refuse texts, or get a model with vectors of another size. */
function createServer() {
  const server = { down: false, size: 4, refuses: (_text: string) => false };
  const embedder: Embedder = {
    id: 'test:served',
    dimensions: null,
    async embed(texts) {
      if (server.down) throw new Error('cannot be reached');
      if (texts.some(server.refuses)) throw new Error('refused');
      return texts.map(() => Array.from({ length: server.size }, (_, index) => (index === 0 ? 1 : 0)));
    },
  };
  return { server, embedder };
}

function setUp() {
  const { server, embedder } = createServer();
  const { logger, lines } = createTestLogger();
  const corpus = createCorpus(opened.database, { embedder, logger });
  const follow = () => embedMissing({ database: opened.database, embedder, logger }, 'acme');
  return { server, corpus, follow, lines };
}

async function state(documentId: string) {
  const [row] = await opened.database.owner((query) =>
    query<{ state: string; failure: string | null; chunks: number; vectors: number }>(
      `select state, failure_code as failure,
           (select count(*)::int from chunks c where c.document_id = d.document_id) as chunks,
           (select count(*)::int from chunk_embeddings e where e.document_id = d.document_id) as vectors
         from documents d where document_id = $1`,
      [documentId],
    ),
  );
  return row;
}

const TWO_CHUNKS = '# One\n\nThe walrus sleeps.\n\n# Two\n\nThe seal swims.\n';

describe('a document that comes while the embedder is away', () => {
  test('is live by its words, and its vectors follow when it is back', async () => {
    const { server, corpus, follow, lines } = setUp();
    server.down = true;
    const documentId = await corpus.add('a.md', TWO_CHUNKS);
    expect(await state(documentId)).toEqual({ state: 'live', failure: null, chunks: 2, vectors: 0 });
    expect(corpus.sent).toContain('embed-missing');
    expect(await follow()).toEqual({ embedded: 0, missing: 2, away: expect.any(Error) });
    server.down = false;
    expect(await follow()).toEqual({ embedded: 2, missing: 0, away: null });
    expect(await state(documentId)).toMatchObject({ vectors: 2 });
    const cause = expect.objectContaining({ message: 'cannot be reached' });
    expect(lines()[0]).toMatchObject({ level: 'warn', documentId, embedderId: 'test:served', err: cause });
    expect(JSON.stringify(lines())).not.toContain('walrus');
  }, 60_000);

  test('is cut by its length where its sentences should be compared, and nobody waits twice', async () => {
    let asked = 0;
    let error: Error = new ModelError('provider_key_refused', 'check the key', null, true);
    const embedder: Embedder = {
      id: 'test:away',
      dimensions: 4,
      embed() {
        asked++;
        return Promise.reject(error);
      },
    };
    const { logger, lines } = createTestLogger();
    const corpus = createCorpus(opened.database, { embedder, logger, cutBelowSimilarity: 0.75 });
    const text = 'The walrus sleeps on the rocks. Rent is due in the month of May. '.repeat(20);
    const documentId = await corpus.add('a.txt', text);
    expect(await state(documentId)).toMatchObject({ state: 'live', failure: null, vectors: 0 });
    expect(lines()[0]).toMatchObject({
      level: 'warn',
      documentId,
      message: expect.stringMatching(/cut by its length/),
    });
    // What would be asked again, after 0.5, 2 and 8 seconds.
    error = new Error('cannot be reached');
    asked = 0;
    await corpus.add('b.txt', text);
    // Each step its texts and a plain word, once.
    expect(asked).toBe(4);
  });

  test('waits for the embedder only where none did before it', async () => {
    const { server, corpus } = setUp();
    server.down = true;
    await corpus.add('a.md', TWO_CHUNKS);
    const start = performance.now();
    const documentId = await corpus.add('b.md', TWO_CHUNKS);
    // The pauses between the tries of one that may have a bad minute are 10.5 seconds.
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(await state(documentId)).toMatchObject({ state: 'live', vectors: 0 });
    server.down = false;
    expect(await state(await corpus.add('c.md', TWO_CHUNKS))).toMatchObject({ vectors: 2 });
  }, 60_000);
});

test('a text that the embedder refuses is found by its words, and the log names it', async () => {
  const { server, corpus, follow, lines } = setUp();
  server.refuses = (text) => text.includes('seal');
  const documentId = await corpus.add('a.md', TWO_CHUNKS);
  expect(await state(documentId)).toEqual({ state: 'live', failure: null, chunks: 2, vectors: 1 });
  expect(await follow()).toEqual({ embedded: 0, missing: 1, away: null });
  const refused = { level: 'warn', err: expect.objectContaining({ message: 'refused' }) };
  expect(lines()).toEqual([
    expect.objectContaining({ ...refused, documentId, chunk: 1 }),
    expect.objectContaining({ ...refused, tenantId: 'acme', chunkId: `${documentId}:1:1` }),
  ]);
  expect(JSON.stringify(lines())).not.toContain('seal');
}, 120_000);

// A limit of tokens a minute refuses long texts and lets a plain word pass.
test('a document of which it refuses every text is found by its words, and its vectors follow', async () => {
  const { server, corpus, follow } = setUp();
  server.refuses = (text) => text.includes('seal');
  const documentId = await corpus.add('a.md', 'The seal swims.');
  expect(await state(documentId)).toEqual({ state: 'live', failure: null, chunks: 1, vectors: 0 });
  expect(corpus.sent).toContain('embed-missing');
  server.refuses = () => false;
  expect(await follow()).toEqual({ embedded: 1, missing: 0, away: null });
}, 60_000);

test('vectors of another size than the stored ones are not stored beside them, and the log says what to do', async () => {
  const { server, corpus, follow, lines } = setUp();
  await corpus.add('a.md', TWO_CHUNKS);
  server.size = 2;
  const documentId = await corpus.add('b.md', TWO_CHUNKS);
  expect(await state(documentId)).toEqual({ state: 'live', failure: null, chunks: 2, vectors: 0 });
  expect(await follow()).toEqual({ embedded: 0, missing: 2, away: expect.any(VectorSizeError) });
  expect(JSON.stringify(lines())).toMatch(/vectors of 2 numbers, and its stored ones have 4.*verbatim reembed/);
  server.size = 4;
  expect(await follow()).toEqual({ embedded: 2, missing: 0, away: null });
});
