import { describe, expect, it } from 'vitest';
import type { Embedder } from '../../retrieval/ports.ts';
import { rememberVectors } from '../../retrieval/remember-vectors.ts';

const MINUTE_MS = 60_000;

/** An embedder that says what it was asked, under a clock that the test sets. */
function bench() {
  const asked: string[][] = [];
  const time = { now: 0 };
  const embedder: Embedder = {
    id: 'letters',
    dimensions: 2,
    embed: async (texts) => {
      if (texts.includes('broken')) throw new Error('the embedder is down');
      asked.push([...texts]);
      return texts.map((text) => [text.length, text.charCodeAt(0)]);
    },
  };
  return { asked, time, remembering: rememberVectors(embedder, () => time.now), embedder };
}

describe('remembered vectors', () => {
  it('are those of the embedder, in the order of the texts, whatever was known before', async () => {
    const { asked, remembering, embedder } = bench();
    await remembering.embed(['b', 'dd'], 'question');
    const texts = ['a', 'b', 'ccc', 'dd', 'a'];
    expect(await remembering.embed(texts, 'question')).toEqual(await embedder.embed(texts, 'question'));
    expect(asked[1]).toEqual(['a', 'ccc', 'a']);
  });

  it('cost nothing the second time', async () => {
    const { asked, remembering } = bench();
    const first = await remembering.embed(['a', 'b'], 'question');
    expect(await remembering.embed(['b', 'a'], 'question')).toEqual(first.toReversed());
    expect(asked).toEqual([['a', 'b']]);
  });

  it('are never given for a document', async () => {
    const { asked, remembering } = bench();
    await remembering.embed(['a'], 'question');
    await remembering.embed(['a'], 'document');
    await remembering.embed(['b'], 'document');
    await remembering.embed(['b'], 'question');
    expect(asked).toEqual([['a'], ['a'], ['b'], ['b']]);
  });

  it.each([
    ['are still there after nine minutes in use', [4, 9], 1],
    ['are gone after ten minutes in use', [4, 8, 10.1], 2],
    ['are gone after ten minutes without use', [10.1], 2],
  ])('%s', async (_rule, minutes, times) => {
    const { asked, time, remembering } = bench();
    for (const minute of [0, ...minutes]) {
      time.now = minute * MINUTE_MS;
      await remembering.embed(['a'], 'question');
    }
    expect(asked).toHaveLength(times);
  });

  it('of many texts push out the oldest', async () => {
    const { asked, remembering } = bench();
    await remembering.embed(['first'], 'question');
    for (const start of [0, 2_000]) {
      const texts = Array.from({ length: 2_000 }, (_, index) => `text ${start + index}`);
      await remembering.embed(texts, 'question');
    }
    await remembering.embed(['text 3999'], 'question');
    await remembering.embed(['first'], 'question');
    expect(asked.slice(3)).toEqual([['first']]);
  });

  it('do not come from a failure', async () => {
    const { asked, remembering } = bench();
    await expect(remembering.embed(['a', 'broken'], 'question')).rejects.toThrow('down');
    await remembering.embed(['a'], 'question');
    expect(asked).toEqual([['a']]);
  });
});
