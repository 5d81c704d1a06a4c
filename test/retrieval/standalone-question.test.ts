import { describe, expect, it } from 'vitest';
import { type EarlierQuestion, standaloneQuestion } from '../../retrieval/standalone-question.ts';

const BEFORE = 'How many days of annual leave do people in Galway have?';

/** A thread as it is kept: each question with what it became. */
function threadOf(...questions: readonly string[]): EarlierQuestion[] {
  const thread: EarlierQuestion[] = [];
  for (const asked of questions) thread.push({ asked, standalone: standaloneQuestion(asked, thread) });
  return thread;
}

/** What the last of a thread's questions becomes. */
const becomes = (...questions: readonly string[]): string => threadOf(...questions).at(-1)?.standalone ?? '';

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
    ['that points at a woman', 'What does her team lead decide?'],
    ['that points at a man', 'Which office does he normally work in?'],
    ['that points at somebody', 'Which bonus do they usually get?'],
    ['that ends with "then"', 'What do new colleagues do then?'],
  ])('%s gets the telling words of the question before it', (_what, question) => {
    const standalone = becomes(BEFORE, question);
    expect(standalone.startsWith(question)).toBe(true);
    expect(standalone).toContain('annual');
    expect(standalone).toContain('leave');
  });

  it('does not get a word twice, nor words that only ask', () => {
    expect(becomes(BEFORE, 'And the leave of managers?')).toBe('And the leave of managers? days annual people Galway');
  });

  it.each([
    ['name', 'And in Lyon?', 'Remote work in Porto: how many days?', 'And in Lyon? remote work days'],
    ['identifier', 'And TX-102?', 'What is the price of TX-101?', 'And TX-102? price'],
    ['number', 'And what if it is 4472?', 'What does VPN-4471 mean?', 'And what if it is 4472? mean'],
    ['plain number', 'And level 4?', 'What is the bonus of level 3?', 'And level 4? bonus'],
    [
      'number in words',
      'and of the second floor?',
      'Who is the warden of the third floor?',
      'and of the second floor? warden',
    ],
  ])('with another %s does not keep that of the question before it', (_what, question, previous, expected) => {
    expect(becomes(previous, question)).toBe(expected);
  });

  it('with a year keeps the identifier that it says something of', () => {
    expect(becomes('What does ERR-4021 mean?', 'Who fixed it in 2025?')).toContain('err-4021');
  });

  it.each([
    ['as it is written', 'Which holidays does Galway have?', 'holidays Galway'],
    ['not first, where its capital says nothing', 'Which of the Galway holidays are paid?', 'holidays paid Galway'],
    ['behind a word where there is no other', 'Where is Galway?', 'about Galway'],
    ['as a date', 'When on 23 March 2026 was the fair?', '23 March 2026 fair'],
  ])('puts a name %s', (_what, previous, expected) => {
    expect(becomes(previous, 'Who likes it?')).toBe(`Who likes it? ${expected}`);
  });

  it('is ended before the words that are added', () => {
    expect(becomes('What is the hotel limit?', 'and in Lyon')).toBe('and in Lyon? hotel limit');
  });

  it('keeps the identifiers of the question before it', () => {
    expect(becomes('What does ERR-4021 mean?', 'Who fixed it?')).toContain('err-4021');
  });
});

describe('a third question stands on what the second one became', () => {
  it.each([
    [
      'what was asked of the subject makes room',
      ['Who is the security lead?', 'What is his phone number?', 'and the email?'],
      'and the email? security lead',
    ],
    [
      'a thing makes room for another',
      ['What is the hotel limit?', 'What about Paris?', 'and for meals?'],
      'and for meals? hotel limit',
    ],
    [
      'a name makes room for another',
      ['What is the hotel limit?', 'What about Paris?', 'and in Tokyo?'],
      'and in Tokyo? hotel limit',
    ],
    [
      'what has taken the place of an identifier stays',
      ['What is the recovery time of S-142?', 'and S-117?', 'and the availability?'],
      'and the availability? recovery time s-117',
    ],
    [
      'what has taken the place of a name stays',
      ['How many days of leave in Porto?', 'What about Lyon?', 'and interns?'],
      'and interns? days leave Lyon',
    ],
    [
      'a place and a group stand beside each other',
      ['How many days of leave are there?', 'And in Lyon?', 'and for interns?'],
      'and for interns? days leave Lyon',
    ],
    [
      'a thing that was put in stays where it is asked about',
      ['Are dogs allowed?', 'and cats?', 'Where are they allowed?'],
      'Where are they allowed? dogs cats',
    ],
    [
      'a question without words of its own takes all along',
      ['How many days of leave do I get?', 'And how many can I carry over?', 'until when?'],
      'until when? days leave carry',
    ],
    [
      'what was asked without an auxiliary verb makes room too',
      ['When does the old gate open?', 'Who announced it?', 'and the new one?'],
      'and the new one? old gate open',
    ],
    [
      'a question that only asks leaves nothing behind',
      ['When is the summer party?', 'Where is it?', 'How much does it cost?'],
      'How much does it cost? summer party',
    ],
    [
      'a question that stands alone begins anew',
      ['Who is the security lead?', 'When is the summer party?', 'Where is it?'],
      'Where is it? summer party',
    ],
  ])('%s', (_what, questions, expected) => {
    expect(becomes(...questions)).toBe(expected);
  });

  it('without growing, however many follow', () => {
    const asks = ['phone number', 'email address', 'office', 'deputy', 'start date', 'team', 'manager'];
    const questions = asks.map((asked) => `and the ${asked}?`);
    expect(becomes('Who is the security lead?', ...questions)).toBe('and the manager? security lead');
  });

  it('as far as its first words say what it is about', () => {
    const page = Array.from({ length: 400 }, (_, index) => `word${String.fromCharCode(97 + (index % 26))}${index}x`);
    expect(becomes(page.join(' '), 'And then?').split(' ')).toHaveLength(32);
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
    ['since it says whose', 'How can an intern see her own file?', BEFORE],
    ['since it says of whom', 'When do new employees get their first bonus?', BEFORE],
    ['since it names whom it speaks of', 'When does Marta Olsen leave her office?', BEFORE],
    ['after a question that says nothing', 'And in Leipzig?', ''],
  ])('%s', (_what, question, previous) => {
    expect(becomes(previous, question)).toBe(question);
  });

  it('as the first of a thread', () => {
    expect(becomes('And in Leipzig?')).toBe('And in Leipzig?');
  });
});
