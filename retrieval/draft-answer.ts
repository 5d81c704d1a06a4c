// What a model says, as far as its quotes hold.
import { VerbatimError } from './errors.ts';
import type { Citation, Degradation, Refusal } from './model.ts';
import type { AnswerModel, ContextChunk, Logger, ModelAnswer, TermRarity } from './ports.ts';
import { checkQuotes } from './quote-check.ts';

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
  readonly costUsd: number;
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

/** What was asked of the model, over all its calls for one question. */
export interface Tokens {
  readonly calls: number;
  readonly input: number;
  readonly output: number;
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
  try {
    return await askModel(options, options.model, asked);
  } catch (error) {
    options.logger?.warn({ model: options.model.id, ...failureOf(error) }, 'the answer model failed');
    if (!options.fallback || options.fallback === options.model) {
      return { ...NOTHING, refusal: 'model_unavailable', degraded: ['model_failed'] };
    }
    const outcome = await askModel(options, options.fallback, asked);
    return { ...outcome, degraded: [...outcome.degraded, 'model_failed'] };
  }
}

// A model that is down is no fault of the program: its code and sentence say all, a stack only what is not expected.
function failureOf(error: unknown): object {
  return error instanceof VerbatimError ? { code: error.code, reason: error.message } : { err: error };
}

async function askModel({ modelTimeoutMs }: DraftOptions, model: AnswerModel, asked: Asked): Promise<Outcome> {
  let rejectedQuotes: readonly string[] = [];
  let spent = { ...NOTHING, model: model.id };
  for (let attempt = 1; attempt <= 2; attempt++) {
    const said: ModelAnswer = await model.answer(
      { ...asked, rejectedQuotes },
      { signal: AbortSignal.timeout(modelTimeoutMs) },
    );
    const checked = checkQuotes(said, asked.context);
    spent = addUsage(spent, said, checked.unknownChunks);
    if (!said.sufficient) return { ...spent, refusal: 'no_evidence' };
    if (checked.rejectedQuotes.length === 0 && checked.citations.length > 0) {
      const { answer: text, probability = 1 } = said;
      return { ...spent, refusal: null, text, citations: checked.citations, probability };
    }
    // Without quotes to name, a second request would be the same request.
    if (checked.rejectedQuotes.length === 0) break;
    rejectedQuotes = checked.rejectedQuotes;
  }
  return { ...spent, refusal: 'no_evidence', degraded: ['quotes_rejected'] };
}

function addUsage<Spent extends typeof NOTHING>(spent: Spent, { usage }: ModelAnswer, unknownChunks: number): Spent {
  const { calls, input, output } = spent.tokens;
  return {
    ...spent,
    costUsd: spent.costUsd + (usage?.costUsd ?? 0),
    unknownCitations: spent.unknownCitations + unknownChunks,
    tokens: {
      calls: calls + 1,
      input: input + (usage?.inputTokens ?? 0),
      output: output + (usage?.outputTokens ?? 0),
    },
  };
}
