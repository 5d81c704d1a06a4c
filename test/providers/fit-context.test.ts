import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/o200k_base';
import { beforeAll, describe, expect, it } from 'vitest';
import { fitContext } from '../../src/providers/fit-context.ts';
import { type CountTokens, loadTokenCounter } from '../../src/providers/token-count.ts';
import { contextChunk } from '../helpers/context-chunk.ts';

let countTokens: CountTokens;
beforeAll(async () => {
  countTokens = await loadTokenCounter();
});

const words = (count: number, word = 'word') => Array.from({ length: count }, () => ` ${word}`).join('');
const overheadTokens = () => 10;

describe('loadTokenCounter', () => {
  const tokenizer = new Tiktoken(ranks);

  it.each([
    ['prose', 'Employees have 27 days of leave a year. Ask your lead first.\n\nThen book it.'],
    ['a special token as text', 'The end <|endoftext|> is near.'],
    ['code', 'if (a === b) {\n    return f(c);\n}'],
    ['German', 'Die Reisekostenabrechnung ist spätestens am 10. einzureichen.'],
  ])('counts %s as the vocabulary does, or a few more', (_, text) => {
    const exact = tokenizer.encode(text, [], []).length;
    expect(countTokens(text)).toBeGreaterThanOrEqual(exact);
    expect(countTokens(text)).toBeLessThanOrEqual(exact * 1.3);
  });

  it('never counts fewer than the vocabulary does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
        expect(countTokens(text)).toBeGreaterThanOrEqual(tokenizer.encode(text, [], []).length);
      }),
    );
  });

  it('takes linear time for text without white space', () => {
    const start = performance.now();
    expect(countTokens('a'.repeat(200_000))).toBeGreaterThan(1_000);
    expect(performance.now() - start).toBeLessThan(10_000);
  });
});

describe('fitContext', () => {
  it('gives all when there is room', () => {
    const chunk = contextChunk('c1', 'The chunk.', { before: 'Before it. ', after: ' After it.' });
    expect(fitContext([chunk], { maxTokens: 500, overheadTokens }, countTokens)).toEqual([
      { chunk, before: 'Before it. ', after: ' After it.' },
    ]);
  });

  it('cuts the sections first, around the chunk, and keeps every chunk whole', () => {
    const long = contextChunk('c1', 'The chunk.', {
      before: `far${words(900, 'left')} `,
      after: `${words(900, 'right')} far`,
    });
    const short = contextChunk('c2', 'Another chunk.', { after: ' Small section.' });
    const [first, second] = fitContext([long, short], { maxTokens: 300, overheadTokens }, countTokens);
    expect(first?.before).toMatch(/^( left)+ $/);
    expect(first?.after).toMatch(/^( right)+$/);
    expect(second?.after).toBe(' Small section.');
  });

  it('drops the last chunks when not even the chunks fit', () => {
    const chunks = ['c1', 'c2', 'c3'].map((id) => contextChunk(id, words(100), { after: ' More.' }));
    const fitted = fitContext(chunks, { maxTokens: 240, overheadTokens }, countTokens);
    expect(fitted.map(({ chunk }) => chunk.chunkId)).toEqual(['c1', 'c2']);
  });

  it('gives a section that chunks share once', () => {
    const shared = {
      documentId: 'd',
      section: { start: 0, end: 40 },
      sectionText: 'One sentence here. Another sentence it is.',
    };
    const chunks = [
      contextChunk('c1', 'One sentence here.', shared),
      contextChunk('c2', 'Another sentence it is.', shared),
    ];
    const [first, second] = fitContext(chunks, { maxTokens: 500, overheadTokens }, countTokens);
    expect(first?.after).toBe(' Another sentence it is.');
    expect(second).toMatchObject({ before: '', after: '' });
  });

  it('never uses more than its budget, and shows stretches of the section only', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 80 });
    const chunk = fc.tuple(text, fc.string({ minLength: 1, maxLength: 60 }), text);
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 5 }), fc.nat(200), (parts, maxTokens) => {
        const context = parts.map(([before, own, after], index) => contextChunk(`c${index}`, own, { before, after }));
        const fitted = fitContext(context, { maxTokens, overheadTokens }, countTokens);
        const used = fitted.map(({ chunk: { text: own }, before, after }) =>
          [own, before, after].reduce((sum, part) => sum + countTokens(part), 10),
        );
        expect(used.reduce((sum, tokens) => sum + tokens, 0)).toBeLessThanOrEqual(maxTokens);
        for (const { chunk: own, before, after } of fitted) {
          expect(own.sectionText).toContain(before + own.text + after);
        }
      }),
    );
  });
});
