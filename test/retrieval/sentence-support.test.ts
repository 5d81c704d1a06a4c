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
const ON_CALL = 'A week on call pays 350 EUR, and each call at night pays 60 EUR more.';
const BUDGET = `The travel budget for each employee is 1,200 euros a year. ${TRIPS}`;

describe('a sentence is not supported', () => {
  it.each([
    ['with another name', TRIPS, 'Trips above 500 euros are approved by Bob Miller.'],
    ['without when it holds', 'Guests may park in the yard on weekends.', 'Guests may park in the yard.'],
    ['without what it asks for', 'Guests may park in the yard with a permit.', 'Guests may park in the yard.'],
    ['without its condition', 'Guests may park here if their host registers them.', 'Guests may park here.'],
    ['without its condition behind a comma', 'Guests may park, provided the host registers them.', 'Guests may park.'],
    ['without its condition in front', 'If the host registers them, guests may park.', 'Guests may park.'],
    ['without what it begins with', 'On weekends, guests may park in the yard.', 'Guests may park in the yard.'],
    ['without for whom it holds', 'Parking is free for employees.', 'Parking is free.'],
    [
      'without the number of others',
      'Employees have 27 days of leave (20 in France).',
      'Employees have 27 days of leave.',
    ],
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
    ['with two amounts exchanged', ON_CALL, 'A week on call pays 60 EUR, and each call at night pays 350 EUR more.'],
    ['with the amount of the other clause', ON_CALL, 'A week on call pays 60 EUR more.'],
    [
      'with the amount of the other clause, in words',
      'A lead gets two days, a trainee ten days.',
      'A lead gets ten days.',
    ],
    ['with the value of the other clause', 'Guests pay in full, and employees pay nothing.', 'Guests pay nothing.'],
    ['with two names exchanged', 'Ann Lee reports to Bob Roy.', 'Bob Roy reports to Ann Lee.'],
    ['with two roles exchanged', 'The manager reports to the director.', 'The director reports to the manager.'],
    ['with small words exchanged', 'Parcels go from the lab to the depot.', 'Parcels go to the lab from the depot.'],
    ['with two dates exchanged', 'Open from 3 May to 9 June.', 'Open from 9 June to 3 May.'],
    ['with another currency', 'Lunch costs 5 €.', 'Lunch costs 5 $.'],
    ['with the negation in the other clause', 'Dogs may come, cats may not come.', 'Dogs may not come, cats may come.'],
    ['with or for and', 'Staff and guests sign in.', 'Staff or guests sign in.'],
    ['without the condition', 'Interns on probation get 10 days.', 'Interns get 10 days.'],
    ['without most', 'Most guests pay.', 'Guests pay.'],
    ['without may', 'Staff may get a phone.', 'Staff get a phone.'],
    ['with two cells of a row exchanged', '| Lead | Deputy |\n|---|---|\n| Ann | Bob |', 'The deputy is Ann.'],
    [
      'with the numbers of a row exchanged',
      '| Plan | Seats | Price |\n|---|---|---|\n| Gold | 10 | 20 |',
      'The seats of Gold are 10 at a price of 20.',
    ],
    [
      'with the values of a record exchanged',
      'Lead: team manager\nDeputy: works council\nRoom: 12',
      'Lead works council.',
    ],
    ['with the value of another item in words', 'Fees:\n\n- guests: full\n- staff: none', 'Guests: none.'],
    ['in another order', TRIPS, 'Maria Keller approves trips above 500 euros.'],
  ])('%s', (_how, quote, sentence) => {
    expect(says(quote, sentence)).toBe(false);
  });
});

describe('a sentence is supported', () => {
  it.each([
    ['that is the quote', TRIPS, TRIPS],
    ['that says less', LEAVE, 'Leave of more than 10 days needs approval.'],
    ['without what is said besides', 'Guests may park here, as the house rules say.', 'Guests may park here.'],
    ['without what leads to it', 'Please note that guests may park here.', 'Guests may park here.'],
    ['that leaves out what only describes', 'Staff get 30 days of paid leave.', 'Staff get 30 days of leave.'],
    ['by the second sentence of a quote', BUDGET, 'Trips above 500 euros are approved by Maria Keller.'],
    ['by a clause of a quote', 'Lunch costs 5 EUR, and coffee costs 1 EUR.', 'Coffee costs 1 EUR.'],
    ['by the other clause of a quote', ON_CALL, 'Each call at night pays 60 EUR more.'],
    ['that speaks of its source', TRIPS, 'The policy says that trips above 500 euros are approved by Maria Keller.'],
    ['in another form of its words', 'Staff paid 5 euros for a badge.', 'Staff pay 5 euros for the badges.'],
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
    expect(says('Ann reports to Bob.', 'Carl reports to Bob.', ['Carl'])).toBe(false);
    expect(says('Ann reports to Bob.', 'Ann reports to Carl.', ['Carl'])).toBe(false);
  });
});
