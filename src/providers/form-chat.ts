// One request to a chat model for JSON of a given form, with what it cost.
import type { Clock, Logger } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import type { AnswerPrompt } from './answer-prompt.ts';
import { type ChatProvider, chatOnce, mayLackSchemaMode, type Written, type WrittenForm } from './chat-clients.ts';
import { type Exchange, withExchange } from './exchange.ts';
import { createCostOf, type Prices } from './prices.ts';
import type { MakeDelimiter } from './prompt-delimiter.ts';
import { type ProviderName, providerName } from './provider-name.ts';

export interface FormChatOptions {
  readonly config: Config;
  readonly provider: ChatProvider;
  /** The provider's name of the model; of a deployment for Azure. */
  readonly model: string;
  readonly prices: Prices;
  /** For all requests of one call. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** `randomDelimiter` when not given. */
  readonly newDelimiter?: MakeDelimiter;
}

/** A chat model that is asked for forms. */
export interface FormChat {
  readonly name: ProviderName;
  /** @throws ProviderError */
  ask(
    prompt: AnswerPrompt,
    request: { readonly form: WrittenForm; readonly maxWrittenTokens: number; readonly signal: AbortSignal },
  ): Promise<{ readonly written: Written; readonly requests: number; readonly usage: ChatUsage }>;
}

/** What a call used. */
export interface ChatUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number;
}

// Ten chunks of five sentences need about 1,500, the rules 700: the rest goes to the sections. Windows of 16,000 and more
// would hold more, but it would cost time and money at every question.
export const MAX_PROMPT_TOKENS = 8_000;
export const MAX_WRITTEN_TOKENS = 2_000;

/** Makes the chat. A model without a schema mode is found out once, and then asked in words. Nothing is loaded before the first call. */
export function createFormChat(options: FormChatOptions): FormChat {
  const { provider, model, prices, logger, clock, timeoutMs } = options;
  const name = providerName(provider, model);
  const costOf = createCostOf(name.id, prices, logger);
  let nativeSchema = true;
  return {
    name,
    ask(prompt, { form, maxWrittenTokens, signal }) {
      return withExchange({ provider: name, timeoutMs, signal, clock }, async (exchange) => {
        const ask = (native: boolean) =>
          askOnce(options, exchange, { prompt, form, maxWrittenTokens, nativeSchema: native });
        const written = await ask(nativeSchema).catch(async (error: unknown) => {
          if (!nativeSchema || !mayLackSchemaMode(error)) throw error;
          const unaided = await ask(false);
          nativeSchema = false;
          logger.warn({ model: name.id }, 'the model has no JSON schema mode; it is asked for JSON in words');
          return unaided;
        });
        const { inputTokens, outputTokens } = written;
        const usage = { inputTokens, outputTokens, costUsd: costOf({ inputTokens, outputTokens }) };
        return { written, requests: exchange.requests(), usage };
      });
    },
  };
}

interface OneRequest {
  readonly prompt: AnswerPrompt;
  readonly form: WrittenForm;
  readonly maxWrittenTokens: number;
  readonly nativeSchema: boolean;
}

async function askOnce(
  { provider, config, model }: FormChatOptions,
  exchange: Exchange,
  { maxWrittenTokens, ...request }: OneRequest,
): Promise<Written> {
  // Ollama loads a model anew when the window changes, so every call has the same.
  const maxPromptTokens = MAX_PROMPT_TOKENS + MAX_WRITTEN_TOKENS - maxWrittenTokens;
  try {
    exchange.signal.throwIfAborted();
    return await chatOnce(provider, config, {
      model,
      ...request,
      maxPromptTokens,
      maxAnswerTokens: maxWrittenTokens,
      exchange,
    });
  } catch (error) {
    throw exchange.explain(error);
  }
}
