import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VectorSizeError } from '../../ingest/active-embedder.ts';
import { embedAll } from '../../ingest/embed-batches.ts';
import { EmbedderClosedError, ModelError } from '../../retrieval/errors.ts';
import type { Embedder } from '../../retrieval/ports.ts';
import { PROBE_TEXT } from '../../retrieval/probe-text.ts';

/** Vectors are [text length, 1]; `fails` decides for each request whether it is refused, but for the plain word. */
function fakeEmbedder(fails: (texts: readonly string[], request: number) => boolean = () => false) {
  const requests: (readonly string[])[] = [];
  let running = 0;
  let mostRunning = 0;
  const embedder: Embedder = {
    id: 'fake:lengths@1',
    dimensions: 2,
    async embed(texts) {
      if (texts[0] === PROBE_TEXT) return [[PROBE_TEXT.length, 1]];
      requests.push(texts);
      const request = requests.length;
      mostRunning = Math.max(mostRunning, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (fails(texts, request)) throw Object.assign(new Error('refused: the text'), { code: 'bad_text' });
      return texts.map((text) => [text.length, 1]);
    },
  };
  return { embedder, requests, mostRunning: () => mostRunning };
}

function recorder() {
  const delaysMs: number[] = [];
  const failures: [number, unknown][] = [];
  const progress: [number, number][] = [];
  const warnings: object[] = [];
  const options = {
    wait: async (delayMs: number) => void delaysMs.push(delayMs),
    onFailure: (index: number, error: unknown) => void failures.push([index, error]),
    onProgress: (done: number, total: number) => void progress.push([done, total]),
    logger: { warn: (fields: object) => void warnings.push(fields) },
  };
  return { delaysMs, failures, progress, warnings, options };
}

const texts = (count: number) => Array.from({ length: count }, (_, index) => 'x'.repeat(index));

describe('embedAll', () => {
  it('gives one vector a text, in order', async () => {
    const { embedder, requests } = fakeEmbedder();
    const { options, progress, failures } = recorder();
    const vectors = await embedAll(embedder, texts(25), { ...options, batchSize: 10 });
    expect(vectors.map((vector) => vector?.[0])).toEqual(texts(25).map((_, index) => index));
    expect(requests.map((request) => request.length)).toEqual([10, 10, 5]);
    expect(progress).toEqual([
      [10, 25],
      [20, 25],
      [25, 25],
    ]);
    expect(failures).toEqual([]);
  });

  it('asks nothing for no texts', async () => {
    const { embedder, requests } = fakeEmbedder();
    expect(await embedAll(embedder, [])).toEqual([]);
    expect(requests).toEqual([]);
  });

  it.each([
    [1, 1],
    [3, 3],
    [8, 8],
    [64, 8],
    [undefined, 8],
  ])('with a concurrency of %s has %i requests at a time', async (concurrency, expected) => {
    const { embedder, mostRunning } = fakeEmbedder();
    await embedAll(embedder, texts(40), { batchSize: 1, ...(concurrency && { concurrency }) });
    expect(mostRunning()).toBe(expected);
  });

  it('tries a failing batch again after growing delays', async () => {
    const { embedder, requests } = fakeEmbedder((_, request) => request <= 3);
    const { options, delaysMs, failures, warnings } = recorder();
    const vectors = await embedAll(embedder, texts(4), options);
    expect(vectors).not.toContain(null);
    expect(requests).toHaveLength(4);
    expect(delaysMs).toEqual([500, 2000, 8000]);
    expect(failures).toEqual([]);
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toMatchObject({ embedderId: 'fake:lengths@1', texts: 4, attempt: 1, errorCode: 'bad_text' });
    expect(JSON.stringify(warnings)).not.toContain('the text');
  });

  it('loses no text to a failure by chance during the halving', async () => {
    // The batch of two fails with its retries, then each text fails once.
    const { embedder } = fakeEmbedder((batch, request) => batch.length === 2 || request === 3 || request === 5);
    const { options, failures } = recorder();
    expect(await embedAll(embedder, texts(2), { ...options, retries: 1 })).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(failures).toEqual([]);
  });

  it('gives null for exactly the failing texts and reports each once, whatever the batches', async () => {
    const cases = fc.record({
      bad: fc.array(fc.boolean(), { maxLength: 60 }),
      batchSize: fc.integer({ min: 1, max: 20 }),
      concurrency: fc.integer({ min: 1, max: 12 }),
      retries: fc.integer({ min: 0, max: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ bad, ...settings }) => {
        const { embedder, mostRunning } = fakeEmbedder((batch) => batch.some((text) => bad[text.length]));
        const { options, failures, progress } = recorder();
        const vectors = await embedAll(embedder, texts(bad.length), { ...options, ...settings });
        expect(vectors).toEqual(bad.map((isBad, index) => (isBad ? null : [index, 1])));
        const badIndices = bad.flatMap((isBad, index) => (isBad ? [index] : []));
        expect(failures.map(([index]) => index).sort((a, b) => a - b)).toEqual(badIndices);
        expect(mostRunning()).toBeLessThanOrEqual(8);
        if (bad.length > 0) expect(progress.at(-1)).toEqual([bad.length, bad.length]);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['too few vectors', [[1, 1]]],
    [
      'too many vectors',
      [
        [1, 1],
        [1, 1],
        [1, 1],
      ],
    ],
    ['a vector of another size', [[1, 1], [1]]],
    [
      'a number that is none',
      [
        [1, 1],
        [Number.NaN, 1],
      ],
    ],
  ])('takes %s for a failure', async (_, answer) => {
    const embedder: Embedder = {
      id: 'fake:odd@1',
      dimensions: 2,
      embed: async (given) => (given.length === 2 ? answer : given[0] === PROBE_TEXT ? [[1, 1]] : []),
    };
    const { options, failures } = recorder();
    expect(await embedAll(embedder, ['a', 'b'], { ...options, retries: 0 })).toEqual([null, null]);
    expect(failures.map(([index]) => index)).toEqual([0, 1]);
    expect(String(failures[0]?.[1])).toContain('fake:odd@1 gave');
  });

  describe('while the embedder is away', () => {
    function awayAfter(requests: number) {
      let asked = 0;
      const embedder: Embedder = {
        id: 'fake:away@1',
        dimensions: null,
        async embed(given) {
          if (++asked > requests) throw new Error('down');
          return given.map(() => [1, 0]);
        },
      };
      return { embedder, asked: () => asked };
    }

    it('is told so once, and asked for nothing that is left', async () => {
      const { embedder, asked } = awayAfter(2);
      const { options, failures, progress } = recorder();
      const told: unknown[] = [];
      const settings = { ...options, batchSize: 2, concurrency: 1, onAway: (error: unknown) => void told.push(error) };
      const vectors = await embedAll(embedder, texts(40), settings);
      expect(vectors.map((vector) => vector !== null)).toEqual(texts(40).map((_, index) => index < 4));
      expect([told, failures]).toEqual([[new Error('down')], []]);
      // The batch with its three retries, and the plain word.
      expect(asked()).toBe(2 + 4 + 1);
      expect(progress.at(-1)).toEqual([40, 40]);
    });

    it('is not asked again where it stays so until somebody does something', async () => {
      let asked = 0;
      const quota = new ModelError('provider_quota_used_up', 'used up', null, true);
      const embedder: Embedder = {
        id: 'fake:unpaid@1',
        dimensions: 2,
        embed: () => Promise.reject(asked++ < 9 ? quota : new Error('asked too often')),
      };
      const { options, delaysMs } = recorder();
      const told: unknown[] = [];
      const settings = { ...options, batchSize: 2, concurrency: 1, onAway: (error: unknown) => void told.push(error) };
      expect(await embedAll(embedder, texts(40), settings)).toEqual(texts(40).map(() => null));
      // The batch, and the plain word.
      expect([asked, told, delaysMs]).toEqual([2, [quota], []]);
    });

    it.each([
      ['than the stored ones have', { dimensions: 3 }, 0],
      ['than those before', {}, 1],
    ])('and gives vectors of another size %s, does not wait for that to pass', async (_, settings, before) => {
      let asked = 0;
      const embedder: Embedder = {
        id: 'fake:replaced@1',
        dimensions: null,
        embed: async (given) => given.map(() => (asked++ < before ? [1, 0, 0] : [1, 0])),
      };
      const { options, delaysMs } = recorder();
      const told: unknown[] = [];
      const onAway = (error: unknown) => void told.push(error);
      const vectors = await embedAll(embedder, texts(3), {
        ...options,
        ...settings,
        batchSize: 1,
        concurrency: 1,
        onAway,
      });
      expect(vectors.filter(Boolean)).toHaveLength(before);
      expect(told).toEqual([expect.any(VectorSizeError)]);
      expect(String(told[0])).toContain('verbatim reembed');
      expect(delaysMs).toEqual([]);
    });
  });

  it('ends at once when the embedder is closed, since waiting would only keep the process', async () => {
    const delays: number[] = [];
    const embedder: Embedder = {
      id: 'fake:closed@1',
      dimensions: 2,
      embed: () => Promise.reject(new EmbedderClosedError()),
    };
    const { options, failures } = recorder();
    const wait = async (delayMs: number) => delays.push(delayMs);
    await expect(embedAll(embedder, ['a', 'b'], { ...options, wait })).rejects.toThrow(EmbedderClosedError);
    expect([delays, failures]).toEqual([[], []]);
  });

  it.each([{ batchSize: 0 }, { batchSize: 1.5 }, { concurrency: 0 }, { retries: -1 }, { batchSize: Number.NaN }])(
    'refuses %j',
    async (settings) => {
      await expect(embedAll(fakeEmbedder().embedder, ['a'], settings)).rejects.toThrow(RangeError);
    },
  );
});
