// Follow-ups with a language model: what it is told and what not, what its words may become, and what holds when it is down.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { importDirectory } from '../../ingest/directory.ts';
import { createAnswerQuestion } from '../../retrieval/answer-question.ts';
import type { Answer } from '../../retrieval/model.ts';
import { createSearch } from '../../retrieval/search.ts';
import type { ChatProvider } from '../../src/providers/chat-clients.ts';
import { chooseModel } from '../../src/providers/choose-model.ts';
import { createCorpus } from '../helpers/corpus.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { configFor, type ModelServer, type Received, type Reply, startModelServer } from '../helpers/model-servers.ts';
import { createTestLogger } from '../helpers/test-logger.ts';
import { createWordEmbedder } from '../helpers/word-embedder.ts';

const PROVIDERS: readonly ChatProvider[] = ['ollama', 'openai', 'azure_openai', 'anthropic', 'cohere'];
const OSLO = 'In Oslo the annual leave is thirty days.';
const GALWAY = 'In Galway the annual leave is twenty days.';
const FIRST = 'How long is annual leave in Oslo?';
const REWRITTEN = 'How long is annual leave in Galway?';

let opened: TestDatabase;
let server: ModelServer;
beforeAll(async () => {
  [opened, server] = await Promise.all([testDatabase(), startModelServer()]);
  const corpus = createCorpus(opened.database);
  const ann = { email: 'ann@x.example', name: 'Ann', role: 'analyst' as const, active: true, guest: false };
  const options = { tenantId: 'acme', name: 'test', merge: false, force: false };
  await opened.database.transaction((query) => importDirectory(query, { people: [ann], groups: [] }, options));
  await corpus.add('oslo.md', OSLO);
  await corpus.add('galway.md', GALWAY);
  await corpus.add('rent.md', 'In Galway the rent of the workshop is high.');
  await corpus.refresh();
});
let thread: string;
beforeEach(() => {
  thread = randomUUID();
});
afterEach(() => server.reset());
afterAll(async () => {
  await server.close();
  await opened.close();
});

const isRewrite = ({ user }: Received) => user.includes(' last question\n');
const rewrites = () => server.received.filter(isRewrite);

/** The model quotes the chunk that holds the sentence, and gives `rewrite` to follow-ups. */
function replyWith(rewrite: Reply, quote = GALWAY): void {
  server.reply((request) => {
    if (isRewrite(request)) return rewrite;
    const before = request.user.slice(0, request.user.indexOf(quote));
    const chunkId = /^ chunk (\S+)/.exec(before.slice(before.lastIndexOf(' chunk ')))?.[1] ?? '';
    const said = { sufficient: true, answer: quote, citations: [{ chunkId, quote }] };
    return { text: JSON.stringify(said), inputTokens: 500, outputTokens: 20 };
  });
}

function answerer(provider: ChatProvider | 'extractive', { cached = false, modelTimeoutMs = 20_000 } = {}) {
  const { database } = opened;
  const { logger, lines } = createTestLogger();
  const model = provider === 'extractive' ? provider : `${provider}:m1`;
  const price = { inputUsdPerMillion: 2, outputUsdPerMillion: 10 };
  const prices = provider === 'extractive' ? {} : { VERBATIM_PRICES: JSON.stringify({ [model]: price }) };
  const config = configFor(server.url, { VERBATIM_MODEL: model, ...prices });
  const [clock, embedder] = [Date.now, createWordEmbedder()];
  const search = createSearch({
    database,
    embedder,
    weights: { lexical: 1, vector: 0.3 },
    lexicalTimeoutMs: 30_000,
    vectorTimeoutMs: 30_000,
    logger: createTestLogger().logger,
    clock,
  });
  const answerQuestion = createAnswerQuestion({
    database,
    search,
    ...chooseModel(config, { embedder, modelTimeoutMs, clock, logger }),
    cache: cached ? { pipeline: randomUUID() } : null,
    modelTimeoutMs,
    largeAudiencePeople: 500,
    clock,
    newId: randomUUID,
    logger,
  });
  const ask = (text: string, threadId: string | null = thread): Promise<Answer> => {
    const question = { tenantId: 'acme', asker: 'ann@x.example', audience: [{ person: 'ann@x.example' }], text };
    return answerQuestion({ ...question, ...(threadId === null ? {} : { threadId }) });
  };
  return { ask, lines };
}

async function tracedQuestion({ answerId }: Answer): Promise<string | null | undefined> {
  const rows = await opened.database.owner((query) =>
    query<{ standalone_question: string | null }>(
      'select standalone_question from answer_traces where tenant_id = $1 and answer_id = $2',
      ['acme', answerId],
    ),
  );
  return rows[0]?.standalone_question;
}

describe.each(PROVIDERS)('a follow-up with a model of %s', (provider) => {
  it('is searched and answered as the model rewrites it, and the trace says so', async () => {
    replyWith({ text: JSON.stringify({ question: REWRITTEN }), inputTokens: 60, outputTokens: 9 });
    const { ask } = answerer(provider);
    const first = await ask(FIRST);
    expect([rewrites(), await tracedQuestion(first)]).toEqual([[], null]);
    const followed = await ask('And there?');
    expect(followed).toMatchObject({ status: 'answered', citations: [{ quote: GALWAY }], degraded: [] });
    expect(followed.costUsd).toBeCloseTo((560 * 2 + 29 * 10) / 1e6, 12);
    expect(await tracedQuestion(followed)).toBe(REWRITTEN);
    expect(server.received.at(-1)?.user).toContain(` question\n${REWRITTEN}\n`);
    const logged = await opened.database.owner((query) =>
      query<{ tokens: object }>('select tokens from question_log where answer_id = $1', [followed.answerId]),
    );
    expect(logged[0]?.tokens).toEqual({ calls: 2, input: 560, output: 29 });
    expect(server.violations).toEqual([]);
  });

  it('is asked for in words at once, when the answer before it found the model without a schema mode', async () => {
    const usesSchema = ({ body }: Received) => /"(response_format|output_config|format)":/.test(JSON.stringify(body));
    const said = { text: JSON.stringify({ sufficient: false, answer: '', citations: [] }) };
    server.reply((request) => {
      if (usesSchema(request)) return { status: 400 };
      return isRewrite(request) ? { text: JSON.stringify({ question: REWRITTEN }) } : said;
    });
    const { ask } = answerer(provider);
    await ask(FIRST);
    await ask('And there?');
    expect(rewrites()).toHaveLength(1);
    expect(server.received.map(usesSchema)).toEqual([true, false, false, false]);
  });

  it('goes to the model as questions between delimiters, without a word of a document or an answer', async () => {
    replyWith({ text: JSON.stringify({ question: REWRITTEN }) });
    const { ask } = answerer(provider);
    await ask(FIRST);
    await ask('And in Galway?');
    const [request, ...others] = rewrites();
    expect(others).toEqual([]);
    const delimiter = request?.user.split(' ')[0] ?? '';
    expect(delimiter).toMatch(/^=====[0-9a-f]{32}$/);
    expect(request?.user).toBe(
      [
        `${delimiter} earlier question\n${FIRST}\n${delimiter} end`,
        `${delimiter} last question\nAnd in Galway?\n${delimiter} end`,
      ].join('\n'),
    );
    expect(request?.system).toContain(delimiter);
    expect(request?.system).not.toContain('Oslo');
    expect(request?.body).not.toHaveProperty('tools');
  });
});

// OpenAI's library would read the answer itself.
describe.each<ChatProvider>(['ollama', 'openai'])('what comes back from %s', (provider) => {
  it.each([
    ['is no JSON', { text: 'How long is annual leave in Galway?' }],
    ['is cut off', { text: '{"question": "How long is' }],
    ['has another form', { text: '{"question": ["How long is annual leave?"]}' }],
    ['is empty', { text: '{"question": "  "}' }],
    ['has only characters that are not seen', { text: JSON.stringify({ question: '\u202e\u0007\u200b' }) }],
    ['is too long', { text: JSON.stringify({ question: 'walrus '.repeat(500) }) }],
  ])('and %s leaves the follow-up to the heuristic, which is said and counted', async (_, reply) => {
    replyWith({ ...reply, inputTokens: 60, outputTokens: 9 });
    const { ask, lines } = answerer(provider);
    await ask(FIRST);
    const followed = await ask('And in Galway?');
    expect(followed).toMatchObject({ status: 'answered', degraded: ['rewrite_failed'] });
    expect(await tracedQuestion(followed)).toBe('And in Galway? annual leave');
    expect(followed.costUsd).toBeCloseTo((560 * 2 + 29 * 10) / 1e6, 12);
    expect(lines().filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect(JSON.stringify(lines())).not.toMatch(/Galway|walrus/);
  });
});

describe('what comes back', () => {
  it.each([['a failure', { status: 500 }] as const, ['silence', 'hang'] as const])(
    '%s costs no answer',
    async (_, reply) => {
      replyWith(reply);
      const { ask } = answerer('ollama', { modelTimeoutMs: 1_500 });
      await ask(FIRST);
      const followed = await ask('And in Galway?');
      expect(followed).toMatchObject({ status: 'answered', degraded: ['rewrite_failed'] });
      expect(followed.citations[0]?.quote).toBe(GALWAY);
    },
  );

  it('is a line of plain text, whatever was written', async () => {
    const hostile = `How long is\u0000 annual\nleave\u202e in\u200b Galway?\u{e0041}\r\n'; drop table answers; --`;
    replyWith({ text: JSON.stringify({ question: hostile }) });
    const { ask } = answerer('anthropic');
    await ask(FIRST);
    const followed = await ask('And there?');
    expect(followed.degraded).toEqual([]);
    expect(await tracedQuestion(followed)).toBe("How long is annual leave in Galway? '; drop table answers; --");
  });

  it('is only a question: what it asks for is not read with other rights', async () => {
    await createCorpus(opened.database).add('secret.md', 'The walrus merger is signed in May.', {
      acl: { allow: ['verbatim:group:board'], require: [], deny: [], grant: [], level: null },
    });
    replyWith({ text: JSON.stringify({ question: 'When is the walrus merger signed?' }) });
    const { ask } = answerer('openai');
    await ask(FIRST);
    const followed = await ask('And there?');
    expect(await tracedQuestion(followed)).toBe('When is the walrus merger signed?');
    expect(followed.citations.map(({ uri }) => uri)).not.toContain('secret.md');
    expect(JSON.stringify(server.received)).not.toContain('signed in May');
  });
});

it('asks nothing for a question outside a thread, nor without a model', async () => {
  replyWith({ text: JSON.stringify({ question: REWRITTEN }) });
  const { ask } = answerer('openai');
  await ask(FIRST, null);
  await ask('And in Galway?', null);
  expect(rewrites()).toEqual([]);
  const extractive = answerer('extractive');
  await extractive.ask(FIRST);
  const followed = await extractive.ask('And in Galway?');
  expect([server.received.filter(isRewrite), followed.degraded]).toEqual([[], []]);
  expect(await tracedQuestion(followed)).toBe('And in Galway? annual leave');
});

it('finds the answer to a rewritten question again, and counts the rewriting alone', async () => {
  replyWith({ text: JSON.stringify({ question: REWRITTEN }), inputTokens: 60, outputTokens: 9 });
  const { ask } = answerer('openai', { cached: true });
  await ask(REWRITTEN, randomUUID());
  await ask(FIRST);
  const asked = server.received.length;
  const followed = await ask('And in Galway?');
  expect(server.received.slice(asked).every(isRewrite)).toBe(true);
  expect(followed.citations[0]?.quote).toBe(GALWAY);
  expect(followed.costUsd).toBeCloseTo((60 * 2 + 9 * 10) / 1e6, 12);
  expect(await tracedQuestion(followed)).toBe(REWRITTEN);
});

it('gives the model the last four questions of a thread, each cut, and no pasted page', async () => {
  replyWith({ text: JSON.stringify({ question: REWRITTEN }) });
  const { ask } = answerer('openai');
  const long = `How long is annual leave? ${'x'.repeat(3_000)}`;
  for (const text of ['Zeroth?', 'First?', 'Second?', 'Third?', long]) await ask(text);
  const count = rewrites().length;
  await ask('And in Galway?');
  const user = rewrites().at(-1)?.user ?? '';
  expect(count).toBe(3);
  expect(user.length).toBeLessThan(1_500);
  expect(user).not.toContain('Zeroth');
  expect(user.indexOf('First?')).toBeLessThan(user.indexOf('Third?'));
  expect(user).toContain(long.slice(0, 500));
});
