import { describe, expect, it } from 'vitest';
import { askExtractive, contextOf } from '../helpers/context-of.ts';

const HANDBOOK = contextOf(
  {
    title: 'Lateness',
    text: 'Whoever comes more than 60 minutes late for the shift gets a written warning.\n\nThe roster hangs in the corridor.',
  },
  {
    title: 'Purchasing',
    text: 'A purchase up to 800 euros is signed by the ward manager. A purchase between 800 and 6,000 euros is signed by the head of purchasing. Medical devices need three offers from 2,500 euros.\n\nInvoices are paid within 30 days.',
  },
  {
    title: 'Goodwill',
    text: 'Support may grant a goodwill up to 80 euros. Above that the head of support decides on a goodwill.',
  },
  {
    title: 'Alarms',
    text: 'An alarm of level 1 to 3 is answered by the ward. An alarm of level 4 is answered by the fire brigade. Level 5 waits until the next day.',
  },
  {
    title: 'Breaks',
    text: '| Length of shift | Break |\n| --- | --- |\n| up to 6 hours | 15 minutes |\n| 6 to 9 hours | 30 minutes |\n| more than 9 hours | 45 minutes |',
  },
  { title: 'Sick children', text: 'Parents of children under 12 years may stay at home with a sick child.' },
  {
    title: 'Expenses',
    text: 'Receipts for expenses are needed above 15 euros. Expenses are handed in within 45 days.',
  },
  { title: 'Home office', text: 'A desk at home is paid up to 400 euros by the company.' },
  { title: 'Trips', text: 'A business trip is booked in the portal Wayfarer at least 14 days before departure.' },
);

const ask = (question: string, context = HANDBOOK) => askExtractive(question, context);

describe('a question with a quantity', () => {
  it.each([
    ['What happens when I come 75 minutes late for the shift?', 'more than 60 minutes late'],
    ['What happens when I come 2 hours late for the shift?', 'more than 60 minutes late'],
    ['Who signs a purchase of 500 euros?', 'signed by the ward manager'],
    ['Who signs a purchase of 4,000 euros?', 'signed by the head of purchasing'],
    ['Who decides on a goodwill of 200 euros?', 'Above that the head of support decides'],
    ['Who answers an alarm of level 2?', 'answered by the ward'],
    ['Who answers an alarm of level 4?', 'answered by the fire brigade'],
    ['Who answers an alarm of level 5?', 'Level 5 waits'],
    ['How long is the break in a shift of 8 hours?', '| 6 to 9 hours | 30 minutes |'],
    ['How long is the break in a shift of 10 hours?', '| more than 9 hours | 45 minutes |'],
  ])('is answered by the rule that covers it: %s', async (question, rule) => {
    expect((await ask(question)).answer).toContain(rule);
  });

  it.each([
    'What happens when I come 30 minutes late for the shift?',
    'Do I get a written warning when I come 30 minutes late for the shift?',
    'Who signs a purchase of 9,000 euros?',
    'Who signs a purchase of more than 6,000 euros?',
    'Who answers an alarm of level 6?',
  ])('is not answered by the rule for another: %s', async (question) => {
    expect((await ask(question)).sufficient).toBe(false);
  });

  it('is not answered by the row for another', async () => {
    expect((await ask('How long is the break in a shift of 8 hours?')).answer).not.toContain('up to 6 hours');
  });

  it.each([
    ['May I stay at home with a sick child of 14 years?', 'children under 12 years may'],
    ['Do I need receipts for expenses of 10 euros?', 'are needed above 15 euros'],
  ])('is answered by the line between yes and no, on either side of it: %s', async (question, rule) => {
    expect((await ask(question)).answer).toContain(rule);
  });

  it.each([
    ['In which portal is a business trip of 3 days booked?', 'in the portal Wayfarer'],
    ['Who pays for a desk of 900 euros at home?', 'paid up to 400 euros'],
  ])('is answered by what a rule demands or grants, which is no case: %s', async (question, rule) => {
    expect((await ask(question)).answer).toContain(rule);
  });
});

const PEOPLE = contextOf(
  {
    title: 'Fire safety',
    text: 'Every fault of a fire door is reported to the fire safety officer at once.\n\nThe extinguishers hang in the hall.',
  },
  {
    title: 'Systems',
    text: 'The owner of the system Medico is Lukas Feld. Faults of the system Rostra are told to its owner.\n\nThe backup runs at night.',
  },
  { title: 'Health', text: 'Dr. Samir Aziz is the works doctor. The works doctor gives vaccinations.' },
  { title: 'Privacy', text: 'Doubts about privacy are settled with the privacy coordinator.' },
);
const TELEPHONES = contextOf({
  title: 'Telephones',
  text: '- Fire safety officer: Jonas Reuter, 4417\n- Patient advocate: Olga Brandt, 4420',
  documentId: 'telephones',
});

describe('a question for the holder of a role', () => {
  it.each([
    ['Who is the fire safety officer?', 'Jonas Reuter'],
    ['Who is our patient advocate?', 'Olga Brandt'],
    ['Who is the works doctor?', 'Samir Aziz'],
    ['Who is the owner of the system Medico?', 'Lukas Feld'],
  ])('is answered by what says who it is: %s', async (question, name) => {
    expect((await ask(question, [...PEOPLE, ...TELEPHONES])).answer).toContain(name);
  });

  it.each([
    'Who is the fire safety officer?',
    'Who is our privacy coordinator?',
    'Who is the owner of the system Rostra?',
  ])('is not answered by a mention of the role: %s', async (question) => {
    expect((await ask(question, PEOPLE)).sufficient).toBe(false);
  });

  it('is told from a question for whoever does something, which a role answers', async () => {
    const context = contextOf({ title: 'Doors', text: 'A fire door is unlocked by the fire safety officer.' });
    expect((await ask('Who unlocks a fire door?', context)).answer).toContain('the fire safety officer');
  });
});

const JUNIPER = {
  title: 'Equipment of ward Juniper',
  text: 'The ward has:\n\n- Infusion pump IP-3, assigned to Mara Vogel\n- Tablet T-11, assigned to Mara Vogel\n- Defibrillator D-2, in the corridor',
};
const ALDER = {
  title: 'Equipment of ward Alder',
  text: '- Infusion pump IP-7, assigned to Pavel Horak\n- Tablet T-14, assigned to Mara Vogel',
};
const ZONES = {
  title: 'Parking zones',
  text: '| Zone | Fee |\n| --- | --- |\n| North | 22 euros |\n| Roof | 48 euros |',
};

describe('a question for a count', () => {
  it.each(['How many tablets are assigned to Mara Vogel?', 'How many infusion pumps does the ward have?'])(
    'is not answered by one of the things to be counted: %s',
    async (question) => {
      expect((await ask(question, contextOf(JUNIPER, ALDER))).sufficient).toBe(false);
    },
  );

  it('is answered by the number, in digits or words', async () => {
    const context = contextOf({ title: 'Committees', text: 'The hygiene committee has seven members.' });
    expect((await ask('How many members does the hygiene committee have?', context)).answer).toContain('seven');
  });
});

describe('a question for several things', () => {
  it.each([
    ['What equipment does ward Juniper have?', [JUNIPER], 'The ward has:\n\n- Infusion', 'in the corridor'],
    ['What equipment does ward Alder have?', [ALDER], '- Infusion pump IP-7', '- Tablet T-14'],
    ['What are all parking zones?', [ZONES], '| Zone | Fee |', '| Roof | 48 euros |'],
    ['Which equipment is assigned to Mara Vogel?', [JUNIPER], '- Infusion pump IP-3', '- Tablet T-11'],
  ])('is answered by the whole list: %s', async (question, texts, first, last) => {
    const { citations } = await ask(question, contextOf(...texts));
    expect(citations[0]?.quote).toContain(first);
    expect(citations[0]?.quote).toContain(last);
  });

  it('is not answered where each document has some of them', async () => {
    expect((await ask('Which tablets are assigned to Mara Vogel?', contextOf(JUNIPER, ALDER))).sufficient).toBe(false);
  });

  it('does not make a list of what is asked of one', async () => {
    expect((await ask('What does parking in zone Roof cost?', contextOf(ZONES))).answer).not.toContain('North');
  });
});
