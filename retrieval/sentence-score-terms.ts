// The terms of a question with their weights, and how well a stretch of text covers them.
import { MONTHS, WEEKDAYS } from './calendar-words.ts';
import type { Chunk } from './model.ts';
import type { TermRarity } from './ports.ts';
import { identifiersIn, questionTerms, wordsIn } from './question-terms.ts';
import { stem } from './sentence-score-stem.ts';

/** Term → weight above 0. Words are stems; identifiers carry the prefix `#`, so that `#err-4021` is not a word. */
export type WeightedTerms = ReadonlyMap<string, number>;

/** The terms of a text, in order, repetitions kept. */
export type TermList = readonly string[];

/**
 * Words so common in any prose that meeting them in a sentence says little: general English, and what at least four of five
 * unrelated collections (an encyclopedia, handbooks, product documentation, science, speeches) have in 2 % of their
 * passages. A stand-in where the documents' own frequencies are not known: with those the AUROC of the best chunk's match on
 * clapnq rose from 0.773 to 0.800, with the second half of this list from 0.785 to 0.789.
 */
const COMMON_STEMS: ReadonlySet<string> = new Set(
  `work get make use take year time people person name way first last new good come go play mean call type kind part much
  many long old day thing number start end begin see think say give keep set put run different difference follow example main
  best most made one two three four five place word group area case point fact world life line side form state home house
  man woman child back hand high low big small large great little early late next same today now ever become include allow
  provide help change open close turn move hold bring leave write read require available possible important able another
  general common current certain several order size level result purpose reason role process system information question
  answer list title section page real full right left second third whole half total
  specific develop data well product base report test perform support addition term function event refer effect record
  operate complete direct increase improve feature control consider individual identify response design create company
  active inform receive limit initial present discuss continue month define period final impact team experience select
  rate organize market find plan consist build issue remain region release depend less single unit standard relate exist
  research service structure measure act study practice locate community maintain live determine local human`
    .split(/\s+/)
    .map(stem),
);
const COMMON_WEIGHT = 0.5;
/** Rare as a rule, and wrong when missing. */
const IDENTIFIER_WEIGHT = 1.5;
const NUMBER_WEIGHT = 1.3;

/** Longer words are rarer (Zipf's law of abbreviation): 0.6 for three letters, 1 from eight letters on. */
function rarityOf(word: string): number {
  if (/\p{N}/u.test(word)) return NUMBER_WEIGHT;
  return Math.min(1, 0.35 + word.length / 12) * (COMMON_STEMS.has(stem(word)) ? COMMON_WEIGHT : 1);
}

/** Weight of a term that every chunk holds, as a share of the rarest one's: what is asked by it is asked. */
const LEAST_WEIGHT = 0.02;

/**
 * The question's terms, each weighted by how rare it is in the documents, or, where `rarity` does not know it, by how rare
 * such a term is in general.
 */
export function weightedTerms(question: string, rarity: TermRarity = new Map()): WeightedTerms {
  const { words, identifiers } = questionTerms(question);
  const terms = new Map<string, number>();
  const add = (term: string, weight: number) => terms.set(term, Math.max(weight, LEAST_WEIGHT, terms.get(term) ?? 0));
  for (const word of words) add(stem(word), rarity.get(word) ?? rarityOf(word));
  for (const identifier of identifiers) add(`#${identifier}`, IDENTIFIER_WEIGHT * (rarity.get(identifier) ?? 1));
  return terms;
}

/** Capitalised words in a row, of which none begins a sentence of the question: "MV Terne". */
const NAME = /(?<=[\p{L}\p{N},;’'"”)] +["“(]?)\p{Lu}[\p{L}\p{M}]+(?: \p{Lu}[\p{L}\p{M}]+)*/gu;
/** Days and months are capitalised and say when; whether that matters, the rest of the question tells. */
const WHEN = new RegExp(`^(?:${WEEKDAYS})s?$|^(?:${MONTHS})$`.toLowerCase());
const VERSION = /\b\d+(?:\.\d+){2,}\b|\b(?:v|version |release )\d+(?:\.\d+)+\b/gi;
const YEAR = /\b(?:19|20)\d\d\b/g;

/** Names by their words in lower case, without a possessive `'s`; none where every word is capitalised, as in a heading. */
function namesIn(question: string): string[][] {
  const names = question.match(NAME) ?? [];
  const words = question.match(/(?<=\s)["“(]?\p{L}{4,}/gu) ?? [];
  if (words.length > 2 && words.every((word) => /^["“(]?\p{Lu}/u.test(word))) return [];
  return names.map((name) =>
    name
      .toLowerCase()
      .split(' ')
      .filter((word) => !WHEN.test(word)),
  );
}

const withoutPossessive = (word: string): string => word.replace(/['’]s?$/, '');

/**
 * What a question that names someone or something asks about it: in "What is the fixed pay of Ann Lee?" the stems of fixed
 * and pay. A text without any of them is about Ann Lee and answers another question. Empty where the question has no
 * names, or nothing telling besides them.
 */
export function askedTerms(question: string): ReadonlySet<string> {
  const names = new Set(namesIn(question).flat());
  if (names.size === 0) return new Set();
  const words = questionTerms(question).words.filter(
    (word) => !names.has(withoutPossessive(word)) && !/\p{N}/u.test(word),
  );
  return new Set(words.map(stem).filter((word) => !COMMON_STEMS.has(word)));
}

/** Half as rare as the rarest: what names everything, as a company's own short name does, names nothing in particular. */
const TELLING_WEIGHT = IDENTIFIER_WEIGHT / 2;

/** Rarity of a name that names something: it stands in less than about the square root of all chunks. */
const NAMING_WEIGHT = 0.5;

/**
 * The identifiers that say which one is meant, such as `#tx-101`: what says nothing of any of them speaks of another. Numbers
 * alone are amounts and dates, which an answer may put differently.
 */
export function namedTerms(terms: WeightedTerms): ReadonlySet<string> {
  const tells = ([term, weight]: [string, number]) =>
    term.startsWith('#') && weight >= TELLING_WEIGHT && /[\p{L}@_].*\p{N}|\p{N}.*\p{L}|@|_/u.test(term.slice(1));
  return new Set([...terms].filter(tells).map(([term]) => term));
}

/** What an answer must be about: terms that the documents do not have everywhere. */
export interface RequiredTerms {
  /** The rarest name or version: it stands in the line that is quoted, or above it. */
  readonly inLine: ReadonlySet<string>;
  /** The others: they stand anywhere in the chunk. */
  readonly inChunk: ReadonlySet<string>;
  /** They do, too, but unlike a name a year is met in what has nothing to do with the question. */
  readonly years: ReadonlySet<string>;
}

/**
 * Names, versions and years of what is asked; what a story before the question names is left out. What says nothing of the
 * MV Fulmar answers no question about her, however well the rest of it fits.
 */
export function requiredTerms(question: string, terms: WeightedTerms): RequiredTerms {
  const asking = question.split(/[.:;!]\s+/).findLast((part) => part.includes('?')) ?? question;
  const names = namesIn(asking);
  const versions = (asking.match(VERSION) ?? []).map((version) => `#${version.replace(/^\D+/, '')}`);
  const weightOf = (term: string) => terms.get(term) ?? 0;
  const rarity = (name: readonly string[]) => Math.max(...name.map(weightOf));
  const telling = [
    ...versions.map((version) => [version]),
    ...names.map((name) => name.map(stem).filter((word) => weightOf(word) >= NAMING_WEIGHT)),
  ].filter((name) => name.length > 0);
  const [rarest = [], ...others] = telling.toSorted((one, other) => rarity(other) - rarity(one));
  return { inLine: new Set(rarest), inChunk: new Set(others.flat()), years: new Set(asking.match(YEAR)) };
}

/** Stems and identifiers of any text, comparable with `weightedTerms`. */
export function termsOf(text: string): TermList {
  return [...wordsIn(text).map(stem), ...identifiersIn(text).map((identifier) => `#${identifier}`)];
}

/** Terms of a text of a chunk, with those of its title and headings. */
export function headedTermsOf({ title, headingPath }: Pick<Chunk, 'title' | 'headingPath'>, text: string): Set<string> {
  return new Set(termsOf([title, ...headingPath, text].join('\n')));
}

/** Weight of the terms that `has`, as a share of all; 0 without terms. */
export function coverage(terms: WeightedTerms, has: (term: string) => boolean): number {
  let total = 0;
  let covered = 0;
  for (const [term, weight] of terms) {
    total += weight;
    if (has(term)) covered += weight;
  }
  return total === 0 ? 0 : covered / total;
}

const BM25_K1 = 1.2; // Robertson's default, as in the lexical search
const BM25_B = 0.75;

/** BM25 of a text with the terms' weights as idf, as a share of the highest that any text can reach: 0…1. */
export function saturatedMatch(terms: WeightedTerms, text: TermList, usualLength: number): number {
  const counts = new Map<string, number>();
  for (const term of text) if (terms.has(term)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const lengthNorm = BM25_K1 * (1 - BM25_B + (BM25_B * text.length) / usualLength);
  let total = 0;
  let score = 0;
  for (const [term, weight] of terms) {
    const count = counts.get(term) ?? 0;
    total += weight;
    score += (weight * count) / (count + lengthNorm);
  }
  return total === 0 ? 0 : score / total;
}
