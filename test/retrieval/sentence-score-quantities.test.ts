import { describe, expect, it } from 'vitest';
import {
  hasNumber,
  type Quantity,
  quantitiesIn,
  withoutQuantities,
} from '../../retrieval/sentence-score-quantities.ts';

const INFINITY = Number.POSITIVE_INFINITY;

/** As a row of the tables below; what is added to tell "more than 5" from "at least 5" is rounded away. */
function inShort({ of, low, high, kind }: Quantity) {
  return [of, Math.round(low), Math.round(high), kind];
}

describe('the quantities of a text', () => {
  it.each([
    ['more than 60 minutes late', ['minute', 60, INFINITY, 'range']],
    ['at least 10 years', ['month', 120, INFINITY, 'range']],
    ['10 years or more', ['month', 120, INFINITY, 'range']],
    ['5+ years', ['month', 60, INFINITY, 'range']],
    ['no more than 5 working days', ['day', -INFINITY, 5, 'range']],
    ['orders up to €800', ['euro', -INFINITY, 800, 'range']],
    ['orders below 10k euros', ['euro', -INFINITY, 10_000, 'range']],
    ['between 800 and 6,000 euros', ['euro', 800, 6_000, 'range']],
    ['15 % to 25 %', ['percent', 15, 25, 'range']],
    ['6–9 hours', ['minute', 360, 540, 'range']],
    ['from the fourth day on', ['day', 4, INFINITY, 'range']],
    ['handed in within 45 days', ['day', -INFINITY, 45, 'limit']],
    ['at least 14 days before departure', ['day', 14, INFINITY, 'limit']],
    ['desks are paid up to 400 euros', ['euro', -INFINITY, 400, 'limit']],
    ['alarms of level 1 to 3', ['level #', 1, 3, 'label']],
    ['alarms above severity 3', ['sever #', 3, INFINITY, 'label']],
    ['a grade 7 promotion', ['grade #', 7, 7, 'label']],
    ['ADR 18 accepted', ['adr #', 18, 18, 'label']],
    ['ADR 17: queues', ['adr #', 17, 17, 'label']],
    ['twenty-five years of service', ['month', 300, 300, 'plain']],
    ['a 90-minute delay', ['minute', 90, 90, 'plain']],
  ])('%s', (text, quantity) => {
    expect(quantitiesIn(text).map(inShort)).toEqual([quantity]);
  });

  it('share the label of the list that they stand in', () => {
    expect(quantitiesIn('levels 1, 2 and 4 are').map(inShort)).toEqual(
      [1, 2, 4].map((level) => ['level #', level, level, 'label']),
    );
  });

  it('take their unit from the name of their column', () => {
    expect(quantitiesIn('up to 6', ' Length (hours) ').map(inShort)).toEqual([['minute', -INFINITY, 360, 'range']]);
    expect(quantitiesIn('2', ' Severity ').map(inShort)).toEqual([['sever #', 2, 2, 'label']]);
  });

  it.each([
    'from 9:30 to 10:00',
    'on 31 March',
    'in May 2026',
    'Tablet T-11',
    'version 4.2.1',
    '2026-08-25',
    'all of it',
  ])('are none in %j', (text) => expect(quantitiesIn(text)).toEqual([]));

  it.each([
    ['Who signs an order of 4,000 euros?', 'who signs an order of  euros?'],
    ['Who answers a level 6 alarm?', 'who answers a level  alarm?'],
    ['Who has T-11?', 'who has t-11?'],
  ])('leave the rest of %j', (text, rest) => expect(withoutQuantities(text)).toBe(rest));
});

describe('a number', () => {
  it.each(['seven members', '| South | 60 |', 'Up to 6 days'])('is in %j', (text) =>
    expect(hasNumber(text)).toBe(true),
  );
  it.each(['Tablet T-11', 'bought on 3 May 2026', 'at 9:30', 'in 2025'])('is not in %j', (text) =>
    expect(hasNumber(text)).toBe(false),
  );
});
