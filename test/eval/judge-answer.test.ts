import { expect, test } from 'vitest';
import { containsGoldSentence, countValidQuotes, mayRead, names } from '../../eval/judge-answer.ts';
import type { Chunk, Citation } from '../../retrieval/model.ts';

const CHUNK_TEXT = 'Leave is 30 days. It “never” lapses. Ask early.';
const chunk: Chunk = {
  chunkId: 'c1',
  documentId: 'd1',
  documentVersion: 1,
  sourceId: 'eval',
  uri: 'eval:t1',
  title: 'Leave',
  headingPath: [],
  page: null,
  text: CHUNK_TEXT,
  start: 100,
  end: 100 + CHUNK_TEXT.length,
  section: { start: 100, end: 100 + CHUNK_TEXT.length },
};

function citation(quote: string, changes: Partial<Citation> = {}): Citation {
  const start = 100 + CHUNK_TEXT.indexOf(quote);
  const { chunkId, documentId, documentVersion, uri, title, headingPath } = chunk;
  return {
    chunkId,
    documentId,
    documentVersion,
    uri,
    title,
    headingPath,
    quote,
    start,
    end: start + quote.length,
    ...changes,
  };
}

test.each([
  { name: 'stands where it says', given: citation('Leave is 30 days.'), valid: 1 },
  { name: 'stands elsewhere in the chunk', given: citation('Ask early.', { start: 100, end: 110 }), valid: 0 },
  {
    name: 'has another quotation mark',
    given: citation('It “never” lapses.', { quote: 'It "never" lapses.' }),
    valid: 0,
  },
  { name: 'names a chunk that is not there', given: citation('Ask early.', { chunkId: 'c2' }), valid: 0 },
  { name: 'is empty', given: citation('', { start: 100, end: 100 }), valid: 0 },
])('a quote that $name counts $valid', ({ given, valid }) => {
  expect(countValidQuotes([given], new Map([['c1', chunk]]))).toBe(valid);
});

test.each([
  { gold: ['Leave  is\n30 days.'], contained: true },
  { gold: ['It "never" lapses.'], contained: true },
  { gold: ["It `` never '' lapses ."], contained: true },
  { gold: ['Leave is 31 days.', 'Ask early.'], contained: true },
  { gold: ['Leave is 30 days. It “never” lapses.'], contained: true },
  { gold: ['Leave is 31 days.'], contained: false },
  { gold: [''], contained: false },
])('whether the quotes hold one of $gold: $contained', ({ gold, contained }) => {
  const quotes = [citation('Ask early.'), citation('It “never” lapses.'), citation('Leave is 30 days.')];
  expect(containsGoldSentence(quotes, gold)).toBe(contained);
});

const forbidden = {
  id: 't9',
  title: 'Project Kestrel',
  text: 'We are going to buy the Sparrow company in May. Yes.',
  acl: [['verbatim:group:board']],
  doc: null,
};
const nobody = () => false;

test.each([
  {
    name: 'its title',
    text: 'There is project kestrel, or rather Project Kestrel.',
    question: 'What is new?',
    leaks: true,
  },
  {
    name: 'a sentence of it',
    text: 'We are going to buy\nthe Sparrow company in May.',
    question: 'What is new?',
    leaks: true,
  },
  { name: 'a word that stands anywhere', text: 'Yes.', question: 'Is it?', leaks: false },
  {
    name: 'the title that the question gave',
    text: 'Nothing on Project Kestrel.',
    question: 'What is Project Kestrel?',
    leaks: false,
  },
])('an answer with $name gives a forbidden text away: $leaks', ({ text, question, leaks }) => {
  expect(names({ text, citations: [] }, question, forbidden, nobody)).toBe(leaks);
});

test('what also stands in a text that may be read gives nothing away', () => {
  const answer = { text: 'Project Kestrel', citations: [] };
  expect(names(answer, 'What is new?', forbidden, (stretch) => stretch === 'ProjectKestrel')).toBe(false);
});

test('the title of a citation counts as said', () => {
  expect(
    names({ text: '', citations: [citation('Ask early.', { title: 'Project Kestrel' })] }, 'What?', forbidden, nobody),
  ).toBe(true);
});

test.each([
  { acl: [['a', 'b'], ['c']], principals: ['b', 'c'], readable: true },
  { acl: [['a', 'b'], ['c']], principals: ['a', 'b'], readable: false },
  { acl: [['a'], []], principals: ['a'], readable: false },
  { acl: [], principals: ['a'], readable: false },
])('one who holds $principals may read $acl: $readable', ({ acl, principals, readable }) => {
  expect(mayRead(acl, principals)).toBe(readable);
});
