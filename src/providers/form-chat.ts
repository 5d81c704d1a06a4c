// One request to a chat model for JSON of a given form, with what it cost.
import type { Clock, Logger, ModelUsage } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import type { AnswerPrompt } from './answer-prompt.ts';
import { MAX_WRITTEN_TOKENS } from './answer-schema.ts';
import { type ChatProvider, chatOnce, mayLackSchemaMode, type Written, type WrittenForm } from './chat-clients.ts';
import { type Exchange, withExchange } from './exchange.ts';
import type { CostOf } from './prices.ts';
import type { MakeDelimiter } from './prompt-delimiter.ts';
import { type ProviderName, providerName } from './provider-name.ts';

export interface FormChatOptions {
  readonly config: Config;
  readonly provider: ChatProvider;
  /** The provider's name of the model; of a deployment for Azure. */
  readonly model: string;
  readonly costOf: CostOf;
  readonly clock: Clock;
  /** Ends all calls of this process, because it ends. */
  readonly ending?: AbortSignal | undefined;
  readonly logger: Pick<Logger, 'warn'>;
}

/** A chat model that is asked for forms. All that ask the same model share one: what is found out of it is found out once. */
export interface FormChat {
  readonly name: ProviderName;
  /** @throws ProviderError */
  ask(
    prompt: AnswerPrompt,
    request: {
      readonly form: WrittenForm;
      readonly maxWrittenTokens: number;
      /** For all requests of this call. */
      readonly timeoutMs: number;
      readonly signal: AbortSignal;
    },
  ): Promise<{ readonly written: Written; readonly requests: number; readonly usage: ModelUsage }>;
}

/** What somebody who asks a chat model needs. */
export interface AskerOptions {
  readonly chat: FormChat;
  /** For one call. */
  readonly timeoutMs: number;
  readonly logger: Pick<Logger, 'info'>;
  /** `randomDelimiter` when not given. */
  readonly newDelimiter?: MakeDelimiter;
}

// Ten chunks of five sentences need about 1,500, the rules 700: the rest goes to the sections. Windows of 16,000 and more
// would hold more, but it would cost time and money at every question.
export const MAX_PROMPT_TOKENS = 8_000;

// The most verbose is Ollama, with a line of some 150 bytes for each written token: 0.3 MB.
const MAX_REPLY_BYTES = 2 ** 20;

/** Makes the chat. A model without a schema mode is found out once, and then asked in words. Nothing is loaded before the first call. */
export function createFormChat(options: FormChatOptions): FormChat {
  const { provider, model, costOf, logger, clock, ending } = options;
  const name = providerName(provider, model, 'chat');
  let nativeSchema = true;
  return {
    name,
    ask(prompt, { form, maxWrittenTokens, timeoutMs, signal }) {
      const limits = { timeoutMs, signal, ending, clock, maxReplyBytes: MAX_REPLY_BYTES };
      return withExchange({ provider: name, ...limits }, async (exchange) => {
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
        const costUsd = costOf({ inputTokens, outputTokens });
        const usage = { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, costUsd };
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
