// The client libraries of the providers. Each takes a second or more to load, which only those pay who have configured it.
import type { Config } from '../config.ts';
import { loadPackage } from './provider-error.ts';
import type { RemoteProvider } from './provider-name.ts';
import { loadTokenCounter } from './token-count.ts';

/** Loads a library, once a process. @throws ProviderError `provider_package_missing` */
export const PACKAGES = {
  ollama: () => loadPackage('@langchain/ollama', () => import('@langchain/ollama')),
  openai: () => loadPackage('@langchain/openai', () => import('@langchain/openai')),
  anthropic: () => loadPackage('@langchain/anthropic', () => import('@langchain/anthropic')),
  cohere: () => loadPackage('@langchain/cohere', () => import('@langchain/cohere')),
  cohereClient: () => loadPackage('cohere-ai', () => import('cohere-ai')),
  messages: () => import('@langchain/core/messages'),
} as const;

const NEEDED: Readonly<Record<RemoteProvider, readonly (keyof typeof PACKAGES)[]>> = {
  ollama: ['ollama'],
  openai: ['openai'],
  azure_openai: ['openai'],
  anthropic: ['anthropic'],
  cohere: ['cohere', 'cohereClient'],
};

/**
 * Loads the libraries that the first question needs of the configured providers, so that it does not wait for it: with a hosted model that was 6 to
 * 10 s of it. @returns the names of what was loaded; none where all is built in.
 * @throws ProviderError as the first question does
 */
export async function loadProviders({ model, embedder, reranker }: Config): Promise<string[]> {
  const names = new Set<keyof typeof PACKAGES>();
  for (const { provider } of [model, embedder]) {
    if (provider in NEEDED) for (const name of NEEDED[provider as RemoteProvider]) names.add(name);
  }
  if (reranker.provider === 'cohere') names.add('cohereClient');
  if (model.provider !== 'extractive') names.add('messages');
  for (const name of names) await PACKAGES[name]();
  if (model.provider !== 'extractive') await loadTokenCounter();
  return [...names];
}
