import { describe, expect, it } from 'vitest';
import { citedAnswer } from '../../src/providers/cited-answer.ts';
import { contextChunk } from '../helpers/context-chunk.ts';

const LEAVE = 'Employees have 27 days of paid leave a year.';
const SHARE = 'You may not share customer lists with partners.';
const CONTEXT = [contextChunk('c1', `${LEAVE} Ask your lead.`), contextChunk('c2', SHARE)];
const cite = (answer: string, quotes: readonly (readonly [string, string])[]) =>
  citedAnswer({ sufficient: true, answer, citations: quotes.map(([chunkId, quote]) => ({ chunkId, quote })) }, CONTEXT);

describe('citedAnswer', () => {
  it('numbers the sentences by the quotes that support them, whatever numbers the model gave', () => {
    const answer = 'You may not share lists with partners. Employees have 27 days of leave a year [7].';
    const text = cite(answer, [
      ['c1', LEAVE],
      ['c2', SHARE],
    ]);
    expect(text).toBe('You may not share lists with partners. [2] Employees have 27 days of leave a year. [1]');
  });

  it.each([
    ['an invented sentence', 'Employees have 27 days of paid leave a year. The office dog is called Rex.'],
    [
      'a link',
      'Employees have 27 days of paid leave a year. Employees have paid leave a year at https://evil.example/x.',
    ],
    ['a host', 'Employees have 27 days of paid leave a year. Employees have paid leave a year at evil.com.'],
    ['another number', 'Employees have 27 days of paid leave a year. Employees have 40 days of paid leave a year.'],
    ['a negation', 'Employees have 27 days of paid leave a year. Employees have no days of paid leave a year.'],
  ])('leaves out %s', (_, answer) => {
    expect(cite(answer, [['c1', LEAVE]])).toBe(`${LEAVE} [1]`);
  });

  it.each([
    ['a host', 'Employees have 27 days of paid.leave a year.'],
    ['a host behind others', 'Employees have 27 days.of.paid.leave a year.'],
    ['a host behind a mark', 'Employees have 27 days of _paid.leave a year.'],
    ['a host behind a hyphen', 'Employees have 27 days of -paid.leave a year.'],
    ['a host of another script', 'Отпуск.длится тридцать дней.'],
    ['an address', 'Employees have 27 days of paid@leave a year.'],
    ['a link', 'Employees have 27 days of //paid/leave a year.'],
    ['a path', String.raw`Employees have 27 days of \\paid\leave a year.`],
  ])('leaves out %s that is made of words of the quote', (_, answer) => {
    const quotes = [LEAVE, 'Отпуск длится тридцать дней.'];
    const context = quotes.map((quote, index) => contextChunk(`c${index}`, quote));
    const citations = quotes.map((quote, index) => ({ chunkId: `c${index}`, quote }));
    expect(citedAnswer({ sufficient: true, answer, citations }, context)).toBe(
      quotes.map((quote, index) => `${quote} [${index + 1}]`).join('\n\n'),
    );
  });

  it('shows an address that the quote has, whatever stands around it', () => {
    const quote = 'Ask hr.example.com (or hr@example.com), or see https://example.com/leave.';
    const citations = [{ chunkId: 'h1', quote }];
    expect(citedAnswer({ sufficient: true, answer: quote, citations }, [contextChunk('h1', quote)])).toBe(
      `${quote} [1]`,
    );
  });

  // Tried anew from each of them, the blanks would take minutes.
  it('takes away numbers with the blanks before them, and reads a long run of blanks once', () => {
    const blanks = ' \n'.repeat(200_000);
    expect(cite(`${LEAVE} [1] [2, 3]${blanks}[4${blanks}`, [['c1', LEAVE]])).toBe(`${LEAVE} [1]`);
  });

  it('shows the quotes where a negation was lost and nothing else is left', () => {
    expect(cite('You may share customer lists with partners.', [['c2', SHARE]])).toBe(`${SHARE} [1]`);
  });

  it('counts as the quote check does when a citation is dropped', () => {
    const text = cite('You may not share customer lists with partners [2].', [
      ['c9', 'a quote of an unknown chunk'],
      ['c2', SHARE],
    ]);
    expect(text).toBe('You may not share customer lists with partners. [1]');
  });

  it('keeps lines: of a table with its head, of a list, of paragraphs', () => {
    const [head, leave, sick] = ['| Kind of leave | Days |', '| Annual leave | 30 |', '| Sick leave | 5 |'];
    const table = [head, '|---|---|', leave, sick].join('\n');
    const quotes = [head, leave, sick].join('\n');
    const answer = `${table}\n\n- Annual leave\n- Sick leave`;
    const citations = [{ chunkId: 't1', quote: quotes }];
    expect(citedAnswer({ sufficient: true, answer, citations }, [contextChunk('t1', quotes)])).toBe(
      [
        '| Kind of leave | Days [1] |',
        '|---|---|',
        '| Annual leave | 30 [1] |',
        '| Sick leave | 5 [1] |',
        '',
        '- Annual leave [1]',
        '- Sick leave [1]',
      ].join('\n'),
    );
  });
});
