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
    const answer = 'You may not share customer lists. Employees have 27 days of leave a year [7].';
    const text = cite(answer, [
      ['c1', LEAVE],
      ['c2', SHARE],
    ]);
    expect(text).toBe('You may not share customer lists. [2] Employees have 27 days of leave a year. [1]');
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
