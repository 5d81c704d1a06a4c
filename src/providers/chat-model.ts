// An answer model that is a language model: the prompt within its budget, the request, and the answer read back.
import { randomBytes } from 'node:crypto';
import type { AnswerModel, Clock, ContextChunk, Logger, ModelAnswer } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import { type AnswerPrompt, excerpt, systemPrompt, userPrompt } from './answer-prompt.ts';
import { parseAnswer } from './answer-schema.ts';
import { type ChatProvider, chatOnce, mayLackSchemaMode, type Written } from './chat-clients.ts';
import { citedAnswer } from './cited-answer.ts';
import { type Exchange, malformedAnswer, withExchange } from './exchange.ts';
import { fitContext } from './fit-context.ts';
import { type CostOf, createCostOf, type Prices } from './prices.ts';
import { ProviderError } from './provider-error.ts';
import { type ProviderName, providerName } from './provider-name.ts';
import { type CountTokens, loadTokenCounter } from './token-count.ts';

export interface ChatModelOptions {
  readonly config: Config;
  readonly provider: ChatProvider;
  /** The provider's name of the model; of a deployment for Azure. */
  readonly model: string;
  readonly prices: Prices;
  /** For all requests of one answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** A text that nobody can guess, new at each call; 128 random bits when not given. */
  readonly newDelimiter?: () => string;
}

// Ten chunks of five sentences need about 1,500, the rules 700: the rest goes to the sections. Windows of 16,000 and more
// would hold more, but it would cost time and money at every question.
const MAX_PROMPT_TOKENS = 8_000;
const MAX_ANSWER_TOKENS = 2_000;

// Other vendors' vocabularies need more tokens than the one that is counted with. None of theirs is published in a form that
// runs here, so half as much again is kept in reserve: an assumption, on the safe side for English and its neighbours.
const RESERVE = 1.5;

// The role marks around two messages; OpenAI's chat format has 3 tokens a message and 3 for the reply.
const FRAMING_TOKENS = 16;

/** Makes the answer model. Nothing is loaded before the first question. @throws ProviderError from `answer`. */
export function createChatModel(options: ChatModelOptions): AnswerModel {
  const { provider, model, config, prices, logger, clock, timeoutMs, newDelimiter = randomDelimiter } = options;
  const name = providerName(provider, model);
  const costOf = createCostOf(name.id, prices, logger);
  const maxTokens = Math.floor(MAX_PROMPT_TOKENS / (countsExactly(provider, config) ? 1 : RESERVE));
  let nativeSchema = true;
  return {
    id: name.id,
    async answer(request, { signal }) {
      const prompt = await buildPrompt(request, { maxTokens, newDelimiter });
      const { written, requests } = await withExchange(
        { provider: name, timeoutMs, signal, clock },
        async (exchange) => {
          const ask = (native: boolean) => askOnce(options, exchange, prompt, native);
          const answered = await ask(nativeSchema).catch(async (error: unknown) => {
            if (!nativeSchema || !mayLackSchemaMode(error)) throw error;
            const unaided = await ask(false);
            nativeSchema = false;
            logger.warn({ model: name.id }, 'the model has no JSON schema mode; it is asked for JSON in words');
            return unaided;
          });
          return { written: answered, requests: exchange.requests() };
        },
      );
      const usage = usageOf(written, costOf);
      logger.info({ model: name.id, requests, ...usage }, 'the answer model was asked');
      return readAnswer(written, request.context, usage, name);
    },
  };
}

async function askOnce(
  { provider, config, model }: ChatModelOptions,
  exchange: Exchange,
  prompt: AnswerPrompt,
  nativeSchema: boolean,
): Promise<Written> {
  const limits = { maxPromptTokens: MAX_PROMPT_TOKENS, maxAnswerTokens: MAX_ANSWER_TOKENS };
  try {
    exchange.signal.throwIfAborted();
    return await chatOnce(provider, config, { model, prompt, nativeSchema, ...limits, exchange });
  } catch (error) {
    throw exchange.explain(error);
  }
}

function usageOf({ inputTokens, outputTokens }: Written, costOf: CostOf) {
  return { inputTokens, outputTokens, costUsd: costOf({ inputTokens, outputTokens }) };
}

function readAnswer(
  { text }: Written,
  context: readonly ContextChunk[],
  usage: NonNullable<ModelAnswer['usage']>,
  name: ProviderName,
): ModelAnswer {
  const answer = parseAnswer(text);
  if (!answer) throw malformedAnswer(name);
  if (!answer.sufficient) return { sufficient: false, answer: '', citations: [], usage };
  return { sufficient: true, answer: citedAnswer(answer, context), citations: answer.citations, usage };
}

async function buildPrompt(
  request: Parameters<AnswerModel['answer']>[0],
  { maxTokens, newDelimiter }: { maxTokens: number; newDelimiter: () => string },
): Promise<AnswerPrompt> {
  const countTokens = await loadTokenCounter();
  const delimiter = delimiterNotIn(request, newDelimiter);
  const system = systemPrompt(delimiter);
  const { question, context, rejectedQuotes } = request;
  const fixed = system + userPrompt(delimiter, { question, rejectedQuotes, fitted: [] });
  const fitted = fitContext(
    context,
    {
      maxTokens: maxTokens - FRAMING_TOKENS - countTokens(fixed),
      overheadTokens: (chunk) => overheadOf(delimiter, chunk, countTokens),
    },
    countTokens,
  );
  // The fallback can still read what does not fit; a model that sees nothing would only refuse.
  if (fitted.length === 0) throw new ProviderError('provider_request_refused', 'no chunk fits into the prompt');
  return { system, user: userPrompt(delimiter, { question, rejectedQuotes, fitted }) };
}

// With both parts of a section, whether it will have them or not.
function overheadOf(delimiter: string, chunk: ContextChunk, countTokens: CountTokens): number {
  return countTokens(excerpt(delimiter, { chunk: { ...chunk, text: ' ' }, before: ' ', after: ' ' }));
}

function delimiterNotIn(
  { context, question }: { context: readonly ContextChunk[]; question: string },
  make: () => string,
) {
  const texts = [question, ...context.flatMap((chunk) => [chunk.sectionText, chunk.text, chunk.title])];
  for (;;) {
    const delimiter = make();
    if (!texts.some((text) => text.includes(delimiter))) return delimiter;
  }
}

function randomDelimiter(): string {
  return `=====${randomBytes(16).toString('hex')}`;
}

// A server of another vendor that speaks OpenAI's protocol has another vocabulary.
function countsExactly(provider: ChatProvider, config: Config): boolean {
  return provider === 'azure_openai' || (provider === 'openai' && config.openai.baseUrl === null);
}
