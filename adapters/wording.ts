// What the product says to people, once for all places it says it in. Nothing here tells whether a hidden document exists.
import type { Degradation, Refusal, Role } from '../retrieval/model.ts';
import type { FeedbackReason } from './ports.ts';

/** Roles as people know them. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  intern: 'Intern',
  analyst: 'Analyst',
  manager: 'Manager',
  exec: 'Executive',
  admin: 'Admin',
};

const REFUSALS: Readonly<Record<Refusal, string>> = {
  no_evidence: 'I found nothing in the documents you may read that answers this.',
  audience_limited:
    'I found nothing that everyone here may read and that answers this. Ask me directly to search all that you may read.',
  stale_source:
    'What I know of the source is older than it promises to be, so I do not quote it. Try again when it has been synchronised.',
  model_unavailable: 'The model that writes answers cannot be reached at the moment. Try again in a few minutes.',
};

/** A refusal as a sentence. */
export function refusalText(refusal: Refusal): string {
  return REFUSALS[refusal];
}

/**
 * A refusal as a sentence where others than the asker see it. Whether the asker alone may read more is told to the asker
 * only, so both kinds of "nothing" read the same.
 */
export function sharedRefusalText(refusal: Refusal): string {
  return refusal === 'no_evidence' || refusal === 'audience_limited' ? NOTHING_SHARED : REFUSALS[refusal];
}

const NOTHING_SHARED = 'I found nothing that everyone here may read and that answers this.';

const PAST_REFUSALS: Readonly<Record<Refusal, string>> = {
  no_evidence: 'I found nothing that answers it',
  audience_limited: 'I found nothing that everyone in that conversation may read and that answers it',
  stale_source: 'not quoted: what I knew of the source was older than it promises to be',
  model_unavailable: 'not answered: the model that writes answers could not be reached',
};

/** How a question of the asker's own ended, away from the place where it was asked. */
export function pastOutcomeText({ refusal, retracted }: { refusal: Refusal | null; retracted: boolean }): string {
  if (retracted) return 'taken back: a document that it quoted is no longer available';
  return refusal === null ? 'answered' : PAST_REFUSALS[refusal];
}

/** Told to the asker alone, in a place where the asker may read more than the others. */
export const PRIVATE_OFFER_TEXT =
  'Here I answer from what everyone in this conversation may read. You may read more than that; I can answer you privately.';

/** In place of an answer whose evidence was deleted or is no longer for those who see the place. */
export const RETRACTED_TEXT = 'This answer was taken back: a document that it quoted is no longer available here.';

/** What is said to a message without a question. */
export const EMPTY_QUESTION_TEXT =
  'Hi! Ask me a question in a sentence, such as “How many days of leave do I have?”, and I answer with quotes from your company’s documents.';

/** What is said to an image or a file without a word. */
export const NO_TEXT_QUESTION_TEXT = 'I read questions as text only. Write what you would like to know in a sentence.';

/** What is said to a question that is longer than a page. */
export function questionTooLongText(characters: number, limit: number): string {
  return `That is ${characters.toLocaleString('en')} characters long; I read questions of up to ${limit.toLocaleString('en')}. Ask the part that matters.`;
}

/** Under an answer whose sentences a language model wrote. */
export const AI_LABEL = 'Written by AI from the quotes; each quote was checked against its document.';
/** Under an answer that consists of quotes alone. */
export const EXTRACTIVE_LABEL = 'Quoted word for word; chosen automatically, no text was generated.';

/** What was wrong with an answer, as a choice. */
export const FEEDBACK_REASON_TEXTS: Readonly<Record<FeedbackReason, string>> = {
  wrong: 'It is wrong',
  outdated: 'It is outdated',
  incomplete: 'It is incomplete',
  should_have_refused: 'It should have said that it does not know',
  should_have_answered: 'It should have known',
  not_allowed_to_see: 'Somebody here should not see this',
};

/** What is said when the product itself failed; the log has the cause. */
export const FAILURE_TEXT = 'Something went wrong on my side and I could not answer. Please try again in a moment.';

const DEGRADATIONS: Readonly<Record<Degradation, string>> = {
  lexical_search_timeout: 'the search by words was too slow',
  lexical_search_failed: 'the search by words failed',
  vector_search_timeout: 'the search by meaning was too slow',
  vector_search_failed: 'the search by meaning failed',
  vector_search_unavailable: 'the search by meaning waits for new vectors',
  rerank_failed: 'the ranking could not be refined',
  rerank_fallback: 'the ranking was refined by simpler means than usual',
  rewrite_failed: 'what the question refers back to was guessed from its words',
  model_failed: 'the answer model did not respond, so these are the bare quotes',
  quotes_rejected: 'the answer model quoted what the documents do not say',
  quotes_unrelated: 'the answer model quoted what has nothing to do with the question',
  not_quoted: 'the answer model gave no quotes',
};

// Of a refusal: there are no quotes.
const REFUSAL_DEGRADATIONS: Readonly<Record<Degradation, string>> = {
  ...DEGRADATIONS,
  model_failed: 'the answer model did not respond, so only the documents’ own sentences were looked through',
};

/** What an answer, or a refusal, had to do without, as a sentence; null when nothing, or nothing that is not said already. */
export function degradedText(degraded: readonly Degradation[], refusal: Refusal | null): string | null {
  const untold = refusal === 'model_unavailable' ? degraded.filter((part) => part !== 'model_failed') : degraded;
  if (untold.length === 0) return null;
  const words = refusal === null ? DEGRADATIONS : REFUSAL_DEGRADATIONS;
  const end = refusal === null ? 'The answer may be incomplete.' : 'There may be more than I found.';
  return `Note: ${untold.map((part) => words[part]).join('; ')}. ${end}`;
}

/** Where in a paged document a quote stands, behind its headings; '' for formats without pages. */
export function pageText(page: number | null | undefined): string {
  return page == null ? '' : `, page ${page}`;
}

/** An age in words, such as "just now", "5 minutes" or "3 days". */
export function ageText(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ] as const;
  for (const [size, unit] of units) {
    const count = Math.floor(seconds / size);
    if (count >= 1) return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
  }
  return 'just now';
}

/** Thanks for an opinion of an answer. */
export const FEEDBACK_THANKS_TEXT = 'Thank you, noted. Only you see this.';
/** Asked after a thumbs-down. */
export const FEEDBACK_ASK_TEXT = 'Thank you, noted. What was wrong with the answer? Only you see this.';
