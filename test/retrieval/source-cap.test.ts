import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capPerDocument } from '../../retrieval/source-cap.ts';

const itemsOf = (letters: string) =>
  [...letters].map((documentId, index) => ({ documentId, name: `${documentId}${index}` }));
const namesOf = (items: readonly { name: string }[]) => items.map(({ name }) => name).join(' ');

describe('the cap of chunks for each document', () => {
  it.each([
    ['puts what is over it behind', 'aaab', 2, 'a0 a1 b3', 'a2'],
    ['counts each document by itself', 'abab', 1, 'a0 b1', 'a2 b3'],
    ['leaves a varied list alone', 'abcd', 1, 'a0 b1 c2 d3', ''],
    ['leaves a list of one document in its order', 'aaa', 1, 'a0', 'a1 a2'],
    ['takes an empty list', '', 3, '', ''],
  ])('%s', (_what, letters, cap, kept, over) => {
    const capped = capPerDocument(itemsOf(letters), cap);
    expect([namesOf(capped.kept), namesOf(capped.over)]).toEqual([kept, over]);
  });

  it('loses and repeats nothing, and keeps the order within both lists', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 30 });
    fc.assert(
      fc.property(letters, fc.integer({ min: 1, max: 5 }), (documents, cap) => {
        const items = itemsOf(documents);
        const { kept, over } = capPerDocument(items, cap);
        expect(items.filter((item) => kept.includes(item))).toEqual(kept);
        expect(items.filter((item) => over.includes(item))).toEqual(over);
        expect(kept.length + over.length).toBe(items.length);
        for (const letter of 'abc') {
          const all = items.filter(({ documentId }) => documentId === letter);
          expect(kept.filter(({ documentId }) => documentId === letter)).toEqual(all.slice(0, cap));
        }
      }),
    );
  });
});
