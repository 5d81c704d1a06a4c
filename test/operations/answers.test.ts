import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Place } from '../../adapters/ports.ts';
import { forgetDocument } from '../../ingest/forget-document.ts';
import type { Answer } from '../../retrieval/model.ts';
import type { Operations } from '../../src/operations/create-operations.ts';
import { createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { importPeople, testOperations } from '../helpers/operations.ts';

let opened: TestDatabase;
let operations: Operations;
beforeAll(async () => {
  opened = await testDatabase();
  operations = testOperations(opened.database);
});
beforeEach(async () => {
  await opened.reset();
  await importPeople(opened.database, 'acme');
});
afterAll(() => opened.close());

async function given(answerId: string, { asker = 'ann@x.example', documentId = '' } = {}): Promise<Answer> {
  const citation = {
    documentId,
    documentVersion: 1,
    uri: 'a.md',
    title: 'A',
    headingPath: [],
    chunkId: `${documentId}:1:0`,
    quote: 'The walrus sleeps.',
    start: 0,
    end: 18,
  };
  const answer: Answer = {
    answerId,
    status: 'answered',
    refusal: null,
    text: 'The walrus sleeps. [1]',
    citations: documentId ? [citation] : [],
    sources: [],
    confidence: { faithfulness: 1, coverage: 1, overall: 1 },
    degraded: [],
    timingsMs: { total: 3 },
    costUsd: 0,
  };
  await opened.database.transaction(async (query) => {
    await query(
      `insert into answers (tenant_id, answer_id, thread_id, asker, audience, question, body, visible_acl_ids, index_version)
         values ('acme', $1, 't1', $2, $3::jsonb, 'What does it do?', $4::jsonb, '{1}', 1)`,
      [answerId, asker, JSON.stringify([{ person: asker }]), JSON.stringify(answer)],
    );
    await query(
      `insert into answer_citations (tenant_id, answer_id, number, document_id, document_version, chunk_id)
         select 'acme', $1, 1, $2, 1, $2 || ':1:0' where $2 <> ''`,
      [answerId, documentId],
    );
  });
  return answer;
}

const place = (message: string, platform: Place['platform'] = 'web'): Place => ({
  platform,
  workspace: '',
  conversation: 'general',
  thread: 'th',
  message,
});

test('an answer comes back with its question, and only in its tenant', async () => {
  const answer = await given('a1');
  expect(await operations.answers.find('acme', 'a1')).toEqual({
    answer,
    tenantId: 'acme',
    question: 'What does it do?',
    asker: 'ann@x.example',
    audience: [{ person: 'ann@x.example' }],
    threadId: 't1',
    askedAt: expect.any(Date),
    indexVersion: expect.any(Number),
    retractedAt: null,
  });
  expect(await operations.answers.find('other', 'a1')).toBeNull();
  expect(await operations.answers.find('acme', 'a2')).toBeNull();
});

test("an asker's answers are theirs alone, latest first", async () => {
  for (const id of ['a1', 'a2', 'a3']) await given(id);
  await given('b1', { asker: 'bob@x.example' });
  const ids = async (asker: string, limit: number) =>
    (await operations.answers.ofAsker('acme', asker, limit)).map(({ answer }) => answer.answerId);
  expect(await ids('ann@x.example', 2)).toEqual(['a3', 'a2']);
  expect(await ids('bob@x.example', 9)).toEqual(['b1']);
  expect(await operations.answers.ofAsker('other', 'ann@x.example', 9)).toEqual([]);
});

test('a conversation gives its latest answers, oldest first, a split one once', async () => {
  for (const id of ['a1', 'a2', 'a3']) {
    await given(id);
    await operations.answers.recordPosted('acme', id, [place(`m-${id}`), place(`n-${id}`)]);
  }
  await operations.answers.recordPosted('acme', 'a1', [{ ...place('x'), conversation: 'elsewhere' }]);
  const read = await operations.answers.inConversation('acme', place(''), 2);
  expect(read.map(({ answer, place }) => [answer.answerId, place.message, place.thread])).toEqual([
    ['a2', 'm-a2', 'th'],
    ['a3', 'm-a3', 'th'],
  ]);
  expect(await operations.answers.inConversation('other', place(''), 9)).toEqual([]);
});

test('a message leads to its answer on its platform', async () => {
  await given('a1');
  await operations.answers.recordPosted('acme', 'a1', [place('m1', 'slack')]);
  expect((await operations.answers.atPlace('acme', place('m1', 'slack')))?.answer.answerId).toBe('a1');
  expect(await operations.answers.atPlace('acme', place('m1', 'teams'))).toBeNull();
  expect(await operations.answers.atPlace('other', place('m1', 'slack'))).toBeNull();
});

test('an answer that is posted after its document went is to be taken back', async () => {
  const documentId = await createCorpus(opened.database).add('a.md', 'The walrus sleeps.');
  await given('a1', { documentId });
  await opened.database.transaction((query) => forgetDocument(query, 'acme', documentId, 'test'));
  await operations.answers.recordPosted('acme', 'a1', [place('m1', 'slack'), place('m2', 'web')]);
  const rows = await opened.database.transaction((query) =>
    query('select platform, retraction from posted_answers order by platform'),
  );
  expect(rows).toEqual([
    { platform: 'slack', retraction: 'pending' },
    { platform: 'web', retraction: null },
  ]);
  const found = await operations.answers.find('acme', 'a1');
  expect(found?.retractedAt).toBeInstanceOf(Date);
  expect(found?.answer).toMatchObject({ text: '', citations: [] });
});

test('an opinion replaces the one before, is withdrawn, and is audited without its comment', async () => {
  await given('a1');
  const { feedback } = operations;
  const opinion = {
    answerId: 'a1',
    givenBy: 'bob@x.example',
    verdict: 'down',
    reason: 'outdated',
    comment: 'old\u0000',
    platform: 'api',
  } as const;
  expect(await feedback.give('acme', opinion)).toBe(true);
  expect(await feedback.find('acme', 'a1', 'bob@x.example')).toEqual({ ...opinion, comment: 'old\uFFFD' });
  expect(await feedback.give('acme', { ...opinion, verdict: 'up', reason: null, comment: '' })).toBe(true);
  expect(await feedback.find('acme', 'a1', 'bob@x.example')).toMatchObject({ verdict: 'up', reason: null });
  expect(await feedback.find('acme', 'a1', 'ann@x.example')).toBeNull();
  const ofBob = await feedback.ofAnswers('acme', ['a1', 'a2', 'no-such'], 'bob@x.example');
  expect([...ofBob.keys()]).toEqual(['a1']);
  expect(await feedback.withdraw('other', 'a1', 'bob@x.example')).toBe(false);
  expect(await feedback.withdraw('acme', 'a1', 'bob@x.example')).toBe(true);
  expect(await feedback.withdraw('acme', 'a1', 'bob@x.example')).toBe(false);
  expect(await feedback.find('acme', 'a1', 'bob@x.example')).toBeNull();
  expect(await feedback.give('acme', opinion)).toBe(true);
  expect(await feedback.find('acme', 'a1', 'bob@x.example')).toMatchObject({ verdict: 'down' });
  expect(await feedback.give('other', opinion)).toBe(false);
  expect(await feedback.give('acme', { ...opinion, answerId: 'none' })).toBe(false);
  const log = await opened.database.transaction((query) =>
    query<{ action: string; details: object }>('select action, details from audit_log order by at'),
  );
  expect(log.map(({ action }) => action)).toEqual([
    'feedback.give',
    'feedback.give',
    'feedback.withdraw',
    'feedback.give',
  ]);
  expect(JSON.stringify(log)).not.toContain('old');
});
