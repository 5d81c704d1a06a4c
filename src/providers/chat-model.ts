// An answer model that is a language model: the prompt within its budget, the request, and the answer read back.
import type { AnswerModel, ContextChunk, ModelAnswer, ModelUsage } from '../../retrieval/ports.ts';
import type { Config } from '../config.ts';
import { type AnswerPrompt, excerpt, systemPrompt, userPrompt } from './answer-prompt.ts';
import { ANSWER_JSON_SCHEMA, MAX_WRITTEN_TOKENS, parseAnswer } from './answer-schema.ts';
import type { ChatProvider, Written } from './chat-clients.ts';
import { citedAnswer } from './cited-answer.ts';
import { malformedAnswer } from './exchange.ts';
import { fitContext } from './fit-context.ts';
import { type AskerOptions, MAX_PROMPT_TOKENS } from './form-chat.ts';
import { delimiterNotIn, type MakeDelimiter, randomDelimiter } from './prompt-delimiter.ts';
import { ProviderError } from './provider-error.ts';
import type { ProviderName } from './provider-name.ts';
import { type CountTokens, loadTokenCounter } from './token-count.ts';

// Other vendors' vocabularies need more tokens than the one that is counted with. None of theirs is published in a form that
// runs here, so half as much again is kept in reserve: an assumption, on the safe side for English and its neighbours.
const RESERVE = 1.5;

// The role marks around two messages; OpenAI's chat format has 3 tokens a message and 3 for the reply.
const FRAMING_TOKENS = 16;

/** The answer model, which needs to know whose vocabulary it has. */
export interface ChatModelOptions extends AskerOptions {
  readonly provider: ChatProvider;
  readonly config: Pick<Config, 'openai'>;
}

/** Makes the answer model. Nothing is loaded before the first question. @throws ProviderError from `answer`. */
export function createChatModel(options: ChatModelOptions): AnswerModel {
  const { chat, provider, config, timeoutMs, logger, newDelimiter = randomDelimiter } = options;
  const maxTokens = Math.floor(MAX_PROMPT_TOKENS / (countsExactly(provider, config) ? 1 : RESERVE));
  return {
    id: chat.name.id,
    async answer(request, { signal }) {
      const prompt = await buildPrompt(request, { maxTokens, newDelimiter });
      const { written, requests, usage } = await chat.ask(prompt, {
        form: { name: 'answer', schema: ANSWER_JSON_SCHEMA },
        maxWrittenTokens: MAX_WRITTEN_TOKENS,
        timeoutMs,
        signal,
      });
      logger.info({ model: chat.name.id, requests, ...usage }, 'the answer model was asked');
      return readAnswer(written, request.context, usage, chat.name);
    },
  };
}

function readAnswer(
  { text }: Written,
  context: readonly ContextChunk[],
  usage: ModelUsage,
  name: ProviderName,
): ModelAnswer {
  const answer = parseAnswer(text);
  if (!answer) throw malformedAnswer(name, usage);
  if (!answer.sufficient) return { sufficient: false, answer: '', citations: [], usage };
  return { sufficient: true, answer: citedAnswer(answer, context), citations: answer.citations, usage };
}

async function buildPrompt(
  request: Parameters<AnswerModel['answer']>[0],
  { maxTokens, newDelimiter }: { maxTokens: number; newDelimiter: MakeDelimiter },
): Promise<AnswerPrompt> {
  const countTokens = await loadTokenCounter();
  const { question, context, rejectedQuotes } = request;
  const texts = [question, ...context.flatMap((chunk) => [chunk.sectionText, chunk.text, chunk.title])];
  const delimiter = delimiterNotIn(texts, newDelimiter);
  const system = systemPrompt(delimiter);
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

// A server of another vendor that speaks OpenAI's protocol has another vocabulary.
function countsExactly(provider: ChatProvider, config: ChatModelOptions['config']): boolean {
  return provider === 'azure_openai' || (provider === 'openai' && config.openai.baseUrl === null);
}
