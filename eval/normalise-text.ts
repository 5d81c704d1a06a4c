const DOUBLE_QUOTES = /``|''|[“”„‟«»″]/g; // the first two are how tokenised corpora write them
const SINGLE_QUOTES = /[‘’‚‛‹›′`]/g;

/** A text without white space and with plain quotation marks: two texts that say the same in the same words are equal. */
export function normaliseText(text: string): string {
  return text.replace(DOUBLE_QUOTES, '"').replace(SINGLE_QUOTES, "'").replace(/\s+/g, '');
}
