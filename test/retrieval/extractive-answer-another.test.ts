import { describe, expect, it } from 'vitest';
import { askExtractive, contextOf } from '../helpers/context-of.ts';

const COMPANY = contextOf(
  {
    title: 'Minutes of 12 May 2026',
    text: 'Present: 40 people.\n\n1. Sales of the second quarter were 3.1 million euros, more than the 2.8 million of 2024.\n2. The regatta takes place on 8 August 2026 at the Havel.\n3. The pension scheme is looked at again in January 2027.',
    documentId: 'minutes',
  },
  {
    title: 'Systems',
    text: 'The photo archive was moved to team Birch after the reorganisation of 2025.',
    documentId: 'systems',
  },
  {
    title: 'Failure of 9 June 2026',
    text: 'The booking was down for 31 minutes. 640 bookings failed.\n\nTo do: Ida Bruhn adds an alarm that fires within 30 minutes after a failure of the booking (due 2 July 2026).',
  },
  { title: 'ADR 21: search', text: 'Status: accepted in spring.\n\nWe chose the search of the database.' },
  { title: 'Evacuation', text: 'Nils Thorn is the evacuation helper of the fourth floor.' },
);

const ask = (question: string, context = COMPANY) => askExtractive(question, context);

describe('a question that names a year, a day or one of several', () => {
  it.each([
    ['Where does the regatta take place in 2026?', 'at the Havel'],
    ['When does the regatta of 2026 take place?', '8 August 2026'],
    ['What were the sales of the second quarter of 2026?', '3.1 million'],
    ['How many bookings failed in the failure of 9 June 2026?', '640 bookings failed'],
    ['Who is the evacuation helper of the fourth floor?', 'Nils Thorn'],
    ['When was ADR 21 accepted?', 'accepted in spring'],
    ['What was decided on 12 May 2026 about the regatta?', 'at the Havel'],
  ])('is answered by what speaks of it, in its own words or under its title: %s', async (question, words) => {
    expect((await ask(question)).answer).toContain(words);
  });

  it.each([
    'Where does the regatta of 2025 take place?',
    'Where does the regatta of 2027 take place?',
    'What were the sales of the second quarter of 2025?',
    'What were the sales of the third quarter of 2026?',
    'How many bookings failed in the failure of 10 June 2026?',
    'How many bookings failed in the failure of 2025?',
    'Who is the evacuation helper of the third floor?',
    'When was ADR 22 accepted?',
  ])('is not answered by what speaks of another: %s', async (question) => {
    expect((await ask(question)).sufficient).toBe(false);
  });

  it.each(['sold 40 boats, 9 more than in 2025', 'sold 40 boats and is closed until 2027'])(
    'is answered by what names another year only to compare or to bound: %s',
    async (words) => {
      const context = contextOf({ title: 'Report 2026', text: `The yard ${words}.` });
      expect((await ask('How many boats were sold by the yard in 2026?', context)).answer).toContain('40 boats');
    },
  );

  it('is not vouched for by the year of another document', async () => {
    const context = contextOf(
      { title: 'Report', text: 'The guest house was repainted in 2025. Its roof was mended, too.' },
      { title: 'Prices', text: 'A night in the guest house costs 70 euros, and a dog costs 5 euros a night.' },
    );
    const { answer } = await ask('What did a night in the guest house cost in 2025?', context);
    expect(answer).not.toContain('70 euros');
  });
});

const ROTA = contextOf(
  {
    title: 'Rota',
    text: 'Standby weeks begin on Wednesday at 10:00. Each mechanic is on standby one week in five.',
  },
  { title: 'Contracts', text: 'During training the notice period is one week. Training takes four months.' },
  { title: 'Guest house', text: 'Guests check in at 15:00 at the desk. The desk is closed on Sunday.' },
  { title: 'Baggage', text: 'On domestic flights the limit for baggage is 20 kg.' },
);

describe('a question for what has an opposite', () => {
  it.each([
    ['When do standby weeks begin?', 'on Wednesday'],
    ['How long is the notice period during training?', 'one week'],
    ['When do guests check in?', '15:00'],
    ['What is the limit for baggage on domestic flights?', '20 kg'],
    ['Can guests check out at the desk on Sunday?', 'closed on Sunday'],
  ])('is answered by what says so: %s', async (question, words) => {
    expect((await ask(question, ROTA)).answer).toContain(words);
  });

  it.each([
    'When do standby weeks end?',
    'How long is the notice period after training?',
    'When do guests check out?',
    'What is the limit for baggage on international flights?',
  ])('is not answered by the opposite: %s', async (question) => {
    expect((await ask(question, ROTA)).sufficient).toBe(false);
  });

  it('is answered by a beginning that tells the end', async () => {
    const context = contextOf({ title: 'Fair', text: 'The spring fair begins on 3 May and lasts a week.' });
    expect((await ask('When does the spring fair end?', context)).answer).toContain('lasts a week');
  });
});

describe('a rule that another document gives with another number', () => {
  const OLD = {
    title: 'Holiday rules (2022)',
    headingPath: ['Holidays'],
    text: 'Employees in full time receive 25 days of paid holidays per calendar year.',
  };
  const NEW = {
    title: 'Holiday rules',
    headingPath: ['Holidays'],
    text: 'Employees in full time receive 29 days of paid holidays per calendar year. Those in part time receive their share.',
  };
  const OTHERS = Array.from({ length: 8 }, (_, index) => ({
    title: `Holidays at site ${index}`,
    text: 'Holidays are entered in the calendar of the site, and the days are agreed with the team.',
  }));

  it.each([
    ['right behind it', [OLD, NEW]],
    ['far behind it', [OLD, ...OTHERS, NEW]],
  ])('is shown beside it when it ranks %s', async (_, texts) => {
    const { answer } = await ask('How many days of paid holidays do I get?', contextOf(...texts));
    expect(answer).toContain('25 days');
    expect(answer).toContain('29 days');
  });

  it('is not shown where it is the rule of something else that the question names', async () => {
    const ofSite = (site: string, days: number) => ({
      title: `Rules of ${site}`,
      text: `Employees receive ${days} days of paid holidays per calendar year.`,
    });
    const context = contextOf(ofSite('Bremen', 25), ofSite('Graz', 29));
    const { answer } = await ask('How many days of paid holidays do I get in Bremen?', context);
    expect(answer).toContain('25 days');
    expect(answer).not.toContain('29 days');
  });
});
