import { describe, expect, it } from 'vitest';
import { askExtractive, contextOf } from '../helpers/context-of.ts';

const COMPANY = contextOf(
  { title: 'Animals', text: 'Dogs are allowed in the office on Fridays. Bring them on a lead.' },
  {
    title: 'Travel',
    text: 'Train tickets of the second class are reimbursed. Taxis are reimbursed after ten in the evening.',
  },
  { title: 'Sport', headingPath: ['Gym'], text: 'Half of the monthly fee is covered by the company.' },
  { title: 'Overtime', text: 'It is paid with the salary of the next month.' },
);
const ask = (question: string) => askExtractive(question, COMPANY);

describe('a question whether something is allowed, paid or provided', () => {
  it.each([
    ['Are dogs allowed in the office?', 'Dogs are allowed'],
    ['Can I bring my dog to the office on Fridays?', 'Dogs are allowed'],
    ['Are taxis reimbursed in the evening?', 'Taxis are reimbursed'],
    ['Are train tickets of the second class reimbursed?', 'Train tickets'],
    ['Is the gym fee covered by the company?', 'Half of the monthly fee'],
    ['Is overtime paid with the salary?', 'It is paid with the salary'],
  ])('is answered by what says it of that, itself or under its heading: %s', async (question, words) => {
    expect((await ask(question)).answer).toContain(words);
  });

  it.each([
    'Are cats allowed in the office on Fridays?',
    'Can I bring my cat to the office on Fridays?',
    'Are bicycles reimbursed in the evening?',
  ])('is not answered by what says it of something else: %s', async (question) => {
    expect((await ask(question)).sufficient).toBe(false);
  });
});
