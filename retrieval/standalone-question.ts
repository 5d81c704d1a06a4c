// A follow-up as a question that stands alone: rewritten by a model where there is one, by a heuristic otherwise.
import { withDeadline } from './deadline.ts';
import type { Degradation } from './model.ts';
import { addUsage, failureOf, modelTooLate, type Tokens, usageOf } from './model-calls.ts';
import type { Logger, ModelUsage } from './ports.ts';
import { type QuestionTerms, questionTerms } from './question-terms.ts';

/** Rewrites a follow-up so that it stands alone. It is given questions and never a document's text. */
export interface QuestionRewriter {
  /** Of the model, such as `openai:gpt-5`. */
  readonly id: string;
  /** `earlier`: the thread's questions, oldest first. `question` null: what came back is none. */
  rewrite(
    request: { readonly question: string; readonly earlier: readonly string[] },
    options: { readonly signal: AbortSignal },
  ): Promise<{ readonly question: string | null; readonly usage: ModelUsage }>;
}

/** What is asked in place of a follow-up, and what finding that out cost. */
export interface Standalone {
  readonly question: string;
  /** `rewrite_failed` where the heuristic had to stand in for the model. */
  readonly degraded: readonly Degradation[];
  readonly tokens: Tokens;
  readonly costUsd: number;
}

/** The questions of a thread that a follow-up is understood from: what points back further is lost on people too. */
export const EARLIER_QUESTIONS = 4;
// What is longer is a text with a question in it: it says what it is about, and is not a model's to shorten.
const MAX_REWRITTEN_CHARACTERS = 1_000;
// The beginning of an earlier question says what it is about; so that a thread of pasted pages costs no thousands of tokens.
const MAX_EARLIER_CHARACTERS = 500;

// Words that point back at what was said before, where they open a question or stand for its subject. "Is there a canteen?"
// points nowhere.
const POINTS_BACK =
  /^(?:and|but|or|so|then|also)\b|\b(?:it|its|they|them|their|theirs|that one|those|these|this one|the same|(?<!\b(?:is|are|was|were|will|be)(?:n't|n’t)? )there(?! (?:is|are|was|were|will|be|been|has|have)\b))\b|^(?:what|how) about\b/i;
const FEW_WORDS = 2; // "And in Oslo?": too little to search with
/** A whole clause: it opens with a question word and a verb, or with the verb. "For contractors?" and "How long?" have none. */
const WHOLE_CLAUSE =
  /^(?:(?:what|who|whom|whose|where|when|why|how|which)(?:\s+\S+){0,3}?\s+)?(?:is|are|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|had)\b|^(?:what|who|where|when|how)['’]s\b/i;
/** A question of who does something, without an auxiliary verb: "Who approves a sabbatical?" */
const WHO_DOES = /^who\s+\p{Ll}+s\s+\S/u;
/** Something new: "an incident", "Tock"; "the deadline" may be that of what was asked before. */
const NAMES_SOMETHING_NEW = /\b(?:an?|any|our|my)\s|\S\s+["“(]?\p{Lu}/u;

/**
 * A follow-up as a question that stands alone, without a model: when it points back, or has hardly any words of its own,
 * the telling words of the question before it are added behind it, but for the name, or the number or identifier, in whose
 * place it puts another. A question that stands by itself stays as it is.
 */
export function standaloneQuestion(question: string, previous: string | undefined): string {
  if (!previous) return question;
  const own = questionTerms(question);
  if (standsAlone(question.trim(), own)) return question;
  const known = new Set([...own.words, ...own.identifiers]);
  const before = questionTerms(previous);
  const replaced = replacedWords(question, own, previous, before);
  const added = [...new Set([...before.identifiers, ...before.words])].filter(
    (word) => !known.has(word) && !replaced.has(word),
  );
  return added.length === 0 ? question : `${question} (${added.join(' ')})`;
}

/** A capitalised word that does not begin a sentence. */
const NAME = /(?<=[\p{L}\p{N},;:’'"”)] +["“(]?)\p{Lu}[\p{L}\p{M}]+/gu;
/** A number that is no year: a year says when, of the same thing. */
const COUNTS_AS_NAME = /^(?!(?:19|20)\d\d$)(?=.*\p{N})/u;

// "And in Lyon?" is no longer about Porto, "and TX-102?" not about TX-101: with both, the first would be answered again.
function replacedWords(question: string, own: QuestionTerms, previous: string, before: QuestionTerms): Set<string> {
  const replaced = new Set<string>();
  const namesIn = (text: string) => Array.from(text.matchAll(NAME), ([name]) => name.toLowerCase());
  if (namesIn(question).length > 0) for (const name of namesIn(previous)) replaced.add(name);
  if (![...own.identifiers, ...own.words].some((word) => COUNTS_AS_NAME.test(word))) return replaced;
  for (const identifier of before.identifiers.filter((each) => COUNTS_AS_NAME.test(each))) {
    replaced.add(identifier);
    for (const part of identifier.split(/[^\p{L}\p{N}]+/u)) replaced.add(part);
  }
  return replaced;
}

/**
 * The question as it is searched and answered. `earlier`: the thread's questions before it, oldest first; without them it is
 * the question itself and no model is asked. Never fails: where the rewriter does, or gives something that is no question,
 * the heuristic stands in and `degraded` says so.
 */
export async function standAlone(
  { rewriter, logger }: { readonly rewriter?: QuestionRewriter | null; readonly logger?: Pick<Logger, 'warn'> },
  question: string,
  earlier: readonly string[],
): Promise<Standalone> {
  const byHeuristic = { question: standaloneQuestion(question, earlier.at(-1)), ...NOTHING_SPENT };
  if (!rewriter || earlier.length === 0 || question.length > MAX_REWRITTEN_CHARACTERS) return byHeuristic;
  try {
    const request = { question, earlier: earlier.map((each) => each.slice(0, MAX_EARLIER_CHARACTERS).toWellFormed()) };
    const said = await withDeadline(
      { timeoutMs: MAX_REWRITE_MS, late: () => modelTooLate(rewriter.id, MAX_REWRITE_MS) },
      (signal) => rewriter.rewrite(request, { signal }),
    );
    const spent = addUsage(NOTHING_SPENT, said.usage);
    const rewritten = said.question === null ? null : acceptedQuestion(said.question);
    if (rewritten !== null) return { question: rewritten, ...spent };
    logger?.warn({ model: rewriter.id }, 'the model rewrote a follow-up into something that is no question');
    return { ...byHeuristic, ...spent, degraded: ['rewrite_failed'] };
  } catch (error) {
    logger?.warn({ model: rewriter.id, ...failureOf(error) }, 'a follow-up could not be rewritten');
    return { ...byHeuristic, ...addUsage(NOTHING_SPENT, usageOf(error)), degraded: ['rewrite_failed'] };
  }
}

const NOTHING_SPENT = { degraded: [], tokens: { calls: 0, input: 0, output: 0 }, costUsd: 0 };

// Behind the rewriter's own, shorter time, for one that has none.
const MAX_REWRITE_MS = 30_000;

// Control characters, and what is not seen: marks of direction, joiners at the edge of words, the tags that hide a text in a text.
const UNSEEN = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]+/gu;

// What a model wrote is a search query and the wording of a question, whatever it says; null when it cannot be one.
function acceptedQuestion(text: string): string | null {
  const plain = text.toWellFormed().normalize('NFC').replace(UNSEEN, ' ').replace(/\s+/g, ' ').trim();
  if (plain.length > MAX_REWRITTEN_CHARACTERS) return null;
  const { words, identifiers } = questionTerms(plain);
  return words.length + identifiers.length > 0 ? plain : null;
}

function standsAlone(question: string, { words, identifiers }: QuestionTerms): boolean {
  if (POINTS_BACK.test(question)) return false;
  if (words.length > FEW_WORDS) return true;
  const saysWhat = words.length === FEW_WORDS || identifiers.length > 0 || NAMES_SOMETHING_NEW.test(question);
  return (WHOLE_CLAUSE.test(question) || WHO_DOES.test(question.toLowerCase())) && saysWhat;
}
