import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chunk } from '../../retrieval/model.ts';
import { checkQuotes, locateQuote, MIN_QUOTE_CHARACTERS } from '../../retrieval/quote-check.ts';

const modulo = (text: string): string =>
  text
    .replace(/\p{Quotation_Mark}/gu, '"')
    .replace(/\s+/gu, ' ')
    .trim();

function chunkOf(text: string, chunkId = 'chunk-1', start = 0): Chunk {
  const place = { start, end: start + text.length };
  return {
    ...place,
    chunkId,
    documentId: 'document-1',
    documentVersion: 3,
    sourceId: 'folder',
    uri: 'file:///leave.md',
    title: 'Leave',
    headingPath: ['Leave', 'Carry over'],
    page: null,
    text,
    section: place,
  };
}

describe('a quote is found', () => {
  const text = 'Staff  may “carry over” five\n  days. It’s «capped» at the year’s end – no exceptions… ever.';
  it.each([
    ['as it stands', 'may “carry over” five', 'may “carry over” five'],
    ['with straight quotation marks', 'may "carry over" five', 'may “carry over” five'],
    ['with single for double marks', "may 'carry over' five", 'may “carry over” five'],
    ['with guillemets for quotes', 'Staff may «carry over»', 'Staff  may “carry over”'],
    ['with quotes for guillemets', 'It\'s "capped" at the', 'It’s «capped» at the'],
    ['with other white space', 'Staff may “carry over” five days.', 'Staff  may “carry over” five\n  days.'],
    ['with a no-break space', 'Staff\u00a0may “carry over”', 'Staff  may “carry over”'],
    ['with white space around it', '\n  no exceptions… ever.  ', 'no exceptions… ever.'],
    ['up to the very end', 'year’s end – no exceptions… ever.', 'year’s end – no exceptions… ever.'],
  ])('%s, and the place holds the document’s own characters', (_how, quote, shown) => {
    const span = locateQuote(quote, text);
    expect(span && text.slice(span.start, span.end)).toBe(shown);
  });

  it('wherever it is cut from any text', () => {
    const texts = fc.string({
      unit: fc.constantFrom(...'aé漢ñ “”«»\'" \n\t-…', '😀', 'e\u0301'),
      minLength: 12,
      maxLength: 300,
    });
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(), (source, from, length) => {
        const characters = [...source];
        const quote = characters
          .slice(from % characters.length, (from % characters.length) + 12 + (length % 60))
          .join('');
        fc.pre(modulo(quote).length >= MIN_QUOTE_CHARACTERS);
        const span = locateQuote(quote, source);
        expect(span).not.toBeNull();
        if (span !== null) expect(modulo(source.slice(span.start, span.end))).toBe(modulo(quote));
      }),
    );
  });
});

describe('a quote is not found', () => {
  const text = 'The limit is 5 – 10 days; see “Policy” … or ask people-operations for an exception 😀 today.';
  it.each([
    ['when a word differs', 'The limit is 6 – 10 days'],
    ['when the case differs', 'the limit is 5 – 10 days'],
    ['when a dash was made a hyphen', 'The limit is 5 - 10 days'],
    ['when an ellipsis was spelled out', 'see “Policy” ... or ask'],
    ['when something was left out', 'The limit is 5 days; see'],
    ['when a blank was dropped', 'The limitis 5 – 10 days'],
    ['when a blank was added inside a word', 'The li mit is 5 – 10 days'],
    ['when it ends inside a surrogate pair', 'for an exception \ud83d'],
    ['when it has fewer than twelve characters', 'limit is 5 '],
    ['when only white space makes it long enough', 'limit                 is'],
    ['when it is empty', ''],
  ])('%s', (_how, quote) => {
    expect(locateQuote(quote, text)).toBeNull();
  });

  it('when any of its characters was replaced by one that the text lacks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 20, maxLength: 200 }), fc.nat(), (source, where) => {
        fc.pre(!source.includes('§'));
        const quote = source.trim();
        const at = where % Math.max(1, quote.length);
        expect(locateQuote(`${quote.slice(0, at)}§${quote.slice(at + 1)}`, source)).toBeNull();
      }),
    );
  });

  it('in a text built to slow a naive search down', () => {
    const text = 'a'.repeat(400_000);
    expect(locateQuote(`${'a'.repeat(100_000)}b`, text)).toBeNull();
    expect(locateQuote(`b${'a'.repeat(100_000)}`, text)).toBeNull();
  });
});

describe('the quotes of a model', () => {
  const chunk = chunkOf('Employees are unable to appeal after 30 days. Write to “people” first.', 'chunk-1', 100);

  it('become citations with offsets into the document', () => {
    const { citations } = checkQuotes({ citations: [{ chunkId: 'chunk-1', quote: "Write to 'people' first." }] }, [
      chunk,
    ]);
    expect(citations).toEqual([
      {
        documentId: 'document-1',
        documentVersion: 3,
        uri: 'file:///leave.md',
        title: 'Leave',
        headingPath: ['Leave', 'Carry over'],
        chunkId: 'chunk-1',
        quote: 'Write to “people” first.',
        start: 146,
        end: 170,
      },
    ]);
  });

  it('name the page of a paged format, and none otherwise', () => {
    const citations = [{ chunkId: 'chunk-1', quote: 'Write to “people” first.' }];
    const pages = [7, null].map((page) => checkQuotes({ citations }, [{ ...chunk, page }]).citations[0]?.page);
    expect(pages).toEqual([7, undefined]);
  });

  it.each([
    [
      'a sentence',
      'They are unable to appeal after 30 days. Write first.',
      'able to appeal aft',
      'They are unable to appeal after 30 days.',
    ],
    [
      'two sentences',
      'Staff may not fly. Nor may guests. Ask.',
      'may not fly. Nor',
      'Staff may not fly. Nor may guests.',
    ],
    [
      'an item with its lead-in',
      'Not reimbursed:\n\n- taxis to work\n- minibar and films',
      'minibar and fi',
      'Not reimbursed:\n\n- taxis to work\n- minibar and films',
    ],
    [
      'an item of a list without one',
      'Travel.\n\n- taxis to work\n- minibar and films',
      'minibar and fi',
      '- minibar and films',
    ],
    ['a row', '| Plan | Price |\n|---|---|\n| Gold plan | 10 euros |', 'Gold plan | 10', '| Gold plan | 10 euros |'],
  ])('are shown as %s, whole, so that half of one cannot turn the meaning round', (_what, text, quote, whole) => {
    const { citations } = checkQuotes({ citations: [{ chunkId: 'chunk-1', quote }] }, [chunkOf(text)]);
    expect(citations.map((citation) => citation.quote)).toEqual([whole]);
  });

  it('are dropped and counted when their chunk was not in the context', () => {
    const answer = { citations: [{ chunkId: 'chunk-9', quote: 'Write to “people” first.' }] };
    expect(checkQuotes(answer, [chunk])).toEqual({ citations: [], rejectedQuotes: [], unknownChunks: 1 });
  });

  it('are rejected when another chunk has them but not the one they name', () => {
    const other = chunkOf('Nothing of the kind stands in here.', 'chunk-2');
    const answer = { citations: [{ chunkId: 'chunk-2', quote: 'Write to “people” first.' }] };
    expect(checkQuotes(answer, [chunk, other])).toEqual({
      citations: [],
      rejectedQuotes: ['Write to “people” first.'],
      unknownChunks: 0,
    });
  });

  // Half a minute when it is looked through for each of them.
  it('look through their chunk once, however many they are', { timeout: 5_000 }, () => {
    const long = chunkOf(`Write to people first. ${'Then wait. '.repeat(20_000)}`, 'chunk-1');
    const citations = Array.from({ length: 300 }, () => ({ chunkId: 'chunk-1', quote: 'Write to people first.' }));
    expect(checkQuotes({ citations }, [long]).citations).toHaveLength(1);
  });

  it('count once each, quoted or rejected', () => {
    const quotes = [
      'Write to “people” first.',
      'Write to "people" first.',
      'Write to nobody at all.',
      'Write to nobody at all.',
    ];
    const checked = checkQuotes({ citations: quotes.map((quote) => ({ chunkId: 'chunk-1', quote })) }, [chunk]);
    expect(checked.citations).toHaveLength(1);
    expect(checked.rejectedQuotes).toEqual(['Write to nobody at all.']);
  });
});
