import { describe, expect, it } from 'vitest';
import { standaloneQuestion } from '../../retrieval/standalone-question.ts';

const BEFORE = 'How many days of annual leave do people in Galway have?';

describe('a follow-up', () => {
  it.each([
    ['that goes on', 'And in Leipzig?'],
    ['of hardly any words', 'In Leipzig?'],
    ['with a pronoun for what was asked about', 'Can they be carried over to the next year?'],
    ['that asks about the same of another', 'What about the office in Osaka?'],
    ['about a part of what was asked', 'What is the deadline?'],
    ['without a verb', 'For contractors?'],
    ['of a question word', 'How long?'],
    ['that points at the place', 'Which holidays do people have there?'],
  ])('%s gets the telling words of the question before it', (_what, question) => {
    const standalone = standaloneQuestion(question, BEFORE);
    expect(standalone.startsWith(question)).toBe(true);
    expect(standalone).toContain('annual');
    expect(standalone).toContain('leave');
  });

  it('does not get a word twice, nor words that only ask', () => {
    expect(standaloneQuestion('And the leave of managers?', BEFORE)).toBe(
      'And the leave of managers? (days annual people galway)',
    );
  });

  it.each([
    ['name', 'And in Lyon?', 'Remote work in Porto: how many days?', 'And in Lyon? (remote work days)'],
    ['identifier', 'And TX-102?', 'What is the price of TX-101?', 'And TX-102? (price)'],
    ['number', 'And what if it is 4472?', 'What does VPN-4471 mean?', 'And what if it is 4472? (mean)'],
  ])('with another %s does not keep that of the question before it', (_what, question, previous, expected) => {
    expect(standaloneQuestion(question, previous)).toBe(expected);
  });

  it('with a year keeps the identifier that it says something of', () => {
    expect(standaloneQuestion('Who fixed it in 2025?', 'What does ERR-4021 mean?')).toContain('err-4021');
  });

  it('keeps the identifiers of the question before it', () => {
    expect(standaloneQuestion('Who fixed it?', 'What does ERR-4021 mean?')).toContain('err-4021');
  });
});

describe('a question that stands alone stays as it is', () => {
  it.each([
    ['in a thread about something else', 'Who approves travel to customers abroad?', BEFORE],
    ['though it says "is there"', 'Is there a canteen in the building at Leipzig?', BEFORE],
    ['though it says "are there"', 'How many meeting rooms are there in Galway office?', BEFORE],
    ['though it is short', 'What is an incident?', BEFORE],
    ['though it has no auxiliary verb', 'Who approves a sabbatical?', BEFORE],
    ['though it has two telling words', 'What are the values of TTS?', BEFORE],
    ['since it names something', 'What is Tock?', BEFORE],
    ['since it opens with its verb', 'Can I bring a dog?', BEFORE],
    ['since it has an identifier', 'What does ERR-4021 mean?', BEFORE],
    ['as the first of a thread', 'And in Leipzig?', undefined],
    ['after a question that says nothing', 'And in Leipzig?', ''],
  ])('%s', (_what, question, previous) => {
    expect(standaloneQuestion(question, previous)).toBe(question);
  });
});
