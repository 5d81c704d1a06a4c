import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuse } from '../../retrieval/fusion.ts';

const hitsOf = (...chunkIds: string[]) =>
  chunkIds.map((chunkId, index) => ({ chunkId, documentId: `document of ${chunkId}`, score: 1 / (index + 1) }));
const idsOf = (fused: ReturnType<typeof fuse>) => fused.map(({ chunkId }) => chunkId);

describe('the fusion of two rankings', () => {
  it.each([
    ['keeps the order of one search when the other found nothing', ['a', 'b', 'c'], [], ['a', 'b', 'c']],
    ['puts first what both found first', ['a', 'b'], ['a', 'c'], ['a', 'b', 'c']],
    ['lifts what the vectors find near', ['a', 'b', 'c'], ['c'], ['a', 'c', 'b']],
    ['lets no far chunk pass the best one only because it has a vector', ['a', 'b', 'c', 'd', 'e'], ['e'], ['a', 'b']],
    ['adds what only the vectors find', ['a'], ['z'], ['a', 'z']],
  ])('%s', (_what, lexical, vector, first) => {
    const fused = fuse(hitsOf(...lexical), hitsOf(...vector), { lexical: 1, vector: 0.2 });
    expect(idsOf(fused).slice(0, first.length)).toEqual(first);
  });

  it('gives each chunk the share of either search, and their sum as score', () => {
    const fused = fuse(hitsOf('a', 'b'), hitsOf('b'), { lexical: 1, vector: 0.5 });
    expect(fused).toEqual([
      {
        chunkId: 'b',
        documentId: 'document of b',
        score: 1 / 7 + 0.5 / 6,
        contributions: { lexical: 1 / 7, vector: 0.5 / 6 },
      },
      { chunkId: 'a', documentId: 'document of a', score: 1 / 6, contributions: { lexical: 1 / 6, vector: 0 } },
    ]);
  });

  it('breaks ties by the id, whichever search found it', () => {
    const weights = { lexical: 1, vector: 1 };
    expect(idsOf(fuse(hitsOf('b'), hitsOf('a'), weights))).toEqual(['a', 'b']);
    expect(idsOf(fuse(hitsOf('a'), hitsOf('b'), weights))).toEqual(['a', 'b']);
  });

  it('of any rankings has every chunk once, in order, its contributions summing to the score exactly', () => {
    const ids = fc.uniqueArray(fc.string({ maxLength: 3 }), { maxLength: 20 });
    const weight = fc.double({ min: 0, max: 3, noNaN: true });
    fc.assert(
      fc.property(ids, ids, weight, weight, (lexicalIds, vectorIds, lexical, vector) => {
        const fused = fuse(hitsOf(...lexicalIds), hitsOf(...vectorIds), { lexical, vector });
        expect(new Set(idsOf(fused))).toEqual(new Set([...lexicalIds, ...vectorIds]));
        expect(fused).toHaveLength(new Set([...lexicalIds, ...vectorIds]).size);
        fused.forEach(({ score, contributions }, index) => {
          expect(score).toBe(contributions.lexical + contributions.vector);
          expect(score).toBeLessThanOrEqual(fused[index - 1]?.score ?? Number.POSITIVE_INFINITY);
        });
      }),
    );
  });
});
