import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importDirectory } from '../../ingest/directory.ts';
import { forgetDocument } from '../../ingest/forget-document.ts';
import { type AnswererOptions, createAnswerQuestion } from '../../retrieval/answer-question.ts';
import { DatabaseTimeoutError } from '../../retrieval/errors.ts';
import { createExtractiveModel } from '../../retrieval/extractive-answer.ts';
import type { Answer, Question } from '../../retrieval/model.ts';
import type { AnswerModel, Database, ModelAnswer, Query } from '../../retrieval/ports.ts';
import { createSearch } from '../../retrieval/search.ts';
import { acl, type Corpus, createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { createTestLogger } from '../helpers/test-logger.ts';
import { createWordEmbedder } from '../helpers/word-embedder.ts';

let opened: TestDatabase;
let corpus: Corpus;
beforeAll(async () => {
  opened = await testDatabase();
});
beforeEach(async () => {
  await opened.reset();
  corpus = createCorpus(opened.database);
  const person = (email: string, role: 'intern' | 'exec') => ({ email, name: '', role, active: true, guest: false });
  await opened.database.transaction((query) =>
    importDirectory(
      query,
      { people: [person('exec@x.example', 'exec'), person('intern@x.example', 'intern')], groups: [] },
      { tenantId: 'acme', name: 'test', merge: false, force: false },
    ),
  );
});
afterAll(() => opened.close());

const OPEN = 'Every employee has thirty days of annual leave in a year.';
const CLOSED = 'The company will buy the Penguin Shipyard in spring for nine million euros.';

async function fill(): Promise<void> {
  await corpus.add('leave.md', OPEN);
  await corpus.add('deal.md', CLOSED, { acl: acl({ allow: ['verbatim:everyone'], level: 'restricted' }) });
  await corpus.refresh();
}

function answerer(options: Partial<AnswererOptions> = {}) {
  const { database } = opened;
  const search = createSearch({
    database,
    embedder: createWordEmbedder(),
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

/** A model that gives these answers one after another and remembers what it was asked. */
function scripted(
  ...answers: (Partial<ModelAnswer> | Error)[]
): AnswerModel & { requests: { rejectedQuotes: readonly string[] }[] } {
  const requests: { rejectedQuotes: readonly string[] }[] = [];
  return {
    id: 'test:scripted',
    requests,
    async answer({ context, rejectedQuotes }) {
      requests.push({ rejectedQuotes });
      const next = answers[requests.length - 1] ?? new Error('asked too often');
      if (next instanceof Error) throw next;
      const citations = (next.citations ?? []).map((citation) => ({
        ...citation,
        chunkId: citation.chunkId === '' ? (context[0]?.chunkId ?? '') : citation.chunkId,
      }));
      return { sufficient: true, answer: 'Said.', ...next, citations };
    },
  };
}

async function log(): Promise<Record<string, unknown>[]> {
  return opened.database.owner((query) => query('select * from question_log order by asked_at'));
}

function refusal(answer: Answer): unknown {
  expect(answer.citations).toEqual([]);
  expect(answer.sources).toEqual([]);
  return { status: answer.status, refusal: answer.refusal };
}

describe('an answer', () => {
  test('quotes the document at its offsets', async () => {
    await fill();
    const answer = await answerer()(question('How many days of annual leave do I have?', 'intern'));
    expect(answer).toMatchObject({ status: 'answered', refusal: null, degraded: [], costUsd: 0 });
    const [citation] = answer.citations;
    expect(citation).toMatchObject({ uri: 'leave.md', quote: OPEN, start: 0, end: OPEN.length, documentVersion: 1 });
    expect(answer.sources).toEqual([
      { source: 'upload', contentAgeSeconds: expect.any(Number), permissionAgeSeconds: 0 },
    ]);
  });

  test('is logged with counts and stages, and traced with one end for each candidate', async () => {
    await fill();
    const { answerId } = await answerer()(question('How many days of annual leave do I have?', 'exec'));
    expect(await log()).toEqual([
      expect.objectContaining({
        answer_id: answerId,
        asker: 'exec@x.example',
        audience_size: 1,
        status: 'answered',
        cited: 1,
        dropped_by_permission: 0,
      }),
    ]);
    const traces = await opened.database.owner((query) =>
      query<{ candidates: { documentId: string; dropped: string | null }[] }>('select candidates from answer_traces'),
    );
    const ends = traces[0]?.candidates.map((candidate) => candidate.dropped);
    expect(ends).toContain(null);
    expect(ends?.filter((end) => end !== null && end !== 'not_quoted')).toEqual([]);
  });
});

describe('who sees the answer decides what is in it', () => {
  test.each([
    ['an exec alone', ['exec'], 'answered', null],
    ['an intern alone', ['intern'], 'refused', 'no_evidence'],
    ['an exec with an intern', ['exec', 'intern'], 'refused', 'audience_limited'],
    ['an intern with an exec', ['intern', 'exec'], 'refused', 'no_evidence'],
    ['a stranger', ['nobody'], 'refused', 'no_evidence'],
  ])('%s', async (_, people, status, expected) => {
    await fill();
    const answer = await answerer()(question('When will the company buy the Penguin Shipyard?', ...people));
    expect({ status: answer.status, refusal: answer.refusal }).toEqual({ status, refusal: expected });
  });

  test.each([
    ['open text is answered in a large channel', OPEN, [], 'answered'],
    ['what only some may read is not, though all of these may', CLOSED, [], 'refused'],
    ['nothing is answered where a stranger is among them', OPEN, [{ principals: [] }], 'refused'],
    ['nor where somebody unknown is', OPEN, [{ person: 'nobody@x.example' }], 'refused'],
  ])('%s', async (_, text, others, status) => {
    await fill();
    const asked =
      text === OPEN ? 'How many days of annual leave do I have?' : 'When will the company buy the Penguin Shipyard?';
    const audience = [{ person: 'exec@x.example' }, ...others];
    const answer = await answerer({ largeAudiencePeople: 0 })({ ...question(asked, 'exec'), audience });
    expect(answer.status).toBe(status);
  });

  test('a limited audience gets the same refusal whether or not a hidden document answers', async () => {
    await fill();
    const hidden = await answerer()(question('When will the company buy the Penguin Shipyard?', 'exec', 'intern'));
    const nothing = await answerer()(question('When will the company sell the Walrus Brewery?', 'exec', 'intern'));
    expect(refusal(hidden)).toEqual(refusal(nothing));
  });

  test('nothing of a hidden document reaches the log', async () => {
    await fill();
    await answerer()(question('When will the company buy it?', 'intern'));
    const stored = await opened.database.owner((query) =>
      query(
        'select row_to_json(a) as answer, t.candidates from answers a join answer_traces t using (tenant_id, answer_id)',
      ),
    );
    expect(JSON.stringify([stored, await log()])).not.toMatch(/penguin|shipyard|nine million|deal\.md/i);
  });
});

describe('a model', () => {
  const good = { citations: [{ chunkId: '', quote: 'thirty days of annual leave' }] };
  const invented = { citations: [{ chunkId: '', quote: 'forty days of annual leave' }] };
  const ask = (model: AnswerModel, options: Partial<AnswererOptions> = {}) =>
    answerer({ model, ...options })(question('How many days of annual leave do I have?', 'intern'));

  test('that quotes rightly is believed', async () => {
    await fill();
    const answer = await ask(scripted(good));
    expect(answer.citations.map((citation) => citation.quote)).toEqual([
      'Every employee has thirty days of annual leave in a year.',
    ]);
  });

  test('that invents a quote is asked once more with the quote named', async () => {
    await fill();
    const model = scripted(invented, good);
    expect((await ask(model)).status).toBe('answered');
    expect(model.requests).toEqual([{ rejectedQuotes: [] }, { rejectedQuotes: ['forty days of annual leave'] }]);
  });

  test('that invents twice is refused, not asked again', async () => {
    await fill();
    const model = scripted(invented, invented);
    const answer = await ask(model);
    expect(refusal(answer)).toEqual({ status: 'refused', refusal: 'no_evidence' });
    expect(answer.degraded).toEqual(['quotes_rejected']);
    expect(model.requests).toHaveLength(2);
  });

  test('that cites a chunk it was not given says nothing with it, and it is counted', async () => {
    await fill();
    const elsewhere = { citations: [{ chunkId: 'elsewhere', quote: 'thirty days of annual leave' }] };
    const model = scripted(elsewhere, elsewhere);
    expect(refusal(await ask(model))).toEqual({ status: 'refused', refusal: 'no_evidence' });
    expect(model.requests).toEqual([{ rejectedQuotes: [] }, { rejectedQuotes: ['thirty days of annual leave'] }]);
    expect(await log()).toEqual([expect.objectContaining({ unknown_citations: 2 })]);
  });

  test('that answers without any quote is refused', async () => {
    await fill();
    expect(refusal(await ask(scripted({ citations: [] })))).toEqual({ status: 'refused', refusal: 'no_evidence' });
  });

  test('that finds the context insufficient is a refusal', async () => {
    await fill();
    expect(refusal(await ask(scripted({ ...good, sufficient: false })))).toEqual({
      status: 'refused',
      refusal: 'no_evidence',
    });
  });

  test('that is down is replaced by bare quotes, and the reply says so', async () => {
    await fill();
    const answer = await ask(scripted(new Error('down')));
    expect(answer).toMatchObject({ status: 'answered', degraded: ['model_failed'] });
  });

  test('that is down is a refusal where so configured', async () => {
    await fill();
    const answer = await ask(scripted(new Error('down')), { fallback: null });
    expect(refusal(answer)).toEqual({ status: 'refused', refusal: 'model_unavailable' });
  });

  test('whose document goes while it writes is not shown', async () => {
    await fill();
    const model = scripted(good);
    const slow: AnswerModel = {
      ...model,
      async answer(request, options) {
        const said = await model.answer(request, options);
        const documentId = request.context[0]?.documentId ?? '';
        await opened.database.transaction((query) => forgetDocument(query, 'acme', documentId, 'test'));
        return said;
      },
    };
    expect(refusal(await ask(slow))).toEqual({ status: 'refused', refusal: 'no_evidence' });
  });
});

describe('a source that promises a lag', () => {
  test.each([
    ['content read in time', 'content_checked_at = now()', 'answered', null],
    ['content too old', `content_checked_at = now() - interval '2 hours'`, 'refused', 'stale_source'],
    ['never read', 'content_checked_at = null', 'refused', 'stale_source'],
  ])('%s', async (_, change, status, expected) => {
    await fill();
    await opened.database.owner((query) =>
      query(`update sources set promised_content_lag_seconds = 3600, ${change} where source_id = 'upload'`),
    );
    const answer = await answerer()(question('How many days of annual leave do I have?', 'intern'));
    expect({ status: answer.status, refusal: answer.refusal }).toEqual({ status, refusal: expected });
  });

  test('permissions that are too old count as well', async () => {
    await fill();
    await opened.database.owner((query) =>
      query(
        `update sources set promised_permission_lag_seconds = 60, permissions_checked_at = now() - interval '61 seconds'`,
      ),
    );
    const answer = await answerer()(question('How many days of annual leave do I have?', 'intern'));
    expect(refusal(answer)).toEqual({ status: 'refused', refusal: 'stale_source' });
  });
});

test('forgetting empties the stored answers that quoted the document, and no others', async () => {
  await fill();
  const ask = answerer();
  const { citations } = await ask(question('How many days of annual leave do I have?', 'intern'));
  await ask(question('When will the company buy the Penguin Shipyard?', 'exec'));
  const receipt = await opened.database.transaction((query) =>
    forgetDocument(query, 'acme', citations[0]?.documentId ?? '', 'test'),
  );
  expect(receipt?.answers).toBe(1);
  const stored = await opened.database.owner((query) => query<{ body: object }>('select body from answers'));
  const dump = JSON.stringify(stored);
  expect(dump).not.toContain('thirty days');
  expect(dump).toContain('Penguin Shipyard');
});

test('a follow-up in a thread is understood, in another thread it is not', async () => {
  await corpus.add('leave.md', 'In Oslo the annual leave is thirty days. In Galway the annual leave is twenty days.');
  await corpus.add('rent.md', 'In Galway the rent of the workshop is high.');
  await corpus.refresh();
  const ask = answerer();
  await ask({ ...question('How long is annual leave in Oslo?', 'intern'), threadId: 't1' });
  const followed = await ask({ ...question('And in Galway?', 'intern'), threadId: 't1' });
  expect(followed.citations[0]?.quote).toContain('Galway the annual leave is twenty days');
});

test('a third question in a thread stands on what the second one became, also when its trace is gone on what was asked', async () => {
  await corpus.add('lead.md', 'The security lead is Tomasz Nowak, phone number 133, email tomasz@acme.example.');
  await corpus.add('people.md', 'The head of people is Marta Olsen, phone number 101, email marta@acme.example.');
  await corpus.refresh();
  const ask = answerer();
  const follow = (text: string, threadId: string) => ask({ ...question(text, 'intern'), threadId });
  await follow('Who is the security lead?', 't1');
  await follow('What is his phone number?', 't1');
  const third = await follow('and the email?', 't1');
  expect(third.citations[0]?.quote).toContain('tomasz@acme.example');
  expect(await standaloneOf(third.answerId)).toBe('and the email? security lead');
  await opened.database.owner((query) => query('delete from answer_traces'));
  const fourth = await follow('and the office?', 't1');
  expect(await standaloneOf(fourth.answerId)).toBe('and the office? email');
});

async function standaloneOf(answerId: string): Promise<string | undefined> {
  const rows = await opened.database.owner((query) =>
    query<{ standalone: string }>('select standalone_question as standalone from answer_traces where answer_id = $1', [
      answerId,
    ]),
  );
  return rows[0]?.standalone;
}

describe('when the search by words is late', () => {
  // What the answerer was given, and the answer; `failing` says what else of the database does.
  async function askLate(failing: (sql: string) => boolean) {
    await fill();
    const given: (readonly [string, number])[][] = [];
    const model = createExtractiveModel();
    const noting: AnswerModel = {
      id: 'noting',
      answer(request, options) {
        given.push([...(request.termRarity ?? [])]);
        return model.answer(request, options);
      },
    };
    const database: Database = {
      ...opened.database,
      read: (scope, run, options) => {
        if (options?.timeoutMs === 77) return Promise.reject(new DatabaseTimeoutError(77));
        const checked =
          (query: Query): Query =>
          (sql, values) =>
            failing(sql) ? Promise.reject(new Error('down')) : query(sql, values);
        return opened.database.read(scope, (query) => run(checked(query)), options);
      },
    };
    const search = createSearch({
      database,
      embedder: createWordEmbedder(),
      weights: { lexical: 1, vector: 0.3 },
      lexicalTimeoutMs: 77,
      vectorTimeoutMs: 30_000,
      logger: createTestLogger().logger,
      clock: Date.now,
    });
    const ask = answerer({ database, search, model: noting, fallback: null });
    return { answer: await ask(question('How many days of annual leave are there in a year?', 'intern')), given };
  }

  test('the answerer weighs the words as ever', async () => {
    const { answer, given } = await askLate(() => false);
    expect(answer).toMatchObject({ status: 'answered', degraded: ['lexical_search_timeout'] });
    expect(given[0]?.map(([word]) => word)).toEqual(['days', 'annual', 'leave', 'year']);
  });

  test('and where not even that can be read, there is an answer that says what it lacks', async () => {
    const { answer, given } = await askLate((sql) => sql.includes('look_up_terms'));
    expect(answer.degraded).toEqual(['lexical_search_timeout']);
    expect(given).toEqual([[]]);
  });
});

test.each([
  ['empty', '   ', /empty/],
  ['overlong', 'x'.repeat(4_001), /4000/],
])('a question that is %s is an error that says what to do, and nothing is stored', async (_, text, message) => {
  await expect(answerer()(question(text, 'intern'))).rejects.toThrow(message);
  expect(await log()).toEqual([]);
});
