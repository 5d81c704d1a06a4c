// Whether two documents say the same with other numbers, so that one of them is out of date.
import type { ReadSentence } from './sentence-score.ts';
import { termsOf } from './sentence-score-terms.ts';

/** Share of common words from which two sentences are edited copies of one. */
const TWIN_SHARE = 0.8;
const NUMBER = /\d+(?:[.,:]\d+)*/g;

/** The numbers of a text as they are written. */
export function numbersIn(text: string): ReadonlySet<string> {
  return new Set(text.match(NUMBER));
}

/**
 * Tells which sentences are the same rule in another version: of another document, in nearly the same words, and with other
 * numbers. Neither the words nor the rank of two versions say which is in force.
 */
export function twinsOf({ chunk, text }: ReadSentence): (other: ReadSentence) => boolean {
  const wordsOf = (sentence: string) => new Set(termsOf(sentence.replace(NUMBER, ' ')));
  const [words, numbers] = [wordsOf(text), numbersIn(text)];
  return (other) => {
    const otherNumbers = numbersIn(other.text);
    if (other.chunk.documentId === chunk.documentId || numbers.size === 0 || otherNumbers.size === 0) return false;
    if (numbers.size === otherNumbers.size && [...numbers].every((number) => otherNumbers.has(number))) return false;
    const otherWords = wordsOf(other.text);
    const common = [...words].filter((word) => otherWords.has(word)).length;
    return common > 0 && common >= TWIN_SHARE * Math.max(words.size, otherWords.size);
  };
}
