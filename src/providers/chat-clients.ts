// The chat models of the providers, through LangChain, each reduced to one function.
//
// `_generate` is called and not `invoke`: `invoke` first looks at LangChain's own environment variables, and with
// LANGSMITH_TRACING=true, which many developers have set, it sends prompt and answer to a third party. The library's other
// readings of the environment are kept out by giving every address and key explicitly.
import type { ChatResult } from '@langchain/core/outputs';
import type { Config } from '../config.ts';
import type { AnswerPrompt } from './answer-prompt.ts';
import { createCohereClient } from './cohere-client.ts';
import type { Exchange } from './exchange.ts';
import { ProviderError } from './provider-error.ts';
import { PACKAGES } from './provider-packages.ts';

/** The providers of chat models: all but the built-in answerer. */
export type ChatProvider = Exclude<Config['model']['provider'], 'extractive'>;

/** What a model wrote, and the tokens that the provider counted; null where it gives no count that can be one. */
export interface Written {
  readonly text: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
}

/** The form of what a model shall write. */
export interface WrittenForm {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

interface ChatRequest {
  readonly model: string;
  readonly prompt: AnswerPrompt;
  readonly form: WrittenForm;
  /** Whether the provider's own schema mode is used; the prompt has the schema too. */
  readonly nativeSchema: boolean;
  readonly maxPromptTokens: number;
  readonly maxAnswerTokens: number;
  readonly exchange: Pick<Exchange, 'fetch' | 'signal'>;
}

type Chat = (config: Config, request: ChatRequest) => Promise<ChatResult>;

/** The provider's own address, given explicitly so that no variable of a client library replaces it. */
export const OPENAI_URL = 'https://api.openai.com/v1';
const ANTHROPIC_URL = 'https://api.anthropic.com';

const CHATS: Readonly<Record<ChatProvider, Chat>> = {
  async ollama(config, { model, prompt, form, nativeSchema, maxPromptTokens, maxAnswerTokens, exchange }) {
    const { ChatOllama } = await PACKAGES.ollama();
    const chat = new ChatOllama({
      model,
      baseUrl: config.ollama.baseUrl,
      fetch: exchange.fetch,
      temperature: 0,
      // Ollama loads models with a window of 4,096 tokens and cuts a longer prompt without a word.
      numCtx: maxPromptTokens + maxAnswerTokens,
      numPredict: maxAnswerTokens,
      maxRetries: 0,
    });
    const options = nativeSchema ? { format: form.schema } : {};
    return chat._generate(await messagesOf(prompt), { ...options, signal: exchange.signal });
  },

  // No temperature: the reasoning models refuse it. No limit of tokens: theirs would count the reasoning.
  async openai(config, { model, prompt, form, nativeSchema, exchange }) {
    const { ChatOpenAI } = await PACKAGES.openai();
    const fetch = nativeSchema ? fetchWithFormat(form, exchange.fetch) : exchange.fetch;
    const chat = new ChatOpenAI({
      model,
      apiKey: config.openai.apiKey ?? '',
      maxRetries: 0,
      configuration: { baseURL: config.openai.baseUrl ?? OPENAI_URL, fetch, logLevel: 'off' },
    });
    return chat._generate(await messagesOf(prompt), { signal: exchange.signal });
  },

  async azure_openai(config, { model, prompt, form, nativeSchema, exchange }) {
    const { AzureChatOpenAI } = await PACKAGES.openai();
    const fetch = nativeSchema ? fetchWithFormat(form, exchange.fetch) : exchange.fetch;
    const chat = new AzureChatOpenAI({
      model,
      azureOpenAIApiDeploymentName: model,
      azureOpenAIApiKey: config.azureOpenai.apiKey ?? '',
      azureOpenAIEndpoint: config.azureOpenai.baseUrl ?? '',
      azureOpenAIApiVersion: config.azureOpenai.apiVersion,
      maxRetries: 0,
      configuration: { fetch, logLevel: 'off' },
    });
    return chat._generate(await messagesOf(prompt), { signal: exchange.signal });
  },

  // No temperature: the models since Claude Opus 4.7 refuse it.
  async anthropic(config, { model, prompt, form, nativeSchema, maxAnswerTokens, exchange }) {
    const { ChatAnthropic } = await PACKAGES.anthropic();
    const chat = new ChatAnthropic({
      model,
      apiKey: config.anthropic.apiKey ?? '',
      anthropicApiUrl: config.anthropic.baseUrl ?? ANTHROPIC_URL,
      maxTokens: maxAnswerTokens,
      maxRetries: 0,
      clientOptions: { fetch: exchange.fetch, authToken: null, logLevel: 'off' },
    });
    const format = { type: 'json_schema' as const, schema: form.schema };
    const options = nativeSchema ? { outputConfig: { format } } : {};
    return chat._generate(await messagesOf(prompt), { ...options, signal: exchange.signal });
  },

  async cohere(config, { model, prompt, form, nativeSchema, maxAnswerTokens, exchange }) {
    const { ChatCohere } = await PACKAGES.cohere();
    const client = await createCohereClient(config.cohere, exchange.fetch);
    // LangChain's request has no place for the response format and none for a limit, and without tools it sends their
    // results as null, which is no list.
    const format = nativeSchema ? { responseFormat: { type: 'json_object' as const, schema: form.schema } } : {};
    const formatting = {
      chat: ({ toolResults: _, ...request }: Parameters<typeof client.chat>[0]) =>
        client.chat({ ...request, ...format, maxTokens: maxAnswerTokens }, { abortSignal: exchange.signal }),
    };
    const chat = new ChatCohere({ model, client: formatting as never, temperature: 0, maxRetries: 0 });
    const { HumanMessage } = await PACKAGES.messages();
    return chat._generate([new HumanMessage(prompt.user)], { preamble: prompt.system, signal: exchange.signal });
  },
};

/** Sends one request to a chat model. @throws what the provider's library throws; `withExchange` says what it was. */
export async function chatOnce(provider: ChatProvider, config: Config, request: ChatRequest): Promise<Written> {
  const { generations } = await CHATS[provider](config, request);
  const message = generations[0]?.message;
  const usage =
    message && 'usage_metadata' in message ? (message.usage_metadata as UsageMetadata | undefined) : undefined;
  return {
    text: message?.text ?? '',
    inputTokens: countedTokens(usage?.input_tokens),
    outputTokens: countedTokens(usage?.output_tokens),
  };
}

// The libraries pass on what the provider wrote.
interface UsageMetadata {
  readonly input_tokens?: unknown;
  readonly output_tokens?: unknown;
}

// Ten times the largest window of a model that is sold (a million); the prompt here has 8,000.
const MAX_COUNTED_TOKENS = 10_000_000;

// Each prompt and each reply has some; 0 is what the libraries put in the place of a count that is missing.
function countedTokens(count: unknown): number | null {
  const isCount = typeof count === 'number' && Number.isInteger(count) && count > 0 && count <= MAX_COUNTED_TOKENS;
  return isCount ? count : null;
}

/** Whether a request that used the schema mode may have failed because of it: an older model, or a server that lacks it. */
export function mayLackSchemaMode(error: unknown): boolean {
  return error instanceof ProviderError && (error.status === 400 || error.status === 422);
}

async function messagesOf({ system, user }: AnswerPrompt) {
  const { HumanMessage, SystemMessage } = await PACKAGES.messages();
  return [new SystemMessage(system), new HumanMessage(user)];
}

// The schema is added to the request here: told of it, OpenAI's client itself parses what the model wrote, and throws away,
// with its count of tokens, an answer that is cut off or could be repaired.
function fetchWithFormat({ name, schema }: WrittenForm, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const response_format = { type: 'json_schema', json_schema: { name, strict: true, schema } };
  return (input, init) =>
    fetch(input, { ...init, body: JSON.stringify({ ...JSON.parse(String(init?.body)), response_format }) });
}
