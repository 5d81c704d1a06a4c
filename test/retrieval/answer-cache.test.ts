// An answer given again must be the answer that would be given now. Each thing that changes an answer is changed here, and
// the answerer with the cache is held to one without.
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { putLayer } from '../../ingest/acl.ts';
import { importDirectory } from '../../ingest/directory.ts';
import { setQuarantine } from '../../ingest/document-acl.ts';
import { embedMissing } from '../../ingest/embed-missing.ts';
import { forgetDocument } from '../../ingest/forget-document.ts';
import { expireCachedAnswers } from '../../retrieval/answer-cache.ts';
import { type AnswererOptions, createAnswerQuestion } from '../../retrieval/answer-question.ts';
import { createExtractiveModel } from '../../retrieval/extractive-answer.ts';
import type { Answer, Question } from '../../retrieval/model.ts';
import type { AnswerModel } from '../../retrieval/ports.ts';
import { createSearch } from '../../retrieval/search.ts';
import { acl, type Corpus, createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { createTestLogger } from '../helpers/test-logger.ts';
import { createWordEmbedder } from '../helpers/word-embedder.ts';

let opened: TestDatabase;
let corpus: Corpus;
let documentId: string;
beforeAll(async () => {
  opened = await testDatabase();
});
beforeEach(async () => {
  await opened.reset();
  corpus = createCorpus(opened.database);
  await setDirectory(['exec@x.example', 'intern@x.example', 'other@x.example']);
});
afterAll(() => opened.close());

const embedder = createWordEmbedder();
const LEAVE = 'How many days of annual leave do I have?';

async function setDirectory(emails: string[], members: string[] = []): Promise<void> {
  const people = emails.map((email) => ({
    email,
    name: '',
    role: email.startsWith('exec') ? ('exec' as const) : ('intern' as const),
    active: true,
    guest: false,
  }));
  const groups = [{ id: 'keepers', name: 'Keepers', members }];
  await opened.database.transaction((query) =>
    importDirectory(query, { people, groups }, { tenantId: 'acme', name: 'test', merge: false, force: true }),
  );
}

async function fill(): Promise<void> {
  documentId = await corpus.add('leave.md', 'Every employee has thirty days of annual leave in a year.');
  await corpus.add('deal.md', 'The company will buy the Penguin Shipyard in spring.', {
    acl: acl({ allow: ['verbatim:everyone'], level: 'restricted' }),
  });
  await corpus.add('seal.md', 'The seal is fed twice a day by the keepers.', {
    acl: acl({ allow: ['verbatim:group:keepers'], level: 'public' }),
  });
  await corpus.refresh();
}

function answerer(options: Partial<AnswererOptions> = {}) {
  const { database } = opened;
  const search = createSearch({
    database,
    embedder,
    weights: { lexical: 1, vector: 0.3 },
    lexicalTimeoutMs: 30_000,
    vectorTimeoutMs: 30_000,
    logger: createTestLogger().logger,
    clock: Date.now,
  });
  const extractive = createExtractiveModel();
  return createAnswerQuestion({
    database,
    search,
    model: extractive,
    fallback: extractive,
    modelTimeoutMs: 10_000,
    largeAudiencePeople: 500,
    cache: { pipeline: 'test' },
    clock: Date.now,
    newId: randomUUID,
    ...options,
  });
}

function question(text: string, ...people: string[]): Question {
  return {
    tenantId: 'acme',
    asker: `${people[0]}@x.example`,
    audience: people.map((name) => ({ person: `${name}@x.example` })),
    text,
  };
}

/** What must be equal: all but the id, the times and the cost. */
function said({ status, refusal, text, citations, sources, confidence, degraded }: Answer): unknown {
  return { status, refusal, text, citations, confidence, degraded, sources: sources.map(({ source }) => source) };
}

async function rows<Row extends object>(sql: string): Promise<Row[]> {
  return opened.database.owner((query) => query<Row>(sql));
}

const log = () => rows<{ cached: boolean }>('select * from question_log order by asked_at');

/** Whether the last answer was given again. */
async function wasCached(): Promise<boolean | undefined> {
  return (await log()).at(-1)?.cached;
}

describe('the same question by someone who may read the same', () => {
  test('is given the same answer with an id, a log line and a trace of its own, and costs nothing', async () => {
    await fill();
    const paid: AnswerModel = {
      id: 'test:paid',
      async answer(request, options) {
        const answer = await createExtractiveModel().answer(request, options);
        return { ...answer, usage: { inputTokens: 100, outputTokens: 7, costUsd: 0.5 } };
      },
    };
    const ask = answerer({ model: paid });
    const first = await ask(question(LEAVE, 'intern'));
    const second = await ask(question('  How many days of  annual leave do I have? ', 'other'));
    expect(said(second)).toEqual(said(first));
    expect(second.answerId).not.toBe(first.answerId);
    expect([first.costUsd, second.costUsd]).toEqual([0.5, 0]);
    expect(await log()).toEqual([
      expect.objectContaining({
        cached: false,
        model: 'test:paid',
        route: 'factual',
        tokens: { calls: 1, input: 100, output: 7 },
      }),
      expect.objectContaining({
        answer_id: second.answerId,
        asker: 'other@x.example',
        cached: true,
        cost_usd: 0,
        route: 'factual',
      }),
    ]);
    const traces = await rows<{ candidates: unknown }>('select candidates from answer_traces');
    expect(traces[1]?.candidates).toEqual(traces[0]?.candidates);
    expect(await rows('select answer_id from answer_citations')).toHaveLength(2);
  });

  test('a refusal is explained by who asks', async () => {
    await fill();
    const ask = answerer();
    const text = 'When will the company buy the Penguin Shipyard?';
    const refusals = [
      await ask(question(text, 'intern')),
      await ask(question(text, 'exec', 'intern')),
      await ask(question(text, 'other')),
    ].map(({ refusal }) => refusal);
    expect(refusals).toEqual(['no_evidence', 'audience_limited', 'no_evidence']);
    expect((await log()).map(({ cached }) => cached)).toEqual([false, true, true]);
  });

  test.each([
    ['someone who may read more', question(LEAVE, 'exec'), {}],
    ['another question', question('How many days of leave?', 'intern'), {}],
    ['another case, which may belong to an identifier', question(LEAVE.toUpperCase(), 'intern'), {}],
    ['another tenant', { ...question(LEAVE, 'intern'), tenantId: 'beta' }, {}],
    ['another release, model, embedder or reranker', question(LEAVE, 'intern'), { cache: { pipeline: 'other' } }],
    ['without a cache', question(LEAVE, 'intern'), { cache: null }],
  ])('but not %s', async (_, asked, options) => {
    await fill();
    await answerer()(question(LEAVE, 'intern'));
    await answerer(options)(asked);
    expect(await wasCached()).toBe(false);
  });

  test('a follow-up is known by what it stands for', async () => {
    await corpus.add('leave.md', 'In Oslo the annual leave is thirty days. In Galway the annual leave is twenty days.');
    await corpus.refresh();
    const ask = answerer();
    await ask({ ...question('How long is annual leave in Oslo?', 'intern'), threadId: 't1' });
    const first = await ask({ ...question('And in Galway?', 'intern'), threadId: 't1' });
    await ask({ ...question('How long is annual leave in Oslo?', 'other'), threadId: 't2' });
    const second = await ask({ ...question('And in Galway?', 'other'), threadId: 't2' });
    expect(said(second)).toEqual(said(first));
    const alone = await ask(question('And in Galway?', 'intern'));
    expect((await log()).map(({ cached }) => cached)).toEqual([false, false, true, true, false]);
    expect(alone.answerId).not.toBe(first.answerId);
  });
});

describe('what is not complete is not kept', () => {
  test.each<[string, Partial<AnswererOptions>]>([
    [
      'a model that failed',
      {
        model: { id: 'test:down', answer: () => Promise.reject(new Error('down')) },
        fallback: createExtractiveModel(),
      },
    ],
    [
      'a model that is not there',
      { model: { id: 'test:down', answer: () => Promise.reject(new Error('down')) }, fallback: null },
    ],
    [
      'invented quotes',
      {
        model: {
          id: 'test:liar',
          answer: async ({ context }) => ({
            sufficient: true,
            answer: 'Ninety.',
            citations: [{ chunkId: context[0]?.chunkId ?? '', quote: 'Everyone has ninety days.' }],
          }),
        },
      },
    ],
  ])('%s', async (_, options) => {
    await fill();
    await answerer(options)(question(LEAVE, 'intern'));
    expect(await rows('select * from answer_cache')).toEqual([]);
  });

  test('what changes while it is being answered is not kept', async () => {
    await fill();
    const model: AnswerModel = {
      id: 'test:slow',
      async answer(request, options) {
        await corpus.add('new.md', 'The canteen opens at noon.');
        return createExtractiveModel().answer(request, options);
      },
    };
    await answerer({ model })(question(LEAVE, 'intern'));
    expect(await rows('select * from answer_cache')).toEqual([]);
  });
});

describe('an answer is made anew after', () => {
  const transaction = <T>(run: Parameters<typeof opened.database.transaction<T>>[0]) =>
    opened.database.transaction(run);

  test.each<[string, () => Promise<unknown>]>([
    ['a new document', () => corpus.add('more.md', 'Every employee has two more days of leave after ten years.')],
    ['a new version', () => corpus.add('leave.md', 'Every employee has forty days of annual leave in a year.')],
    ['a document is forgotten', () => transaction((query) => forgetDocument(query, 'acme', documentId, 'test'))],
    ['a quarantine', () => transaction((query) => setQuarantine(query, 'acme', documentId, true))],
    [
      'a denial',
      () =>
        corpus.submit('leave.md', 'Every employee has thirty days of annual leave in a year.', {
          acl: acl({ allow: ['verbatim:everyone'], deny: ['verbatim:user:intern@x.example'], level: 'public' }),
        }),
    ],
    [
      'a change of a layer',
      () =>
        transaction((query) =>
          putLayer(query, 'acme', { node: 'verbatim:any-of:verbatim:everyone', principals: ['verbatim:role:exec'] }),
        ),
    ],
    [
      'a layer that cannot be resolved any more',
      () =>
        transaction((query) =>
          putLayer(
            query,
            'acme',
            { node: 'verbatim:any-of:verbatim:everyone', principals: ['verbatim:everyone'] },
            false,
          ),
        ),
    ],
    ['a new member', () => setDirectory(['exec@x.example', 'intern@x.example'], ['intern@x.example'])],
    ['a person leaves', () => setDirectory(['exec@x.example', 'other@x.example'])],
    ['newly counted terms', () => corpus.refresh()],
    [
      'a source is past its promise',
      () =>
        rows(
          `update sources set promised_content_lag_seconds = 60, content_checked_at = now() - interval '61 seconds'`,
        ),
    ],
    [
      'its own text is not in effect any more, though nobody said so',
      async () => {
        await rows(`update documents set effective_to = now() - interval '1 second'`);
        await rows(`update chunks set effective_to = now() - interval '1 second'`);
        await rows(`update chunk_embeddings set effective_to = now() - interval '1 second'`);
      },
    ],
    ['a day', () => rows(`update answer_cache set created_at = now() - interval '25 hours'`)],
    ['it could not hold any longer', () => rows(`update answer_cache set valid_until = now()`)],
  ])('%s', async (_, change) => {
    await fill();
    const ask = answerer();
    await ask(question(LEAVE, 'intern'));
    await ask(question(LEAVE, 'intern'));
    expect(await wasCached()).toBe(true);
    await change();
    const answer = await ask(question(LEAVE, 'intern'));
    expect(await wasCached()).toBe(false);
    expect(said(answer)).toEqual(said(await answerer({ cache: null })(question(LEAVE, 'intern'))));
  });

  test('vectors that came later', async () => {
    await fill();
    await rows('delete from chunk_embeddings');
    const ask = answerer();
    await ask(question(LEAVE, 'intern'));
    await embedMissing({ database: opened.database, embedder, logger: createTestLogger().logger }, 'acme');
    await ask(question(LEAVE, 'intern'));
    expect(await wasCached()).toBe(false);
  });

  test('the next document begins to be in effect: until then and no longer', async () => {
    await fill();
    const effectiveFrom = new Date(Date.now() + 3_600_000);
    await corpus.add('next.md', 'Every employee has forty days of annual leave.', { effectiveFrom });
    await answerer()(question(LEAVE, 'intern'));
    const [entry] = await rows<{ valid_until: Date }>('select valid_until from answer_cache');
    expect(entry?.valid_until.getTime()).toBe(effectiveFrom.getTime());
  });
});

test('forgetting a document removes the entries that quote it and counts them', async () => {
  await fill();
  const ask = answerer();
  await ask(question(LEAVE, 'intern'));
  await ask(question(LEAVE, 'exec'));
  await ask(question('When will the company buy the Penguin Shipyard?', 'exec'));
  const receipt = await opened.database.transaction((query) => forgetDocument(query, 'acme', documentId, 'test'));
  expect(receipt?.cachedAnswers).toBe(2);
  expect(JSON.stringify(await rows('select * from answer_cache'))).not.toContain('thirty days');
});

test('what nothing can reach is removed when something is kept, and by the clock', async () => {
  await fill();
  const ask = answerer();
  await ask(question(LEAVE, 'intern'));
  await corpus.add('new.md', 'The canteen opens at noon.');
  await ask(question('When does the canteen open?', 'intern'));
  expect(await rows('select * from answer_cache')).toHaveLength(1);
  await corpus.add('newer.md', 'The canteen closes at two.');
  await opened.database.transaction(expireCachedAnswers);
  expect(await rows('select * from answer_cache')).toEqual([]);
});

test.each<[string, (word: string) => Promise<unknown>]>([
  ['when something is kept', (word) => answerer()(question(`How often is the seal ${word}?`, 'intern'))],
  ['by the clock', () => opened.database.transaction(expireCachedAnswers)],
])('what another release has kept is removed %s, when it is a day old', async (_, sweep) => {
  await fill();
  await answerer({ cache: { pipeline: 'earlier' } })(question(LEAVE, 'intern'));
  const kept = () => rows(`select 1 from answer_cache where body::text like '%thirty days%'`);
  await sweep('fed');
  expect(await kept()).toHaveLength(1);
  await rows(`update answer_cache set created_at = now() - interval '25 hours'`);
  await sweep('washed');
  expect(await kept()).toHaveLength(0);
});

test('with the cache, answers equal those without, whatever happens between them', async () => {
  const people = ['intern', 'other', 'exec'];
  const texts = [LEAVE, 'When will the company buy the Penguin Shipyard?', 'How often is the seal fed?'];
  const change = fc.constantFrom<() => Promise<unknown>>(
    () => corpus.add('leave.md', `Every employee has ${randomUUID().slice(0, 4)} days of annual leave in a year.`),
    () => opened.database.transaction((query) => setQuarantine(query, 'acme', documentId, true)),
    () => opened.database.transaction((query) => setQuarantine(query, 'acme', documentId, false)),
    () => setDirectory(['exec@x.example', 'intern@x.example', 'other@x.example'], ['intern@x.example']),
    () => setDirectory(['exec@x.example', 'intern@x.example', 'other@x.example']),
    () => rows(`update sources set promised_content_lag_seconds = 60, content_checked_at = now()`),
    () => rows(`update sources set promised_content_lag_seconds = 60, content_checked_at = null`),
    () => corpus.refresh(),
  );
  const ask = fc.record({
    text: fc.constantFrom(...texts),
    people: fc.uniqueArray(fc.constantFrom(...people), { minLength: 1 }),
  });
  await fill();
  let given = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof({ arbitrary: ask, weight: 4 }, change), { maxLength: 12 }), async (steps) => {
      await rows('delete from answer_cache');
      for (const step of steps) {
        if (typeof step === 'function') {
          await step();
          continue;
        }
        const asked = question(step.text, ...step.people);
        expect(said(await answerer()(asked))).toEqual(said(await answerer({ cache: null })(asked)));
      }
      given = (await log()).filter(({ cached }) => cached).length;
    }),
    { numRuns: 12, seed: 7 },
  );
  expect(given).toBeGreaterThan(5);
});
