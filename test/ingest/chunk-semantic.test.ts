import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkDocument, chunkedPieces } from '../../ingest/chunk-document.ts';
import { semanticCuts } from '../../ingest/chunk-semantic.ts';
import { parseBytes } from '../../ingest/parsers/parse-bytes.ts';
import type { Embedder } from '../../retrieval/ports.ts';

/** Two subjects: sentences about seals, and all others. */
const seals: Embedder = {
  id: 'test:seals@1',
  dimensions: 2,
  embed: async (texts) => texts.map((text) => (text.includes('seal') ? [1, 0] : [0.6, 0.8])),
};

async function chunksOf(
  markdown: string,
  similarity: number,
  { embedder = seals, leastChars = 1 }: { embedder?: Embedder; leastChars?: number } = {},
): Promise<string[]> {
  const document = await parseBytes({ bytes: Buffer.from(markdown), name: 'a.md', mediaType: '' });
  const cuts = await semanticCuts(document.text, chunkedPieces(document), { embedder, similarity, leastChars });
  return chunkDocument(document, { cuts }).map(({ start, end }) => document.text.slice(start, end));
}

const TEXT = 'The seal sleeps. A seal eats. Rent is due in May. It is paid at the desk. One seal swims.';

describe('the semantic chunker', () => {
  it.each([
    ['cuts where the subject changes, without overlap', 0.75, 3],
    ['leaves together what is similar enough', 0.5, 1],
  ])('%s', async (_, similarity, count) => {
    const chunks = await chunksOf(TEXT, similarity);
    expect(chunks).toHaveLength(count);
    expect(chunks.join(' ')).toBe(TEXT);
  });

  it.each([
    ['each sentence is long enough', 1, [35, 55]],
    ['one sentence is too short for a chunk', 30, [35]],
    ['no two chunks are long enough', 60, []],
  ])('cuts off no less than is said: %s', async (_, leastChars, starts) => {
    const text = 'The seal sleeps on the cold rocks. Rent is due in May. A seal swims under the ice sheet.';
    const chunks = await chunksOf(text, 0.75, { leastChars });
    expect(chunks.map((chunk) => text.indexOf(chunk))).toEqual([0, ...starts]);
  });

  it('by default makes no chunk of a sentence, however unlike its neighbours', async () => {
    const text = 'A seal swims. Rent is due in May. '.repeat(40).trim();
    const document = await parseBytes({ bytes: Buffer.from(text), name: 'a.txt', mediaType: '' });
    const cuts = await semanticCuts(document.text, chunkedPieces(document), { embedder: seals, similarity: 0.75 });
    expect([...cuts]).toEqual([510]);
  });

  it('keeps lists and tables whole', async () => {
    const chunks = await chunksOf('- The seal sleeps.\n- Rent is due.\n', 0.99);
    expect(chunks).toHaveLength(1);
  });

  it('leaves together what cannot be embedded', async () => {
    const broken = { ...seals, embed: () => Promise.reject(new Error('down')) };
    await expect(chunksOf('The seal sleeps. Rent is due.', 0.75, { embedder: broken })).resolves.toHaveLength(1);
  });

  it('wherever it cuts, chunks ascend, begin at each cut, and cover all text', async () => {
    const sentence = fc.constantFrom('A seal swims.', 'Rent is due in May.', 'The desk is open.', 'Seals sleep a lot.');
    await fc.assert(
      fc.asyncProperty(fc.array(sentence, { minLength: 1, maxLength: 40 }), async (sentences) => {
        const text = sentences.join(' ');
        const document = await parseBytes({ bytes: Buffer.from(text), name: 'a.txt', mediaType: '' });
        const how = { embedder: seals, similarity: 0.75, leastChars: 30 };
        const cuts = await semanticCuts(document.text, chunkedPieces(document), how);
        const chunks = chunkDocument(document, { cuts });
        for (const cut of cuts) {
          expect(chunks.some(({ start }) => start === cut)).toBe(true);
          expect(chunks.every(({ start, end }) => end <= cut || start >= cut)).toBe(true);
        }
        const covered = new Set(
          chunks.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i)),
        );
        for (let at = 0; at < document.text.length; at++) {
          if (/\S/.test(document.text.charAt(at))) expect(covered.has(at)).toBe(true);
        }
      }),
      { numRuns: 40 },
    );
  });
});
