import { describe, expect, it } from 'vitest';
import { createSupport } from '../../retrieval/sentence-support.ts';

const says = (quote: string, sentence: string, headingPath: string[] = []) =>
  createSupport([
    {
      documentId: 'd',
      documentVersion: 1,
      uri: 'file:///d',
      title: 'Handbook',
      headingPath,
      chunkId: 'c',
      quote,
      start: 0,
      end: quote.length,
    },
  ])(sentence) === 0;

const TRIPS = 'Trips above 500 euros are approved by Maria Keller.';
const LEAVE = 'Leave of more than 10 days needs approval by the team lead.';
const BUDGET = `The travel budget for each employee is 1,200 euros a year. ${TRIPS}`;

describe('a sentence is not supported', () => {
  it.each([
    ['with another name', TRIPS, 'Trips above 500 euros are approved by Bob Miller.'],
    ['with the comparison turned round', TRIPS, 'Trips below 500 euros are approved by Maria Keller.'],
    ['without the comparison', TRIPS, 'Trips of 500 euros are approved by Maria Keller.'],
    ['with the opposite verb', TRIPS, 'Trips above 500 euros are rejected by Maria Keller.'],
    ['with something added', TRIPS, 'Trips above 500 euros are approved by Maria Keller on the phone.'],
    ['with less for more', LEAVE, 'Leave of less than 10 days needs approval by the team lead.'],
    ['with up to for more than', LEAVE, 'Leave of up to 10 days needs approval by the team lead.'],
    ['with another body', LEAVE, 'Leave of more than 10 days needs approval by the HR board.'],
    ['with able for unable', 'Contractors are unable to appeal.', 'Contractors are able to appeal.'],
    ['with the number of the next sentence', BUDGET, 'The travel budget for each employee is 500 euros a year.'],
    ['that negates', 'Guests pay for parking.', 'Guests do not pay for parking.'],
    ['that does not negate', 'Guests do not pay for parking.', 'Guests pay for parking.'],
    ['that forgets the exception', 'Only directors may sign contracts.', 'Directors may sign contracts.'],
    ['that makes a duty of a permission', 'Staff may work from home.', 'Staff must work from home.'],
    ['that makes a permission of a duty', 'Staff must wear a badge.', 'Staff may wear a badge.'],
    ['that speaks of all', 'Staff receive a phone.', 'All staff receive a phone.'],
    [
      'with the value of another row',
      '| Plan | Price |\n|---|---|\n| Gold | 10 |\n| Silver | 5 |',
      'The price of Gold is 5.',
    ],
    ['with the value of another item', 'Prices:\n\n- Gold: 10 euros\n- Silver: 5 euros', 'Gold costs 5 euros.'],
    ['against the lead-in', 'Not reimbursed:\n\n- taxis\n- minibar', 'Taxis are reimbursed.'],
    ['of small words only', TRIPS, 'It is so.'],
  ])('%s', (_how, quote, sentence) => {
    expect(says(quote, sentence)).toBe(false);
  });
});

describe('a sentence is supported', () => {
  it.each([
    ['that is the quote', TRIPS, TRIPS],
    ['in another order', TRIPS, 'Maria Keller approves trips above 500 euros.'],
    ['that says less', LEAVE, 'More than 10 days of leave needs approval.'],
    ['by the second sentence of a quote', BUDGET, 'Maria Keller approves trips above 500 euros.'],
    ['that speaks of its source', TRIPS, 'According to the policy, Maria Keller approves trips above 500 euros.'],
    ['by an item with its lead-in', 'We reimburse:\n\n- taxis\n- trains', 'Taxis are reimbursed.'],
    ['by a list', 'We reimburse:\n\n- taxis\n- trains', 'Taxis and trains are reimbursed.'],
    [
      'by a row with its header',
      '| Plan | Price |\n|---|---|\n| Gold | 10 |\n| Silver | 5 |',
      'The price of Gold is 10.',
    ],
    ['by a sentence that points to the one before', 'The gym is free. It opens at 7.', 'The gym opens at 7.'],
    ['with can for may', 'Staff may work from home.', 'Staff can work from home.'],
  ])('%s', (_how, quote, sentence) => {
    expect(says(quote, sentence)).toBe(true);
  });

  it('by what the headings add, but not by their numbers', () => {
    const quote = 'The office opens at 8.';
    expect(says(quote, 'The Berlin office opens at 8.', ['Berlin'])).toBe(true);
    expect(says(quote, 'The office opens at 9.', ['9 o’clock rule'])).toBe(false);
  });
});
