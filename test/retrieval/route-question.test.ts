import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_QUESTION_CHARACTERS } from '../../retrieval/answer-question.ts';
import { ROUTES, routeQuestion } from '../../retrieval/route-question.ts';

describe('a question is taken for', () => {
  it.each([
    ['factual', 'Who is the head of payroll?'],
    ['factual', 'When does the canteen open?'],
    ['factual', 'travel budget 2027'],
    ['factual', 'How many steps does the stair have?'],
    ['factual', 'When was the error fixed?'],
    ['factual', 'Who was the last to deploy?'],
    ['factual', 'What is the law firm called?'],
    ['factual', 'Who is the head of legal?'],
    ['factual', 'Where is the compliance team?'],
    ['factual', 'Can the tag be read under water?'],
    ['factual', 'May 2027 budget'],
    ['operational', 'How do I reset my password?'],
    ['operational', 'What are the steps to rotate the gateway certificate?'],
    ['operational', 'Can I reset my password by myself?'],
    ['operational', 'What steps follow when the error comes back?'],
    ['operational', 'The device shows ERR-4021, what do I do?'],
    ['analytical', 'Why did the gateways go silent in March?'],
    ['analytical', 'Compare the warranty of 2023 with the current one'],
    ['analytical', 'How many gateways failed, and how does that differ from last year?'],
    ['analytical', 'What is the impact of the new price list on renewals?'],
    ['compliance', 'Am I allowed to take a laptop to China?'],
    ['compliance', 'How long is personal data kept under the retention schedule?'],
    ['compliance', 'What is the policy on gifts?'],
    ['compliance', 'Who must approve a contract?'],
    ['compliance', 'May an employee smoke?'],
    ['compliance', 'Must every visitor wear a badge?'],
    ['compliance', 'Do I need approval for travel?'],
    ['compliance', 'Does a contractor have to sign in?'],
    ['compliance', 'Is a receipt required for lunch?'],
    ['compliance', 'Can I bring my dog?'],
    ['compliance', 'Could a guest use the car park?'],
    ['compliance', 'Which laws does the audit team follow?'],
  ])('%s: %s', (route, question) => {
    expect(routeQuestion(question)).toBe(route);
  });

  it('one of the four, whatever is asked', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => ROUTES.includes(routeQuestion(text))));
  });
});

it('takes less than a millisecond for the longest question', () => {
  const longest = ['how does is are may we request '.repeat(200), 'a'.repeat(9_000), 'iso  iso-'.repeat(600)].map(
    (text) => text.slice(0, MAX_QUESTION_CHARACTERS),
  );
  for (const text of longest) routeQuestion(text);
  for (const text of longest) {
    const times = Array.from({ length: 20 }, () => {
      const start = performance.now();
      routeQuestion(text);
      return performance.now() - start;
    });
    // The quickest of many: the machine may be busy, the pattern may not be slow.
    expect(Math.min(...times)).toBeLessThan(1);
  }
});
