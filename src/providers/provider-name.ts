import type { Config } from '../config.ts';

/** The providers that are reached over the network. */
export type RemoteProvider = Exclude<
  (Config['model'] | Config['embedder'] | Config['reranker'])['provider'],
  'extractive' | 'builtin' | 'none' | 'transformers'
>;

/** What a model is asked for. */
export type ProviderTask = 'chat' | 'embedding' | 'reranking';

/** Who is asked and what an operator can change about it, for the messages. */
export interface ProviderName {
  /** Such as `openai:gpt-5-mini`. */
  readonly id: string;
  readonly task: ProviderTask;
  /** The variable with the key; null where none is needed. */
  readonly keyVariable: string | null;
  /** The variable that says where the provider is reached; such as `OLLAMA_BASE_URL`. */
  readonly urlVariable: string;
}

const VARIABLES_OF: Readonly<Record<RemoteProvider, Omit<ProviderName, 'id' | 'task'>>> = {
  ollama: { keyVariable: null, urlVariable: 'OLLAMA_BASE_URL' },
  openai: { keyVariable: 'OPENAI_API_KEY', urlVariable: 'OPENAI_BASE_URL' },
  anthropic: { keyVariable: 'ANTHROPIC_API_KEY', urlVariable: 'ANTHROPIC_BASE_URL' },
  cohere: { keyVariable: 'COHERE_API_KEY', urlVariable: 'COHERE_BASE_URL' },
  azure_openai: { keyVariable: 'AZURE_OPENAI_API_KEY', urlVariable: 'AZURE_OPENAI_ENDPOINT' },
};

/** A provider's model as errors and logs name it. */
export function providerName(provider: RemoteProvider, model: string, task: ProviderTask): ProviderName {
  return { id: `${provider}:${model}`, task, ...VARIABLES_OF[provider] };
}
