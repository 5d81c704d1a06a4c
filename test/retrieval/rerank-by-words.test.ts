import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWordReranker } from '../../retrieval/rerank-by-words.ts';

const { rerank } = createWordReranker();
const FILLER = 'The rota is printed every week. Keys hang by the door. The yard is swept at noon.';

describe('the built-in reranker puts first', () => {
  it.each([
    [
      'the text whose title is what is asked',
      'How is annual leave booked?',
      'Annual leave\nIt is booked with the portal.',
      'Portal, calendars and other tools\nAnnual leave may be booked there.',
    ],
    [
      'a sentence that has all words over sentences that have one each',
      'When does the winter canteen close?',
      `Food\n${FILLER} The winter canteen will close at two. ${FILLER}`,
      `Food\nThe winter is long. ${FILLER} The canteen is new. ${FILLER} They close the gate.`,
    ],
    [
      'words that stand together as in the question',
      'data retention schedule',
      'Rules\nThe data retention schedule has ten rows.',
      'Rules\nThe schedule of the retention team has no data in ten rows.',
    ],
    [
      'a form of the word that begins otherwise',
      'Where did the guests eat?',
      'Trip\nThey ate there.',
      'Trip\nThey sat there.',
    ],
    ['an identifier', 'What does ERR-4021 mean?', 'Errors\nERR-4021: no probe.', 'Errors\nERR-4022: no probe.'],
  ])('%s', async (_, question, right, wrong) => {
    const [first = 0, second = 0] = await rerank(question, [right, wrong]);
    expect(first).toBeGreaterThan(second);
    const [third = 0, fourth = 0] = await rerank(question, [wrong, right]);
    expect(fourth).toBeGreaterThan(third);
  });
});

it('gives the same text the same score, and a text without any of the words none', async () => {
  const [a, b, c] = await rerank('annual leave', ['Leave\nAnnual leave.', 'Leave\nAnnual leave.', 'Canteen\nFish.']);
  expect([a, c]).toEqual([b, 0]);
});

it('of any texts gives one finite score each, at least 0', async () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(text, fc.array(text, { maxLength: 6 }), async (question, texts) => {
      const scores = await rerank(question, texts);
      expect(scores).toHaveLength(texts.length);
      for (const score of scores) expect(score).toBeGreaterThanOrEqual(0);
      for (const score of scores) expect(score).toBeLessThanOrEqual(1.25 + 1e-9);
    }),
  );
});
