// What the product says to people, once for all places it says it in. Nothing here tells whether a hidden document exists.
import type { Refusal } from '../retrieval/model.ts';

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

/** What is said when the product itself failed; the log has the cause. */
export const FAILURE_TEXT = 'Something went wrong on my side and I could not answer. Please try again in a moment.';

const DEGRADATIONS: Readonly<Record<string, string>> = {
  lexical_search_timeout: 'the search by words was too slow',
  lexical_search_failed: 'the search by words failed',
  vector_search_timeout: 'the search by meaning was too slow',
  vector_search_failed: 'the search by meaning failed',
  rerank_failed: 'the ranking could not be refined',
  model_failed: 'the answer model did not respond, so these are the bare quotes',
  quotes_rejected: 'the answer model quoted what the documents do not say',
};

/** What an answer had to do without, as a sentence; null when nothing. */
export function degradedText(degraded: readonly string[]): string | null {
  if (degraded.length === 0) return null;
  return `Note: ${degraded.map((part) => DEGRADATIONS[part] ?? part).join('; ')}. The answer may be incomplete.`;
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
