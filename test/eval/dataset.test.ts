import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readDataset } from '../../eval/dataset.ts';
import { UsageError } from '../../retrieval/errors.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'verbatim-dataset-'));
});
afterEach(() => rm(directory, { recursive: true }));

const text = { id: 't1', title: 'Leave', text: 'There are 30 days of leave. Ask early.', acl: [['verbatim:everyone']] };
const question = { id: 'q1', text: 'How many days?', principals: ['verbatim:everyone'] };
const attack = { id: 'a1', text: 'How many days?', principals: [], forbidden: ['t1'] };
const HEADER = 'query-id\tcorpus-id\tscore\n';

async function write(files: Record<string, string | object[]>): Promise<void> {
  const whole = { 'corpus.jsonl': [text], 'queries.jsonl': [question], 'qrels.tsv': `${HEADER}q1\tt1\t2\n`, ...files };
  for (const [name, content] of Object.entries(whole)) {
    const lines = typeof content === 'string' ? content : content.map((line) => JSON.stringify(line)).join('\n');
    await writeFile(join(directory, name), lines);
  }
}

test('a set is read with its grades, gold spans and the questions of a thread', async () => {
  const labelled = {
    ...question,
    answerable: true,
    quotes: [{ content: '30 days of leave', start_index: 10, end_index: 26 }],
    history: ['Is there leave?', { role: 'assistant', content: 'Yes.' }, { role: 'user', content: 'Where?' }],
  };
  await write({ 'queries.jsonl': [labelled, { ...question, id: 'q2' }], 'attacks.jsonl': [attack] });
  const { questions, attacks, texts } = await readDataset(directory);
  expect(texts).toHaveLength(1);
  expect(questions[0]).toMatchObject({
    relevant: new Map([['t1', 2]]),
    goldSpans: [{ textId: 't1', start: 10, end: 26 }],
    history: ['Is there leave?', 'Where?'],
    hasAnswerLabels: true,
  });
  expect(questions[1]).toMatchObject({ relevant: new Map(), answerable: null, hasAnswerLabels: false });
  expect(attacks).toHaveLength(1);
});

test('a set without attacks has none, which is not the same as no leaks', async () => {
  await write({});
  expect((await readDataset(directory)).attacks).toBeNull();
});

test('offsets that count something else than UTF-16 code units are corrected by the content', async () => {
  const quotes = [{ content: 'Ask early.', start_index: 3, end_index: 13 }];
  await write({ 'queries.jsonl': [{ ...question, quotes }] });
  const { questions } = await readDataset(directory);
  expect(questions[0]?.goldSpans).toEqual([{ textId: 't1', content: 'Ask early.', start: 28, end: 38 }]);
});

test('a number as an id is its decimal text, wherever it stands', async () => {
  await write({
    'corpus.jsonl': [{ ...text, id: 12 }],
    'queries.jsonl': [{ ...question, id: 7 }],
    'qrels.tsv': `${HEADER}7\t12\t1\n`,
    'attacks.jsonl': [{ ...attack, id: 1, forbidden: [12] }],
  });
  const { texts, questions, attacks } = await readDataset(directory);
  expect([texts[0]?.id, questions[0]?.id, attacks?.[0]?.id]).toEqual(['12', '7', '1']);
  expect(questions[0]?.relevant).toEqual(new Map([['12', 1]]));
  expect(attacks?.[0]?.forbidden).toEqual(['12']);
});

test.each<{ name: string; labels: object; answerable: boolean | null; asked: boolean }>([
  { name: 'an answer', labels: { answer: 'Thirty.' }, answerable: true, asked: true },
  { name: 'gold sentences', labels: { gold_sentences: ['Ask early.'] }, answerable: true, asked: true },
  {
    name: 'an answer but says there is none',
    labels: { answer: 'None.', answerable: false },
    answerable: false,
    asked: true,
  },
  { name: 'an empty answer', labels: { answer: ' ', gold_sentences: [] }, answerable: null, asked: false },
])('a question with $name is answered: $asked, and can be: $answerable', async ({ labels, answerable, asked }) => {
  await write({ 'queries.jsonl': [{ ...question, ...labels }] });
  const { questions } = await readDataset(directory);
  expect(questions[0]).toMatchObject({ answerable, hasAnswerLabels: asked });
});

test('a grade of 0 is a judgement, but not a relevant text', async () => {
  await write({ 'qrels.tsv': `${HEADER}q1\tt1\t0\n` });
  expect((await readDataset(directory)).questions[0]?.relevant.size).toBe(0);
});

test.each<{ name: string; files: Record<string, string | object[]>; message: RegExp }>([
  {
    name: 'a broken line',
    files: { 'corpus.jsonl': `${JSON.stringify(text)}\n{"id": ` },
    message: /corpus\.jsonl, line 2/,
  },
  {
    name: 'a missing field',
    files: { 'queries.jsonl': [{ id: 'q1', text: 'Why?' }] },
    message: /queries\.jsonl, line 1: principals/,
  },
  {
    name: 'a text without a layer',
    files: { 'corpus.jsonl': [{ ...text, acl: [] }] },
    message: /corpus\.jsonl, line 1: acl/,
  },
  {
    name: 'a question that is too long to be asked',
    files: { 'queries.jsonl': [question, { ...question, id: 'q2', text: 'why '.repeat(1_001) }] },
    message: /queries\.jsonl, line 2: text: .*4000/,
  },
  {
    name: 'an earlier question that is too long',
    files: { 'attacks.jsonl': [{ ...attack, history: ['a'.repeat(4_001)] }] },
    message: /attacks\.jsonl, line 1: history\.0: .*4000/,
  },
  ...(['id', 'title'] as const).flatMap((field) =>
    ['\u0000', '\ud800'].map((character) => ({
      name: `a text whose ${field} holds ${JSON.stringify(character)}`,
      files: { 'corpus.jsonl': [text, { ...text, [field]: `a${character}b` }] },
      message: new RegExp(`corpus\\.jsonl, line 2: ${field}: .*U\\+0000`),
    })),
  ),
  {
    name: 'a layer with a principal that cannot be stored',
    files: { 'corpus.jsonl': [{ ...text, acl: [['a\u0000']] }] },
    message: /corpus\.jsonl, line 1: acl\.0\.0/,
  },
  {
    name: 'a question with a character that cannot be stored',
    files: { 'queries.jsonl': [{ ...question, text: 'Why\u0000?' }] },
    message: /queries\.jsonl, line 1: text: .*U\+0000/,
  },
  {
    name: 'an asker with a character that cannot be stored',
    files: { 'queries.jsonl': [{ ...question, principals: ['a', 'b\u0000'] }] },
    message: /queries\.jsonl, line 1: principals\.1/,
  },
  {
    name: 'an id that no index takes',
    files: { 'corpus.jsonl': [{ ...text, id: 'a'.repeat(801) }] },
    message: /corpus\.jsonl, line 1: id: .*800/,
  },
  {
    name: 'an id that is no whole number',
    files: { 'queries.jsonl': [{ ...question, id: 1.5 }] },
    message: /line 1: id/,
  },
  { name: 'a blank question', files: { 'queries.jsonl': [{ ...question, text: ' ' }] }, message: /line 1: text/ },
  { name: 'a text twice', files: { 'corpus.jsonl': [text, text] }, message: /corpus\.jsonl, line 2: .*"t1".*second/ },
  { name: 'a question twice', files: { 'queries.jsonl': [question, question] }, message: /queries\.jsonl, line 2/ },
  {
    name: 'a judged question that is not there',
    files: { 'qrels.tsv': `${HEADER}q9\tt1\t1\n` },
    message: /qrels\.tsv, line 2: .*"q9"/,
  },
  {
    name: 'a judged text that is not there',
    files: { 'qrels.tsv': `${HEADER}q1\tt1\t1\nq1\tt9\t1\n` },
    message: /qrels\.tsv, line 3: .*"t9"/,
  },
  {
    name: 'a pair judged twice',
    files: { 'qrels.tsv': `${HEADER}q1\tt1\t1\nq1\tt1\t2\n` },
    message: /qrels\.tsv, line 3/,
  },
  {
    name: 'a grade that is no number',
    files: { 'qrels.tsv': `${HEADER}q1\tt1\tyes\n` },
    message: /qrels\.tsv, line 2/,
  },
  {
    name: 'a forbidden text that is not there',
    files: { 'attacks.jsonl': [{ ...attack, forbidden: ['t9'] }] },
    message: /attacks\.jsonl, line 1: .*"t9"/,
  },
  {
    name: 'a quote that is in no relevant text',
    files: { 'queries.jsonl': [{ ...question, quotes: [{ content: '40 days', start_index: 0, end_index: 7 }] }] },
    message: /queries\.jsonl, line 1: quotes\.0/,
  },
  {
    name: 'an empty corpus',
    files: { 'corpus.jsonl': '\n', 'qrels.tsv': HEADER },
    message: /corpus\.jsonl has no texts/,
  },
])('$name is refused, with file and line', async ({ files, message }) => {
  await write(files);
  const reading = readDataset(directory);
  await expect(reading).rejects.toThrow(UsageError);
  await expect(reading).rejects.toThrow(message);
});

test('a folder without the files of a set is refused', async () => {
  await expect(readDataset(join(directory, 'nowhere'))).rejects.toThrow(/nowhere.corpus\.jsonl cannot be read/);
});
