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
