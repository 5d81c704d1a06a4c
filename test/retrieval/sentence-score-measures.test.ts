import { describe, expect, it } from 'vitest';
import { askExtractive, contextOf } from '../helpers/context-of.ts';

const COMPANY = contextOf(
  { title: 'The yard', text: 'The yard was founded in 1952. Its gate is opposite the town hall of Grohn.' },
  { title: 'The harbour crane', text: 'The harbour crane stands at quay 3. Only trained staff use the harbour crane.' },
  {
    title: 'Working at night',
    text: 'A night shift pays 40 euros more. The night shift is paid with the next salary.',
  },
  { title: 'Parental leave', text: 'In the first week of parental leave the company pays you full pay.' },
  { title: 'Parking', text: 'Parking in the yard is free of charge for guests. A parking badge is kept at the gate.' },
  { title: 'The van', text: 'Drivers of the van must be 21 or older. The van is booked two days in advance.' },
  { title: 'Courses', text: 'The price of a language course depends on the school.' },
);
const ask = (question: string) => askExtractive(question, COMPANY);

describe('a question for a measure or a price', () => {
  it.each([
    ['How old is the yard?', '1952'],
    ['How old must drivers of the van be?', '21 or older'],
    ['How far in advance is the van booked?', 'two days'],
    ['What does a night shift pay?', '40 euros'],
    ['How much does parking in the yard cost for guests?', 'free of charge'],
    ['How much of my pay does the company pay in the first week of parental leave?', 'full pay'],
    ['What is the price of a language course?', 'depends on the school'],
  ])('is answered by what gives it: %s', async (question, words) => {
    expect((await ask(question)).answer).toContain(words);
  });

  it.each([
    'How old is the harbour crane?',
    'How heavy is the gate of the yard?',
    'What does a week of parental leave pay?',
    'How much does a parking badge cost?',
  ])('is not answered by what only speaks of it: %s', async (question) => {
    expect((await ask(question)).sufficient).toBe(false);
  });
});
