import { describe, expect, it } from 'vitest';
import { answerKindOf, asksForSeveral, kindFit } from '../../retrieval/sentence-score-cues.ts';
import { stem } from '../../retrieval/sentence-score-stem.ts';

describe('words that mean the same have one stem', () => {
  it.each([
    ['enroll enrolled enrollment enrolls'],
    ['reimburse reimbursement reimbursed reimbursing'],
    ['approve approves approval approved'],
    ['plan plans planning planned'],
    ['policy policies'],
    ['pay pays paying'],
    ['employ employment employer employing'],
    ['university universities'],
    ['organize organization organizations'],
    ["company company's companies"],
    ['responsible responsibility'],
  ])('%s', (words) => {
    expect(new Set(words.split(' ').map(stem)).size).toBe(1);
  });
});

describe('words that do not mean the same have different stems', () => {
  it.each([['plan plane'], ['station state'], ['bus business'], ['tell till'], ['err-4021 err-4022'], ['年假 病假']])(
    '%s',
    (words) => {
      const [one = '', other = ''] = words.split(' ');
      expect(stem(one)).not.toBe(stem(other));
    },
  );
});

describe('the form of a question says whether it asks for several things', () => {
  it.each([
    ['Which tablets are assigned to Mara?', true],
    ['What safety documents do I need?', true],
    ['What equipment does ward Alder have?', true],
    ['List the zones.', true],
    ['What are all parking zones?', true],
    ['What does parking cost?', false],
    ['What happens when I am late?', false],
    ['Which class is paid?', false],
  ])('%s %s', (question, several) => expect(asksForSeveral(question)).toBe(several));
});

describe('the form of a question says what it asks for', () => {
  it.each([
    ['When do I get paid?', 'time', 'Salaries are paid on the 25th of each month.', 'Salaries are paid.'],
    ['How long is the notice?', 'time', 'It is three months.', 'It depends on the contract.'],
    ['How many desks are there?', 'amount', 'There are twelve desks.', 'There are desks.'],
    ['How much leave is there?', 'amount', 'It is thirty days.', 'It is long.'],
    ["What's the limit for meals?", 'amount', 'Meals cost up to 40 EUR.', 'Meals are cheap.'],
    ['Who approves travel?', 'person', 'Travel is approved by Ann Lee.', 'Travel is approved.'],
    ['Where is the form?', 'place', 'It hangs in the kitchen.', 'It exists.'],
    ['Why do we use Slack?', 'reason', 'Because mail is slow.', 'Mail is slow.'],
    ['How do I reset it?', 'steps', 'Click the button.', 'It is a reset.'],
    ['What is a sabbatical?', 'definition', 'A sabbatical is a long leave.', 'Sabbaticals!'],
    ['Am I allowed to smoke?', 'yes_no', 'Smoking is not allowed.', 'Smoking kills people.'],
  ] as const)('%s', (question, kind, fitting, other) => {
    expect(answerKindOf(question)).toBe(kind);
    expect([kindFit(kind, fitting), kindFit(kind, other)]).toEqual([1, 0]);
  });

  it.each([
    ['I lost my laptop, whom do I call and how fast?', 'person'],
    ['Can you tell me when the office opens?', 'time'],
    ['For how many days a year may I work abroad, and who decides?', 'amount'],
  ] as const)('and of several forms the first counts: %s', (question, kind) => {
    expect(answerKindOf(question)).toBe(kind);
  });

  it('or nothing', () => {
    expect(answerKindOf('parental leave policy')).toBe('none');
    expect(kindFit('none', 'Anything.')).toBe(0.5);
  });
});
