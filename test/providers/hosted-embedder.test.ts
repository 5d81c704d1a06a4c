import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EmbedderClosedError } from '../../retrieval/errors.ts';
import { chooseEmbedder } from '../../src/providers/choose-embedder.ts';
import type { HostedEmbedder } from '../../src/providers/embedding-clients.ts';
import { createHostedEmbedder } from '../../src/providers/hosted-embedder.ts';
import { configFor, type ModelServer, startModelServer } from '../helpers/model-servers.ts';
import { createTestLogger } from '../helpers/test-logger.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const PROVIDERS: readonly HostedEmbedder[] = ['cohere', 'openai', 'ollama'];
const lengthOf = (vector: readonly number[] | undefined) => Math.hypot(...(vector ?? []));

describe.each(PROVIDERS)('the embedder of %s', (provider) => {
  it('is closed when the process ends, also in the middle of a request', async () => {
    const ending = new AbortController();
    const options = { provider, model: 'e1', timeoutMs: 20_000, clock: Date.now, ending: ending.signal };
    const embedder = createHostedEmbedder({ ...options, config: configFor(server.url) });
    server.vectors(() => {
      ending.abort();
      return [1, 2, 3];
    });
    await expect(embedder.embed(['a text'], 'document')).rejects.toThrow(EmbedderClosedError);
    await expect(embedder.embed(['a text'], 'document')).rejects.toThrow(EmbedderClosedError);
    expect(server.received).toHaveLength(1);
  });

  const open = (timeoutMs = 20_000) =>
    createHostedEmbedder({ config: configFor(server.url), provider, model: 'e1', timeoutMs, clock: Date.now });

  it('is named after the model and asks for nothing before there is something to embed', async () => {
    expect(open()).toMatchObject({ id: `${provider}:e1`, dimensions: null });
    expect(await open().embed([], 'document')).toEqual([]);
    expect(server.received).toEqual([]);
  });

  it('gives unit vectors in the order of the texts, in batches that the vendor takes', async () => {
    const texts = Array.from({ length: 200 }, (_, index) => 'x'.repeat(index + 1));
    const embedder = open();
    const vectors = await embedder.embed(texts, 'document');
    for (const [index, vector] of vectors.entries()) {
      expect(lengthOf(vector)).toBeCloseTo(1, 12);
      expect((vector[0] ?? 0) / (vector[1] ?? 1)).toBeCloseTo((index + 1) / 3, 9);
    }
    expect(server.received.length).toBeGreaterThan(2);
    expect(server.violations).toEqual([]);
  });

  it('gives a question a vector', async () => {
    const [vector, ...others] = await open().embed(['How many days?'], 'question');
    expect(others).toEqual([]);
    expect(lengthOf(vector)).toBeCloseTo(1, 12);
    const expected = provider === 'cohere' ? 'search_query' : undefined;
    expect(server.received.at(-1)?.body.input_type).toBe(expected);
  });

  it.each([[[' ', 'a text', '']], [[' ', '']]])(
    'sends no blank text of %j, and gives it a vector all the same',
    async (given) => {
      const vectors = await open().embed(given, 'document');
      expect(vectors.map(lengthOf)).toEqual(given.map(() => expect.closeTo(1)));
      expect(vectors.map((vector) => vector.length)).toEqual(given.map(() => 3));
      expect(server.violations).toEqual([]);
    },
  );

  it('asks once more after a failure of the provider', async () => {
    const embedder = open();
    server.fail(503, 1);
    expect(await embedder.embed(['text'], 'document')).toHaveLength(1);
    server.fail(503, 2);
    await expect(embedder.embed(['text'], 'document')).rejects.toMatchObject({ code: 'provider_failed', status: 503 });
  });

  it.each([
    ['of another size than the one before', (text: string) => (text === 'text' ? [1, 2] : [1, 2, 3])],
    ['of zeros', () => [0, 0, 0]],
    ['with a number that is none', () => [1, null, 3]],
    ['without numbers', () => []],
  ])('fails on a vector %s', async (_, vectorOf) => {
    server.vectors(vectorOf);
    const embedded = open().embed(['a text', 'text'], 'document');
    await expect(embedded).rejects.toMatchObject({ code: 'provider_answer_malformed' });
  });

  it.each<[string, (list: unknown[]) => unknown[]]>([
    ['one too many in front', (list) => [list[0], ...list]],
    ['one too many at the end', (list) => [...list, list[0]]],
    ['one too few', (list) => list.slice(1)],
  ])('takes no vectors of which there is %s', async (_, change) => {
    server.vectorList(change);
    await expect(open().embed(['a text', 'text'], 'document')).rejects.toMatchObject({
      code: 'provider_answer_malformed',
      message: expect.stringMatching(/not one vector for each text.*model for embeddings/),
    });
    if (change([1, 2]).length === 1) return;
    const asked = open().embed(['a text'], 'question');
    await expect(asked).rejects.toMatchObject({ code: 'provider_answer_malformed' });
  });

  it('says what is wrong with a refused key', async () => {
    server.fail(401, 1);
    await expect(open().embed(['text'], 'document')).rejects.toMatchObject({
      code: 'provider_key_refused',
      message: expect.stringContaining('check '),
    });
  });
});

describe('the vectors of the protocol of OpenAI', () => {
  const embed = () => {
    const options = { provider: 'openai' as const, model: 'e1', timeoutMs: 20_000, clock: Date.now };
    return createHostedEmbedder({ ...options, config: configFor(server.url) }).embed(['a', 'bb', 'ccc'], 'document');
  };
  const numbered = (indices: readonly unknown[]) => (list: unknown[]) =>
    list.map((vector, place) => ({ ...(vector as object), index: indices[place] }));

  it('are those of the texts that they name', async () => {
    const inOrder = await embed();
    server.vectorList((list) => list.toReversed());
    expect(await embed()).toEqual(inOrder);
  });

  it.each([
    ['names one text twice', [0, 1, 1]],
    ['names a text that was not sent', [0, 1, 3]],
    ['names none', [0, 1, undefined]],
    ['names something else', [0, 1, '2']],
  ])('are not taken when one %s', async (_, indices) => {
    server.vectorList(numbered(indices));
    await expect(embed()).rejects.toMatchObject({ code: 'provider_answer_malformed' });
  });
});

it('is the built-in one when nothing is configured', async () => {
  const { logger } = createTestLogger();
  const embedder = chooseEmbedder(configFor(server.url), { logger, clock: Date.now });
  expect(embedder.id).toBe('builtin:use-lite@1');
  await embedder.close();
});

const name: string = '@huggingface/transformers';
const hasTransformers = await import(name).then(
  () => true,
  () => false,
);

// Skipped where the optional package is installed.
it.skipIf(hasTransformers)('names the package that a local model needs', async () => {
  const { logger } = createTestLogger();
  const config = configFor(server.url, { VERBATIM_EMBEDDER: 'transformers:/models/all-MiniLM-L6-v2' });
  const embedder = chooseEmbedder(config, { logger, clock: Date.now });
  await expect(embedder.embed(['a text'], 'document')).rejects.toMatchObject({
    code: 'provider_package_missing',
    message: expect.stringContaining('npm install @huggingface/transformers'),
  });
});
