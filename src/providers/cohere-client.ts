import type { ProviderAccess } from '../config.ts';
import { PACKAGES } from './provider-packages.ts';

const COHERE_URL = 'https://api.cohere.com';

/** Cohere's own client, with the requests going through `fetch` and its retries off. */
export async function createCohereClient({ apiKey, baseUrl }: ProviderAccess, fetch: typeof globalThis.fetch) {
  const { CohereClient } = await PACKAGES.cohereClient();
  return new CohereClient({ token: apiKey ?? '', environment: baseUrl ?? COHERE_URL, fetch, maxRetries: 0 });
}
