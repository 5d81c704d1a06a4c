// A service that is told to stop while a model does not answer.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { addLiveDocument, createApiClient } from '../helpers/api-client.ts';
import { type ModelServer, startModelServer, TEST_KEY } from '../helpers/model-servers.ts';
import { type TestService, testService } from '../helpers/service.ts';

let server: ModelServer;
let started: TestService | undefined;
beforeAll(async () => {
  server = await startModelServer();
  // So that the time to stop is not spent on loading what a question needs.
  await import('@langchain/openai');
});
afterEach(async () => {
  await started?.close();
  server.reset();
});
afterAll(() => server.close());

async function askWhileModelHangs(environment: Readonly<Record<string, string>>, accept = 'application/json') {
  started = await testService({
    environment: {
      VERBATIM_MODEL: 'openai:m1',
      OPENAI_API_KEY: TEST_KEY,
      OPENAI_BASE_URL: `${server.url}/v1`,
      ...environment,
    },
  });
  const client = createApiClient(started.url);
  const token = await started.tokenOf('eve');
  await addLiveDocument(client, token, { title: 'Sea', text: 'The walrus sleeps on the ice.' });
  server.reply('trickle');
  const body = { question: 'Where does the walrus sleep?' };
  const answer = client('POST', '/v1/answers', { token, headers: { accept }, body });
  await expect.poll(() => server.trickling(), { timeout: 20_000 }).toBe(1);
  const begun = performance.now();
  await started.service.drain();
  return { answer: await answer, drainMs: performance.now() - begun };
}

test('gives what can be said without it, in time, and leaves the model', async () => {
  const { answer, drainMs } = await askWhileModelHangs({ VERBATIM_DRAIN_SECONDS: '10' });
  expect(answer).toMatchObject({
    status: 200,
    body: { status: 'answered', degraded: ['model_failed'], citations: [{ quote: 'The walrus sleeps on the ice.' }] },
  });
  expect(drainMs).toBeLessThan(10_000);
  await expect.poll(() => server.trickling()).toBe(0);
});

test('says that it ends where nothing else may be said, and leaves the model', async () => {
  const environment = { VERBATIM_DRAIN_SECONDS: '1', VERBATIM_ON_MODEL_FAILURE: 'refuse' };
  const { answer, drainMs } = await askWhileModelHangs(environment);
  expect(answer).toMatchObject({ status: 503, body: { detail: expect.stringContaining('ends; ask again') } });
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  expect(drainMs).toBeLessThan(5_000);
  await expect.poll(() => server.trickling()).toBe(0);
});

test('says so to whoever reads events', async () => {
  const environment = { VERBATIM_DRAIN_SECONDS: '1', VERBATIM_ON_MODEL_FAILURE: 'refuse' };
  const { answer } = await askWhileModelHangs(environment, 'text/event-stream');
  expect(answer.body).toMatch(/event: problem\ndata: .*"status":503/);
});
