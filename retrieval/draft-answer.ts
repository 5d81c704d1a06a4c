// What a model says, as far as its quotes hold.
import { withDeadline } from './deadline.ts';
import type { Citation, Degradation, Refusal } from './model.ts';
import { addUsage, failureOf, modelTooLate, type Tokens, usageOf } from './model-calls.ts';
import type { AnswerModel, ContextChunk, Logger, ModelAnswer, TermRarity } from './ports.ts';
import { checkQuotes } from './quote-check.ts';
import { areRelated } from './related-quotes.ts';

/** Who answers, and for how long it may take. */
export interface DraftOptions {
  readonly model: AnswerModel;
  /** Answers when `model` fails or is late; null = refuse with `model_unavailable` then. */
  readonly fallback: AnswerModel | null;
  readonly modelTimeoutMs: number;
  readonly logger?: Logger;
}

/** What the answer will say, before anyone looks again whether it may be said. */
export interface Outcome {
  readonly refusal: Refusal | null;
  readonly text: string;
  readonly citations: readonly Citation[];
  /** The model's own estimate that this answers, 0…1; 1 from a model that gives none. */
  readonly probability: number;
  readonly degraded: readonly Degradation[];
  /** Null: not known. */
  readonly costUsd: number | null;
  readonly unknownCitations: number;
  /** Id of the model that said it; empty when none was asked. */
  readonly model: string;
  readonly tokens: Tokens;
}

/** A question that stands alone, with what may be quoted. */
export interface Asked {
  readonly question: string;
  readonly context: readonly ContextChunk[];
  readonly termRarity: TermRarity;
}

/** An outcome of nothing: no text, no citations, no cost. */
export const NOTHING: Omit<Outcome, 'refusal'> = {
  text: '',
  citations: [],
  probability: 1,
  degraded: [],
  costUsd: 0,
  unknownCitations: 0,
  model: '',
  tokens: { calls: 0, input: 0, output: 0 },
};

/** The model answers; one changed retry when quotes are wrong; the fallback when it fails. */
export async function draftAnswer(options: DraftOptions, asked: Asked): Promise<Outcome> {
  if (asked.context.length === 0) return { ...NOTHING, refusal: 'no_evidence' };
  const { model, fallback, logger } = options;
  const drafted = await askModel(options, model, asked, NOTHING);
  if ('refusal' in drafted) return drafted;
  logger?.warn({ model: model.id, ...failureOf(drafted.error) }, 'the answer model failed');
  if (!fallback || fallback === model) {
    return { ...drafted.spent, model: '', refusal: 'model_unavailable', degraded: ['model_failed'] };
  }
  const outcome = await askModel(options, fallback, asked, drafted.spent);
  if ('error' in outcome) throw outcome.error;
  return { ...outcome, degraded: [...outcome.degraded, 'model_failed'] };
}

type Spent = typeof NOTHING;

/** A model failed; what was spent is still to be counted. */
interface Failed {
  readonly error: unknown;
  readonly spent: Spent;
}

async function askModel(
  { modelTimeoutMs: timeoutMs }: DraftOptions,
  model: AnswerModel,
  asked: Asked,
  before: Spent,
): Promise<Outcome | Failed> {
  const deadline = { timeoutMs, late: () => modelTooLate(model.id, timeoutMs) };
  let rejectedQuotes: readonly string[] = [];
  let spent = { ...before, model: model.id };
  for (let attempt = 1; attempt <= 2; attempt++) {
    let said: ModelAnswer;
    try {
      said = await withDeadline(deadline, (signal) => model.answer({ ...asked, rejectedQuotes }, { signal }));
    } catch (error) {
      return { error, spent: addUsage(spent, usageOf(error)) };
    }
    const checked = checkQuotes(said, asked.context);
    spent = addUsage(spent, said.usage);
    spent = { ...spent, unknownCitations: spent.unknownCitations + checked.unknownChunks };
    if (!said.sufficient) return { ...spent, refusal: 'no_evidence' };
    if (checked.rejectedQuotes.length === 0 && checked.citations.length > 0) {
      if (!areRelated(asked, checked.citations)) {
        return { ...spent, refusal: 'no_evidence', degraded: ['quotes_unrelated'] };
      }
      const { answer: text, probability = 1 } = said;
      return { ...spent, refusal: null, text, citations: checked.citations, probability };
    }
    // Without quotes to name, a second request would be the same request.
    if (said.citations.length === 0) break;
    rejectedQuotes = [...checked.rejectedQuotes, ...misplacedQuotes(said, asked)];
  }
  return { ...spent, refusal: 'no_evidence', degraded: [rejectedQuotes.length > 0 ? 'quotes_rejected' : 'not_quoted'] };
}

// Under an id that is none of the chunks'; the quotes may be true.
function misplacedQuotes({ citations }: ModelAnswer, { context }: Asked): string[] {
  const known = new Set(context.map(({ chunkId }) => chunkId));
  return [...new Set(citations.filter(({ chunkId }) => !known.has(chunkId)).map(({ quote }) => quote))];
}
