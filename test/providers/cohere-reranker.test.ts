import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { chooseReranker } from '../../src/providers/choose-reranker.ts';
import { createCohereReranker } from '../../src/providers/cohere-reranker.ts';
import { configFor, type ModelServer, startModelServer } from '../helpers/model-servers.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

function open() {
  const options = { model: 'rerank-v3.5', timeoutMs: 5_000, clock: Date.now };
  return createCohereReranker({ ...options, config: configFor(server.url) });
}

it('gives the scores in the order of the texts, not in the order of the ranking', async () => {
  server.vectors((text) => [text.length / 10]);
  expect(await open().rerank('which?', ['aa', 'aaaa', 'a'])).toEqual([0.2, 0.4, 0.1]);
  expect(server.received[0]?.body).toEqual({
    model: 'rerank-v3.5',
    query: 'which?',
    documents: ['aa', 'aaaa', 'a'],
    top_n: 3,
  });
  expect(server.violations).toEqual([]);
});

it('fails when the provider fails', async () => {
  server.fail(500, 2);
  await expect(open().rerank('which?', ['a text'])).rejects.toMatchObject({ code: 'provider_failed' });
});

it('fails when a text has no score', async () => {
  server.vectors((text) => (text === 'b' ? [] : [1]));
  await expect(open().rerank('which?', ['a', 'b'])).rejects.toMatchObject({ code: 'provider_answer_malformed' });
});

it.each([
  ['an index twice', [0, 1, 1]],
  ['an index twice in the place of another', [0, 0]],
  ['an index that no text has', [0, 1, 2]],
  ['an index below the first', [0, 1, -1]],
])('fails on %s', async (_, indices) => {
  server.ranking(() => indices.map((index) => ({ index, relevance_score: 0.5 })));
  await expect(open().rerank('which?', ['a', 'b'])).rejects.toMatchObject({ code: 'provider_answer_malformed' });
});

it.each([
  [{}, 'cohere:rerank-v3.5', 'builtin:words@1'],
  [{ VERBATIM_RERANKER: 'cohere:rerank-v4.0-fast' }, 'cohere:rerank-v4.0-fast', 'builtin:words@1'],
  [{ VERBATIM_RERANKER: 'none' }, undefined, undefined],
  [{ VERBATIM_RERANKER: 'builtin' }, 'builtin:words@1', undefined],
  [{ COHERE_API_KEY: '' }, 'builtin:words@1', undefined],
])('with a key and %j it is %s, and %s in its place', (environment, id, fallbackId) => {
  const chosen = chooseReranker(configFor(server.url, environment), { clock: Date.now });
  expect([chosen.reranker?.id, chosen.rerankerFallback?.id]).toEqual([id, fallbackId]);
});
