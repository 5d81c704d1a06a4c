import pc from 'picocolors';
import { expect, test } from 'vitest';
import type { Answer } from '../../retrieval/model.ts';
import { renderAnswer } from '../../src/cli/render-answer.ts';

const QUOTE = 'Pay \u202Eonce\u202C a mo\u200Bnth.\u001b[31m';

const answer: Answer = {
  answerId: 'a1',
  status: 'answered',
  refusal: null,
  text: `It says: ${QUOTE} [1]`,
  citations: [
    {
      documentId: 'd1',
      documentVersion: 1,
      uri: 'file:pay\u202Efdp.exe',
      title: 'Pay\u2067\u200B',
      headingPath: [],
      chunkId: 'd1:1:0',
      quote: QUOTE,
      start: 0,
      end: QUOTE.length,
    },
  ],
  sources: [],
  confidence: null,
  degraded: [],
  timingsMs: {},
  costUsd: 0,
};

test('in a terminal, which knows no isolates, what turns the order of a text is shown by its name, and the quote stays as it is', () => {
  const shown = renderAnswer(answer, { colours: pc.createColors(false), width: 100 });
  expect(shown).toContain('It says: Pay [U+202E]once[U+202C] a month.[31m [1]');
  expect(shown).toContain('│ Pay [U+202E]once[U+202C] a month.');
  expect(shown).toContain('[1] Pay[U+2067]');
  expect(shown).toContain('file:pay[U+202E]fdp.exe');
  expect(answer.citations[0]?.quote).toBe(QUOTE);
});
