// Whether a sentence is about what a question asks to be allowed, paid or provided, or says so of something else.
import { hasTellingTerms } from './question-terms.ts';
import type { ReadSentence, Standing } from './sentence-score.ts';
import { stem } from './sentence-score-stem.ts';
import { headedTermsOf } from './sentence-score-terms.ts';

/** What is asked about, between the verb and what shall be true of it: "Are [stray cats] allowed in the office?" */
const IS_IT_ALLOWED =
  /^\W*(?:is|are|was|were) (?:(?:the|a|an|my|our|your|all|any) )?((?:[\p{L}-]+ ){0,2}[\p{L}-]+) (?:still |also |usually |generally )?(?:allowed|permitted|forbidden|prohibited|banned|welcome|reimbursed|refunded|paid|covered|insured|included|provided|offered|required|mandatory)\b/iu;

/** What is to be brought, used or claimed: "May I bring [my cat] to the office?" */
const MAY_I =
  /\b(?:can|may|could|am|are) (?:i|we|staff|employees|guests|visitors|interns|contractors) (?:allowed to |permitted to )?(?:bring|use|keep|wear|install|expense|claim|order|smoke|charge) (?:(?:the|an?|my|our|your|any|some) )?((?:[\p{L}-]+ ){0,2}?[\p{L}-]+)(?= (?:to|into|in|on|at|for|from|with|when|while|during|as|if|by|and|or)\b|\W*$|[?.,])/iu;

/**
 * How sentences stand to what a question wants to know to be allowed, paid or provided: one that has none of its words, neither
 * itself nor above it, is about something else, however much of the rest it has. "Dogs are allowed" says nothing of cats.
 */
export function standingToSubject(question: string): (sentence: ReadSentence) => Standing {
  const [, subject = ''] = IS_IT_ALLOWED.exec(question) ?? MAY_I.exec(question) ?? [];
  const words = subject.toLowerCase().split(/[ -]/).filter(hasTellingTerms);
  if (words.length === 0) return () => 'silent';
  const stems = words.map(stem);
  return ({ chunk, header, text }) => {
    const held = headedTermsOf(chunk, `${header}\n${text}`);
    return stems.some((each) => held.has(each)) ? 'covers' : 'misses';
  };
}
