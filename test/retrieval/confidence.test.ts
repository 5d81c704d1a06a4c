import { describe, expect, it } from 'vitest';
import { confidenceOf } from '../../retrieval/confidence.ts';
import type { Citation } from '../../retrieval/model.ts';

function citationOf(quote: string, headingPath: string[] = [], chunkId = 'chunk-1'): Citation {
  const place = { start: 0, end: quote.length };
  return {
    ...place,
    documentId: 'd',
    documentVersion: 1,
    uri: 'file:///d',
    title: 'Handbook',
    headingPath,
    chunkId,
    quote,
  };
}

const QUOTE = 'Employees may carry over five days of annual leave.';

describe('faithfulness', () => {
  it.each([
    ['is 1 when the answer is the quote', `${QUOTE} [1]`, 1],
    ['is 1 when the answer says it in other forms', 'An employee may carry over five days of leave [1].', 1],
    ['is one half when every other sentence is not quoted', `${QUOTE} [1] The cafeteria opens at noon.`, 0.5],
    ['is 0 when nothing is quoted', 'The cafeteria opens at noon.', 0],
    ['is 0 when a number differs', 'Employees may carry over 7 days of annual leave.', 0],
    ['is 0 for an empty answer', ' [1] ', 0],
  ])('%s', (_when, answer, faithfulness) => {
    const confidence = confidenceOf({ question: 'carry over', answer, citations: [citationOf(QUOTE)] });
    expect(confidence.faithfulness).toBe(faithfulness);
  });

  it('does not add up the quotes of different places to one support', () => {
    const citations = [
      citationOf('Interns travel by train.', [], 'a'),
      citationOf('Managers receive helicopters.', [], 'b'),
    ];
    expect(
      confidenceOf({ question: 'x', answer: 'Interns receive helicopters, managers travel.', citations }).faithfulness,
    ).toBe(0);
  });
});

describe('coverage', () => {
  it.each([
    ['is 1 when the quotes hold every term of the question', 'Can employees carry over annual leave?', [], 1],
    ['counts other forms of a word', 'How do I carry over my leaves annually, as an employee?', [], 1],
    ['counts headings', 'Can employees in Norway carry over annual leave?', ['Norway'], 1],
    ['is 0 when the question is about something else', 'What is the capital of France?', [], 0],
  ])('%s', (_when, question, headingPath, coverage) => {
    expect(confidenceOf({ question, answer: QUOTE, citations: [citationOf(QUOTE, headingPath)] }).coverage).toBeCloseTo(
      coverage,
    );
  });

  it('loses more by a rare term than by a common one', () => {
    const of = (question: string) => confidenceOf({ question, answer: QUOTE, citations: [citationOf(QUOTE)] }).coverage;
    expect(of('annual leave ERR-4021')).toBeLessThan(of('annual leave time'));
    expect(of('annual leave time')).toBeLessThan(1);
  });
});

describe('overall', () => {
  it('is the harmonic mean', () => {
    const answer = `${QUOTE} The cafeteria opens at noon.`;
    const { overall } = confidenceOf({ question: 'annual leave', answer, citations: [citationOf(QUOTE)] });
    expect(overall).toBeCloseTo((2 * 0.5 * 1) / 1.5);
  });

  it('is 0, and so is everything, without citations', () => {
    expect(confidenceOf({ question: 'annual leave', answer: QUOTE, citations: [] })).toEqual({
      faithfulness: 0,
      coverage: 0,
      overall: 0,
    });
  });
});
