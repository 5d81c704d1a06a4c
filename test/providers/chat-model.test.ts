import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { AnswerModel, ContextChunk } from '../../retrieval/ports.ts';
import type { ChatProvider } from '../../src/providers/chat-clients.ts';
import { createChatModel } from '../../src/providers/chat-model.ts';
import { createFormChat } from '../../src/providers/form-chat.ts';
import { createCostOf } from '../../src/providers/prices.ts';
import { contextChunk } from '../helpers/context-chunk.ts';
import { configFor, type ModelServer, startModelServer, TEST_KEY } from '../helpers/model-servers.ts';
import { createTestLogger } from '../helpers/test-logger.ts';

const PROVIDERS: readonly ChatProvider[] = ['ollama', 'openai', 'azure_openai', 'anthropic', 'cohere'];
const QUOTE = 'Employees have 27 days of leave a year.';
const CONTEXT = [
  contextChunk('c1', `Leave. ${QUOTE} Ask your lead.`),
  contextChunk('c2', 'Lunch is at noon in the hall.'),
];
const ANSWER = { sufficient: true, answer: QUOTE, citations: [{ chunkId: 'c1', quote: QUOTE }] };

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => {
  vi.unstubAllEnvs();
  server.reset();
});
afterAll(() => server.close());

function modelOf(provider: ChatProvider, options: { timeoutMs?: number; url?: string } = {}) {
  const { logger, lines } = createTestLogger();
  const config = configFor(options.url ?? server.url);
  const prices = { 'openai:m1': { inputUsdPerMillion: 2, outputUsdPerMillion: 8 } };
  const costOf = createCostOf(`${provider}:m1`, prices, logger);
  const chat = createFormChat({ config, provider, model: 'm1', costOf, clock: Date.now, logger });
  const model = createChatModel({ chat, provider, config, timeoutMs: options.timeoutMs ?? 20_000, logger });
  return { model, lines };
}

function ask(
  model: AnswerModel,
  { context = CONTEXT, question = 'How many days of leave?', rejectedQuotes = [] as string[], timeoutMs = 60_000 } = {},
) {
  return model.answer(
    { question, context: context as readonly ContextChunk[], rejectedQuotes },
    { signal: AbortSignal.timeout(timeoutMs) },
  );
}

describe.each(PROVIDERS)('the model of %s', (provider) => {
  it('answers with the quotes that it wrote, and counts tokens', async () => {
    server.reply({ text: JSON.stringify(ANSWER), inputTokens: 1_000, outputTokens: 50 });
    const { model, lines } = modelOf(provider);
    const costUsd = provider === 'openai' ? (1_000 * 2 + 50 * 8) / 1e6 : 0;
    expect(await ask(model)).toEqual({
      ...ANSWER,
      answer: `${QUOTE} [1]`,
      usage: { inputTokens: 1_000, outputTokens: 50, costUsd },
    });
    expect(server.violations).toEqual([]);
    expect(lines()).toContainEqual(
      expect.objectContaining({ model: `${provider}:m1`, requests: 1, inputTokens: 1_000, outputTokens: 50, costUsd }),
    );
  });

  it('keeps rules and documents in separate roles, and every document between delimiters', async () => {
    server.reply({ text: JSON.stringify(ANSWER) });
    await ask(modelOf(provider).model);
    const [request] = server.received;
    const delimiter = request?.user.split(' ')[0] ?? '';
    expect(delimiter).toMatch(/^=====[0-9a-f]{32}$/);
    expect(request?.system).toContain(delimiter);
    for (const { text, chunkId } of CONTEXT) {
      expect(request?.system).not.toContain(text);
      expect(request?.user).toContain(`${delimiter} chunk ${chunkId}\n${text}\n${delimiter} end`);
    }
    expect(request?.user).toContain(`${delimiter} question\nHow many days of leave?\n${delimiter} end`);
    expect(request?.body).not.toHaveProperty('tools');
  });

  it('names rejected quotes, so that the second request is another one', async () => {
    server.reply({ text: JSON.stringify(ANSWER) });
    await ask(modelOf(provider).model, { rejectedQuotes: ['Employees have 40 days of leave.'] });
    expect(server.received[0]?.user).toContain('"Employees have 40 days of leave."');
    expect(server.received[0]?.user).toContain('A first answer was rejected');
  });

  it('waits as long as Retry-After says, once', async () => {
    server.reply({ status: 429, headers: { 'retry-after': '1' } }, { text: JSON.stringify(ANSWER) });
    const start = performance.now();
    expect((await ask(modelOf(provider).model)).sufficient).toBe(true);
    expect(performance.now() - start).toBeGreaterThan(950);
    expect(server.received).toHaveLength(2);
  });

  it('does not wait for a Retry-After beyond its deadline', async () => {
    server.reply({ status: 429, headers: { 'retry-after': '30' } });
    await expect(ask(modelOf(provider).model)).rejects.toMatchObject({ code: 'provider_rate_limited', status: 429 });
    expect(server.received).toHaveLength(1);
  });

  it.each([
    [500, 'provider_failed', 2],
    [503, 'provider_failed', 2],
    [401, 'provider_key_refused', 1],
    [404, 'provider_model_unknown', 1],
  ])('gives up on status %d with %s after %d requests', async (status, code, requests) => {
    server.reply({ status });
    const error = await ask(modelOf(provider).model).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, status, message: expect.stringContaining(`${provider}:m1`) });
    expect(server.received).toHaveLength(requests);
  });

  it('gives up at its own deadline when nothing comes', async () => {
    server.reply('hang');
    const start = performance.now();
    const asked = ask(modelOf(provider, { timeoutMs: 300 }).model);
    await expect(asked).rejects.toMatchObject({ code: 'provider_timeout' });
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('stops when the caller does', async () => {
    server.reply('hang');
    await expect(ask(modelOf(provider).model, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'provider_timeout' });
  });

  it('gives up at its own deadline when the answer comes to no end', async () => {
    server.reply('trickle');
    const asked = ask(modelOf(provider, { timeoutMs: 400 }).model);
    await expect(asked).rejects.toMatchObject({ code: 'provider_timeout' });
    await vi.waitFor(() => expect(server.trickling()).toBe(0));
  });

  it.each([
    'no JSON at all',
    '{"sufficient": true, "answer": "cut of',
    '{"sufficient": "yes"}',
    '',
    null,
    JSON.stringify({ ...ANSWER, answer: 'a.'.repeat(4_500) }),
    JSON.stringify({ ...ANSWER, citations: Array.from({ length: 51 }, () => ANSWER.citations[0]) }),
    `${JSON.stringify(ANSWER)}${' '.repeat(40_000)}`,
  ])('fails on an answer that is %.40j, and counts it', async (text) => {
    server.reply({ text, inputTokens: 1_000, outputTokens: 100 });
    await expect(ask(modelOf(provider).model)).rejects.toMatchObject({
      code: 'provider_answer_malformed',
      usage: { inputTokens: 1_000, outputTokens: 100, costUsd: provider === 'openai' ? 0.0028 : 0 },
    });
  });

  it('stops reading an answer of megabytes', async () => {
    server.reply({ text: JSON.stringify({ ...ANSWER, answer: 'x'.repeat(3_000_000) }) });
    const error = await ask(modelOf(provider).model).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'provider_answer_malformed', usage: null });
  });

  it.each([
    ['a fence', `\`\`\`json\n${JSON.stringify(ANSWER)}\n\`\`\``],
    ['words around it', `Here you are: ${JSON.stringify(ANSWER)} Anything else?`],
    ['a comma too many', JSON.stringify(ANSWER).replace(']', ',]')],
    ['a line break in a string', JSON.stringify({ ...ANSWER, answer: '@' }).replace('@', `${QUOTE}\n`)],
  ])('repairs an answer with %s', async (_, text) => {
    server.reply({ text });
    expect(await ask(modelOf(provider).model)).toMatchObject({ ...ANSWER, answer: `${QUOTE} [1]` });
  });

  it.each([0, -5, 1.5, 'abc', '7', 1e300, null, { tokens: 1 }])(
    'takes a count of %j tokens for unknown, and what they cost as well',
    async (tokens) => {
      server.reply({ text: JSON.stringify(ANSWER), inputTokens: tokens, outputTokens: tokens });
      const { usage } = await ask(modelOf(provider).model);
      const costUsd = provider === 'openai' ? null : 0;
      expect(usage).toEqual({ inputTokens: 0, outputTokens: 0, costUsd });
    },
  );

  it('fails on the page of a proxy', async () => {
    server.reply({ page: '<html>proxy</html>' });
    await expect(ask(modelOf(provider).model)).rejects.toMatchObject({ code: 'provider_answer_malformed' });
  });

  it('says where it cannot be reached', async () => {
    const gone = await startModelServer();
    await gone.close();
    await expect(ask(modelOf(provider, { url: gone.url }).model)).rejects.toMatchObject({
      code: 'provider_unreachable',
      message: expect.stringMatching(/ECONNREFUSED.*(_URL|_ENDPOINT)$/),
    });
  });

  it('asks in words when the schema mode is refused, and remembers it', async () => {
    const usesSchema = (body: object) => /"(response_format|output_config|format)":/.test(JSON.stringify(body));
    server.reply(({ body }) => (usesSchema(body) ? { status: 400 } : { text: JSON.stringify(ANSWER) }));
    const { model } = modelOf(provider);
    expect((await ask(model)).sufficient).toBe(true);
    expect((await ask(model)).sufficient).toBe(true);
    expect(server.received.map(({ body }) => usesSchema(body))).toEqual([true, false, false]);
    expect(server.violations).toEqual([]);
  });

  it('puts neither question, chunk nor key into its errors and logs', async () => {
    server.reply({ status: 400, body: JSON.stringify({ message: `bad prompt: ${QUOTE} ${TEST_KEY}` }) });
    const { model, lines } = modelOf(provider);
    const error: unknown = await ask(model, { question: 'Secret question?' }).catch((reason: unknown) => reason);
    const shown = `${String(error)} ${JSON.stringify(error)} ${JSON.stringify(lines())} ${(error as Error).cause ?? ''}`;
    for (const secret of ['Secret question', QUOTE, TEST_KEY]) expect(shown).not.toContain(secret);
  });

  it('sends nothing to anyone else, whatever the environment tells its libraries', async () => {
    const other = await startModelServer();
    for (const name of ['LANGSMITH_TRACING', 'LANGCHAIN_TRACING_V2']) vi.stubEnv(name, 'true');
    for (const name of ['LANGSMITH_ENDPOINT', 'LANGCHAIN_ENDPOINT', 'LANGSMITH_GATEWAY']) vi.stubEnv(name, other.url);
    for (const name of ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'CO_API_URL']) vi.stubEnv(name, other.url);
    vi.stubEnv('LANGSMITH_API_KEY', 'lsv2_test');
    server.reply({ text: JSON.stringify(ANSWER) });
    await ask(modelOf(provider).model);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([other.received, other.violations]).toEqual([[], []]);
    await other.close();
  });
});

it('asks Ollama for a window that holds prompt and answer', async () => {
  server.reply({ text: JSON.stringify(ANSWER) });
  await ask(modelOf('ollama').model);
  expect(server.received[0]?.body.options).toMatchObject({ num_ctx: 10_000, num_predict: 2_000 });
});

it('has a delimiter of its own for every request', async () => {
  server.reply({ text: JSON.stringify(ANSWER) });
  const { model } = modelOf('openai');
  await ask(model);
  await ask(model);
  const [first, second] = server.received.map(({ user }) => user.split(' ')[0]);
  expect(first).not.toBe(second);
});

it('says once that a model has no price', async () => {
  server.reply({ text: JSON.stringify(ANSWER) });
  const { model, lines } = modelOf('cohere');
  await ask(model);
  await ask(model);
  expect(lines().filter(({ message }) => message.startsWith('no price is set'))).toHaveLength(1);
});
