import { type QuestionTerms, questionTerms } from './question-terms.ts';

// Words that point back at what was said before, where they open a question or stand for its subject. "Is there a canteen?"
// points nowhere.
const POINTS_BACK =
  /^(?:and|but|or|so|then|also)\b|\b(?:it|its|they|them|their|theirs|that one|those|these|this one|the same|(?<!\b(?:is|are|was|were|will|be)(?:n't|n’t)? )there(?! (?:is|are|was|were|will|be|been|has|have)\b))\b|^(?:what|how) about\b/i;
const FEW_WORDS = 2; // "And in Oslo?": too little to search with
/** A whole clause: it opens with a question word and a verb, or with the verb. "For contractors?" and "How long?" have none. */
const WHOLE_CLAUSE =
  /^(?:(?:what|who|whom|whose|where|when|why|how|which)(?:\s+\S+){0,3}?\s+)?(?:is|are|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|had)\b|^(?:what|who|where|when|how)['’]s\b/i;
/** Something new: "an incident", "Tock"; "the deadline" may be that of what was asked before. */
const NAMES_SOMETHING_NEW = /\b(?:an?|any|our|my)\s|\S\s+["“(]?\p{Lu}/u;

/**
 * A follow-up as a question that stands alone, without a model: when it points back, or has hardly any words of its own,
 * the telling words of the question before it are added behind it. A question that stands by itself stays as it is.
 */
export function standaloneQuestion(question: string, previous: string | undefined): string {
  if (!previous) return question;
  const own = questionTerms(question);
  if (standsAlone(question.trim(), own)) return question;
  const known = new Set([...own.words, ...own.identifiers]);
  const before = questionTerms(previous);
  const added = [...new Set([...before.identifiers, ...before.words])].filter((word) => !known.has(word));
  return added.length === 0 ? question : `${question} (${added.join(' ')})`;
}

function standsAlone(question: string, { words, identifiers }: QuestionTerms): boolean {
  if (POINTS_BACK.test(question)) return false;
  if (words.length > FEW_WORDS) return true;
  const saysWhat = words.length === FEW_WORDS || identifiers.length > 0 || NAMES_SOMETHING_NEW.test(question);
  return WHOLE_CLAUSE.test(question) && saysWhat;
}
