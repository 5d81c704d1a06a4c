// Whether a sentence says how old, how far or how expensive something is, where that is asked, or only speaks of it.
import type { ReadSentence, Standing } from './sentence-score.ts';
import { hasNumber } from './sentence-score-quantities.ts';

interface Measure {
  readonly asked: RegExp;
  /** Says it in words. */
  readonly said: RegExp;
  /** Whether any number may be it. */
  readonly isNumber: boolean;
}

/** It counts in which place, and measures nothing. */
const ORDINAL = /\b(?:first|second|third|(?:four|fif|six|seven|eigh|nin|ten|eleven|twelf)th|\d+(?:st|nd|rd|th))\b/gi;

const MEASURES: readonly Measure[] = [
  {
    asked: /\bhow old\b/i,
    said: /\b(?:born|founded|formed|established|built|opened|introduced|launched|created|dates? (?:back|from)|since|aged?|older|oldest|years?|months?)\b|(?<![\d.,])(?:1[5-9]|20)\d\d(?![\d.,]\d)/i,
    isNumber: false,
  },
  {
    asked: /\bhow far (?:away )?(?:is|are|from|to)\b/i,
    said: /\b(?:next (?:to|door)|opposite|near(?:by)?|walk|corner|across|behind)\b/i,
    isNumber: true,
  },
  {
    asked: /\bhow (?:tall|wide|deep|heavy)\b/i,
    said: /\b(?:unlimited|any)\b/i,
    isNumber: true,
  },
  {
    // A price or a pay; "how much of my pay" is a share, which may be full.
    asked:
      /\bhow much\b(?! of\b)[^?]*\b(?:costs?|pays?|paid|earns?|charged?|fees?|price)\b|\bwhat (?:do|does|did|will|would)\b[^?]*\b(?:cost|pay|earn)\b(?! for\b)|\bwhat(?:['’]s| is| are) the (?:price|cost|fee)\b/i,
    said: /\b(?:free|nothing|unpaid|charge|included|depends?|varies|vary|quot(?:e|es|ed|ation)|half|double|twice|percent|covers?|covered|bears?|borne|pays? for|paid (?:by|for)|reimburs\w+|(?:price|rate|fee) ?list)\b|%/i,
    isNumber: true,
  },
];

/** How sentences stand to a measure or a price that a question asks for: one without a number, or words for one, misses. */
export function standingToMeasures(question: string): (sentence: ReadSentence) => Standing {
  const measures = MEASURES.filter(({ asked }) => asked.test(question));
  if (measures.length === 0) return () => 'silent';
  return ({ text, header }) => {
    const all = `${header}\n${text}`;
    const says = ({ said, isNumber }: Measure) => said.test(all) || (isNumber && hasNumber(text.replace(ORDINAL, '')));
    return measures.every(says) ? 'covers' : 'misses';
  };
}
