// A follow-up as a question that stands alone: rewritten by a model where there is one, by a heuristic otherwise.
import { withDeadline } from './deadline.ts';
import type { Degradation } from './model.ts';
import { addUsage, failureOf, modelTooLate, type Tokens, usageOf } from './model-calls.ts';
import type { Logger, ModelUsage } from './ports.ts';
import { hasTellingTerms, type QuestionTerms, questionTerms } from './question-terms.ts';

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
  /** Null: not known. */
  readonly costUsd: number | null;
}

/** The questions of a thread that a follow-up is understood from: what points back further is lost on people too. */
export const EARLIER_QUESTIONS = 4;
// What is longer is a text with a question in it: it says what it is about, and is not a model's to shorten.
const MAX_REWRITTEN_CHARACTERS = 1_000;
// The beginning of an earlier question says what it is about; so that a thread of pasted pages costs no thousands of tokens.
const MAX_EARLIER_CHARACTERS = 500;

// Words that point back at what was said before, where they open a question, end it, or stand for its subject. "Is there a
// canteen?" points nowhere.
const POINTS_BACK =
  /^(?:and|but|or|so|then|also)\b|\b(?:it|its|that one|those|these|this one|the same|(?<!\b(?:is|are|was|were|will|be)(?:n't|n’t)? )there(?! (?:is|are|was|were|will|be|been|has|have)\b))\b|^(?:what|how) about\b|\bthen\W*$/i;
/** Who was spoken of before, unless the question itself says who. */
const POINTS_AT_SOMEBODY = /\b(?:he|him|his|she|hers?|they|them|theirs?)\b/i;
/** Whom a pronoun behind them stands for: "an intern", "our customers", "do employees", "Ann Lee". */
const SAYS_WHO =
  /\b(?:[Aa]n?|[Aa]ny|[Ee]ach|[Ee]very|[Mm]y|[Oo]ur)\s+\p{L}|\b(?:[Dd]o|[Cc]an|[Mm]ay|[Mm]ust|[Ss]hould|[Ww]ill|[Aa]re|[Hh]ave)\s+(?:\p{Ll}+\s+){0,2}?(?:\p{Ll}{3,}s|people|staff)\b|\p{Lu}\p{L}+\s+\p{Lu}\p{L}/u;
const FEW_WORDS = 2; // "And in Oslo?": too little to search with
/** A whole clause: it opens with a question word and a verb, or with the verb. "For contractors?" and "How long?" have none. */
const WHOLE_CLAUSE =
  /^(?:(?:what|who|whom|whose|where|when|why|how|which)(?:\s+\S+){0,3}?\s+)?(?:is|are|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|had)\b|^(?:what|who|where|when|how)['’]s\b/i;
/** A question of who does something, without an auxiliary verb: "Who approves a sabbatical?" */
const WHO_DOES = /^who\s+\p{Ll}+s\s+\S/u;
/** Something new: "an incident", "Tock"; "the deadline" may be that of what was asked before. */
const NAMES_SOMETHING_NEW = /\b(?:an?|any|our|my)\s|\S\s+["“(]?\p{Lu}/u;

/** A question of a thread. */
export interface EarlierQuestion {
  /** As it was asked. */
  readonly asked: string;
  /** What was searched and answered in its place; the same where it stands alone. */
  readonly standalone: string;
}

/**
 * A follow-up as a question that stands alone, without a model: when it points back, or has hardly any words of its own,
 * the telling words of what the question before it had become are added behind it, but for the name, or the number or
 * identifier, in whose place it puts another. What a follow-up asked of the thread's subject makes room for what the next one
 * asks of it. A question that stands by itself stays as it is. `earlier`: the thread's questions before it, oldest first.
 */
export function standaloneQuestion(question: string, earlier: readonly EarlierQuestion[]): string {
  const previous = earlier.at(-1);
  if (!previous?.standalone) return question;
  const own = questionTerms(question);
  if (standsAlone(question.trim(), own)) return question;
  const left = new Set([...own.words, ...own.identifiers, ...replacedWords(question, own, earlier)]);
  const added = addedWords(previous).filter((word) => !left.has(word.toLowerCase()));
  return added.length === 0 ? question : withBehind(question, added.slice(0, MAX_ADDED_WORDS));
}

/** A page that somebody pasted is no subject; of questions, one in a thousand has more telling words. */
const MAX_ADDED_WORDS = 30;

// Without brackets around them: with those the embedder finds the question less like its answer, and of 40 follow-ups two more
// were refused.
function withBehind(question: string, words: readonly string[]): string {
  const ended = /[?.!]\W*$/.test(question) ? question : `${question}?`;
  const begin = words.findIndex((word) => !/^\p{Lu}/u.test(word));
  // At the beginning a capital tells no name.
  const ordered = begin < 0 ? ['about', ...words] : [...words.slice(begin), ...words.slice(0, begin)];
  return `${ended} ${ordered.join(' ')}`;
}

/** The telling words of a question, its subject first, each once; names as they are written, as the answerer tells them by that. */
function addedWords({ asked, standalone }: EarlierQuestion): string[] {
  const own = tellingWords(asked);
  const parts = numberedIn(standalone).flatMap(partsOf);
  const all = tellingWords(standalone).filter((word) => !SAYS_NOTHING.has(word) && !parts.includes(word));
  const names = new Map(namesIn(standalone).map((name) => [name.toLowerCase(), name]));
  const subjectFirst = [...all.filter((word) => !own.includes(word)), ...all.filter((word) => own.includes(word))];
  return subjectFirst.map((word) => names.get(word) ?? word);
}

/** "How many days do I get?", "what happened": nothing that a follow-up is about. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(['get', 'gets', 'got', 'getting', 'happened']);

/** Identifiers and words that mean something, in lower case; none where a question only asks ("Where is it?"). */
function tellingWords(text: string): string[] {
  if (!hasTellingTerms(text)) return [];
  const { words, identifiers } = questionTerms(text);
  return [...new Set([...identifiers, ...words])];
}

/** A capitalised word that does not begin a sentence, nor an identifier. */
const NAME = /(?<=[\p{L}\p{N},;:’'"”)] +["“(]?)\p{Lu}[\p{L}\p{M}]+(?![\p{L}\p{M}]|[-_./]?\p{N})/gu;
/** A number that is no year: a year says when, of the same thing. "One" may stand for a thing. */
const COUNTS_AS_NAME =
  /^(?!(?:19|20)\d\d$)(?=.*\p{N})|^(?:two|three|four|five|six|seven|eight|nine|ten|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)$/u;

const namesIn = (text: string): readonly string[] => text.match(NAME) ?? [];
const lowerCase = (words: readonly string[]): string[] => words.map((word) => word.toLowerCase());

const numberedIn = (text: string): string[] => tellingWords(text).filter((word) => COUNTS_AS_NAME.test(word));
const partsOf = (identifier: string): string[] =>
  identifier.split(/[^\p{L}\p{N}]+/u).filter((part) => part !== identifier);
/** All that stands for a number or an identifier with one in it. */
const numberedWords = (text: string): string[] =>
  numberedIn(text).flatMap((identifier) => [identifier, ...partsOf(identifier)]);

/** The telling words of a text that are neither names nor parts of identifiers. */
function commonWords(text: string): string[] {
  const others = new Set([...namesIn(text).map((name) => name.toLowerCase()), ...numberedWords(text)]);
  return tellingWords(text).filter((word) => !others.has(word));
}

// "And in Lyon?" is no longer about Porto, "and TX-102?" not about TX-101: with both, the first would be answered again.
function replacedWords(question: string, own: QuestionTerms, earlier: readonly EarlierQuestion[]): string[] {
  const { asked, standalone } = earlier.at(-1) ?? { asked: '', standalone: '' };
  const isNumbered = [...own.identifiers, ...own.words].some((word) => COUNTS_AS_NAME.test(word));
  const numbers = isNumbered ? numberedWords(standalone) : [];
  const names = namesIn(question).length > 0 ? lowerCase(namesIn(standalone)) : [];
  const isOfSubject = standalone !== asked && commonWords(question).length > 0;
  return [...names, ...numbers, ...(isOfSubject ? followedWords(question, earlier) : [])];
}

/**
 * What a follow-up asked of the thread's subject, which the next one puts something else in the place of: "his phone number", then
 * "and the email?". "What about Oslo?" and "and for meals?" name another thing, which stays until a third is put in its place, and
 * longer where it has itself taken the place of a name.
 */
function followedWords(question: string, earlier: readonly EarlierQuestion[]): string[] {
  const [subject, asked] = [earlier.at(-2)?.standalone ?? '', earlier.at(-1)?.asked ?? ''];
  const common = commonWords(asked).filter((word) => !tellingWords(subject).includes(word));
  const [before, now] = [namedAnother(asked), namedAnother(question)];
  if (before === null) return common;
  if (now === null || (before !== '' && now !== '' && before !== now)) return [];
  return namesIn(subject).length > 0 ? common : [...common, ...lowerCase(namesIn(asked))];
}

const ANOTHER =
  /^(?:(?:and|but|or|so|then|also)\s+)?(?:(?:what|how) about\s+)?(?:(in|at|on|for|with|from|to|of|by)\s+)?((?:the|its|their|his|her)\s)?/i;

const ASKS = /^(?:who|whom|whose|when|where|why|which|(?:what|how)(?! about\b))\b/i;

/** The preposition with which another thing is named, '' without one; null where something is asked of what was named before. */
function namedAnother(question: string): string | null {
  const [, preposition = '', article] = ANOTHER.exec(question.trim()) ?? [];
  const asksOfIt = (article && preposition === '') || ASKS.test(question.trim());
  return asksOfIt || isClause(question.trim()) ? null : preposition.toLowerCase();
}

/**
 * The question as it is searched and answered. `earlier`: the thread's questions before it, oldest first; without them it is
 * the question itself and no model is asked. Never fails: where the rewriter does, or gives something that is no question,
 * the heuristic stands in and `degraded` says so.
 */
export async function standAlone(
  { rewriter, logger }: { readonly rewriter?: QuestionRewriter | null; readonly logger?: Pick<Logger, 'warn'> },
  question: string,
  earlier: readonly EarlierQuestion[],
): Promise<Standalone> {
  const byHeuristic = { question: standaloneQuestion(question, earlier), ...NOTHING_SPENT };
  if (!rewriter || earlier.length === 0 || question.length > MAX_REWRITTEN_CHARACTERS) return byHeuristic;
  try {
    const asked = earlier.map((each) => each.asked.slice(0, MAX_EARLIER_CHARACTERS).toWellFormed());
    const request = { question, earlier: asked };
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
  if (POINTS_BACK.test(question) || pointsAtSomebody(question)) return false;
  if (words.length > FEW_WORDS) return true;
  const saysWhat = words.length === FEW_WORDS || identifiers.length > 0 || NAMES_SOMETHING_NEW.test(question);
  return isClause(question) && saysWhat;
}

function isClause(question: string): boolean {
  return WHOLE_CLAUSE.test(question) || WHO_DOES.test(question.toLowerCase());
}

// "Can an intern see her own file?" says whose.
function pointsAtSomebody(question: string): boolean {
  const pronoun = POINTS_AT_SOMEBODY.exec(question);
  return pronoun !== null && !SAYS_WHO.test(question.slice(0, pronoun.index));
}
