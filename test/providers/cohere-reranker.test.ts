import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { chooseReranker } from '../../src/providers/choose-reranker.ts';
import { createCohereReranker } from '../../src/providers/cohere-reranker.ts';
import { configFor, type ModelServer, startModelServer } from '../helpers/model-servers.ts';
import { createTestLogger } from '../helpers/test-logger.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

function open() {
  const { logger, lines } = createTestLogger();
  const options = { model: 'rerank-v3.5', timeoutMs: 5_000, clock: Date.now, logger };
  return { reranker: createCohereReranker({ ...options, config: configFor(server.url) }), lines };
}

it('gives the scores in the order of the texts, not in the order of the ranking', async () => {
  server.vectors((text) => [text.length / 10]);
  expect(await open().reranker.rerank('which?', ['aa', 'aaaa', 'a'])).toEqual([0.2, 0.4, 0.1]);
  expect(server.received[0]?.body).toEqual({
    model: 'rerank-v3.5',
    query: 'which?',
    documents: ['aa', 'aaaa', 'a'],
    top_n: 3,
  });
  expect(server.violations).toEqual([]);
});

it('fails, and says so in the log without the texts, when the provider fails', async () => {
  server.fail(500, 2);
  const { reranker, lines } = open();
  await expect(reranker.rerank('which?', ['private text'])).rejects.toMatchObject({ code: 'provider_failed' });
  expect(lines()).toContainEqual(expect.objectContaining({ message: 'reranking failed', level: 'warn' }));
  expect(JSON.stringify(lines())).not.toContain('private text');
});

it('fails when a text has no score', async () => {
  server.vectors((text) => (text === 'b' ? [] : [1]));
  await expect(open().reranker.rerank('which?', ['a', 'b'])).rejects.toMatchObject({
    code: 'provider_answer_malformed',
  });
});

it.each([
  [{}, 'cohere:rerank-v3.5', 'builtin:words@1'],
  [{ VERBATIM_RERANKER: 'cohere:rerank-v4.0-fast' }, 'cohere:rerank-v4.0-fast', 'builtin:words@1'],
  [{ VERBATIM_RERANKER: 'none' }, undefined, undefined],
  [{ VERBATIM_RERANKER: 'builtin' }, 'builtin:words@1', undefined],
  [{ COHERE_API_KEY: '' }, 'builtin:words@1', undefined],
])('with a key and %j it is %s, and %s in its place', (environment, id, fallbackId) => {
  const { logger } = createTestLogger();
  const chosen = chooseReranker(configFor(server.url, environment), { clock: Date.now, logger });
  expect([chosen.reranker?.id, chosen.rerankerFallback?.id]).toEqual([id, fallbackId]);
});
