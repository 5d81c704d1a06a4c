// The stemmer that compares a question's words with a sentence's; the lexical search uses the database's own.
import { baseForm } from './irregular-forms.ts';

/** Vowels as `v`, consonants as `c`; a `y` after a consonant is a vowel. */
function shapeOf(word: string): string {
  let shape = '';
  for (const letter of word) {
    const isVowel = 'aeiou'.includes(letter) || (letter === 'y' && shape.endsWith('c'));
    shape += isVowel ? 'v' : 'c';
  }
  return shape;
}

/** Porter's measure: how often a vowel is followed by a consonant. */
function measure(word: string): number {
  return shapeOf(word).match(/v+c+/g)?.length ?? 0;
}

const hasVowel = (word: string): boolean => shapeOf(word).includes('v');

/** Consonant, vowel, consonant at the end, as in `hop` but not `snow`: such a stem wants its `e` back. */
const endsShort = (word: string): boolean => shapeOf(word).endsWith('cvc') && !/[wxy]$/.test(word);

type Rule = readonly [suffix: string, replacement: string];

/** Applies the first rule whose suffix fits, if its stem measures more than `above`. */
function applyRules(word: string, rules: readonly Rule[], above: number): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const rest = word.slice(0, -rule[0].length);
  return measure(rest) > above ? rest + rule[1] : word;
}

const DOUBLE_SUFFIXES: readonly Rule[] = (
  'ational:ate tional:tion enci:ence anci:ance izer:ize isation:ize ization:ize abli:able alli:al entli:ent eli:e ousli:ous ' +
  'ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble ' +
  'icate:ic ative: alize:al iciti:ic ical:ic ful: ness:'
)
  .split(' ')
  .map((pair) => pair.split(':') as unknown as Rule);

const SINGLE_SUFFIXES: readonly Rule[] = (
  'al ance ence er ic able ible ant ement ment ent sion tion ou ism ate iti ous ive ize ise'.split(' ') as string[]
).map((suffix) => [suffix, suffix === 'sion' ? 's' : suffix === 'tion' ? 't' : ''] as const);

function withoutPlural(word: string): string {
  if (word.endsWith('sses') || (word.endsWith('ies') && word.length > 4)) return word.slice(0, -2);
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const rest = word.endsWith('ed') ? word.slice(0, -2) : word.endsWith('ing') ? word.slice(0, -3) : null;
  if (rest === null || !hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/([^aeioulsz])\1$/.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function withoutFinalE(word: string): string {
  if (word.endsWith('ll') && measure(word) > 1) return word.slice(0, -1);
  if (!word.endsWith('e')) return word;
  const rest = word.slice(0, -1);
  const size = measure(rest);
  return size > 1 || (size === 1 && !endsShort(rest)) ? rest : word;
}

// The same few thousand words come with every question, and stemming is most of reading a text. What V8 cuts from a text keeps
// the whole text in memory from 13 characters on, so longer words are stemmed anew.
const MAX_KEPT_STEMS = 50_000;
const MAX_KEPT_CHARACTERS = 12;
const kept = new Map<string, string>();

/**
 * Stem of a lower-case word after M. F. Porter, "An algorithm for suffix stripping" (1980), its steps 2 and 3 in one list.
 * Irregular forms have the stem of their base form. Words with digits or letters outside a to z are returned as they are, without a possessive `'s`.
 */
export function stem(word: string): string {
  if (word.length > MAX_KEPT_CHARACTERS) return stemAnew(word);
  const known = kept.get(word);
  if (known !== undefined) return known;
  if (kept.size >= MAX_KEPT_STEMS) kept.clear();
  const made = stemAnew(word);
  kept.set(word, made);
  return made;
}

function stemAnew(word: string): string {
  const bare = word.replace(/'s?$/, '');
  if (bare.length < 3 || !/^[a-z]+$/.test(bare)) return bare;
  let current = withoutTense(withoutPlural(baseForm(bare)));
  // After a vowel it stays, as in Porter's later version: `pay`, `employ`.
  if (/[^aeiou]y$/.test(current) && hasVowel(current.slice(0, -1))) current = `${current.slice(0, -1)}i`;
  current = applyRules(current, DOUBLE_SUFFIXES, 0);
  current = applyRules(current, DOUBLE_SUFFIXES, 0);
  current = applyRules(current, SINGLE_SUFFIXES, 1);
  return withoutFinalE(current);
}
