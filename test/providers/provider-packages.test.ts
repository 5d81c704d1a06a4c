import { expect, it } from 'vitest';
import { loadProviders } from '../../src/providers/provider-packages.ts';
import { configFor } from '../helpers/model-servers.ts';

const BUILT_IN = { VERBATIM_RERANKER: 'builtin' };

it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['nothing where all is built in', BUILT_IN, []],
  ['those of the model', { ...BUILT_IN, VERBATIM_MODEL: 'azure_openai:m1' }, ['openai', 'messages']],
  ['those of the embedder', { ...BUILT_IN, VERBATIM_EMBEDDER: 'ollama:e1' }, ['ollama']],
  ['those of the reranker', { VERBATIM_RERANKER: 'cohere:r1' }, ['cohereClient']],
  [
    'those of all, each once',
    { VERBATIM_MODEL: 'cohere:m1', VERBATIM_EMBEDDER: 'cohere:e1', VERBATIM_RERANKER: 'cohere:r1' },
    ['cohere', 'cohereClient', 'messages'],
  ],
])('%s is loaded before the first question', async (_, environment, names) => {
  expect(await loadProviders(configFor('http://127.0.0.1:9', environment))).toEqual(names);
});
