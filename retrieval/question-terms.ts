// What a question asks with: its words without the asking, and the compound tokens that must not be taken apart.

/** The terms of a question; each list without repetitions, in the order of the text, in lower case. */
export interface QuestionTerms {
  /** Words that carry meaning, unstemmed. */
  readonly words: readonly string[];
  /** What `identifiersIn` finds. */
  readonly identifiers: readonly string[];
}

/** Longest token that is taken as an identifier; what is longer is an encoded blob that nobody asks for. */
const MAX_IDENTIFIER_CHARACTERS = 128;

/**
 * Asking and politeness say nothing about the answer: without them BM25's nDCG@10 on the handbook questions rises from
 * 0.431 to 0.492. They are stop words of questions only; documents keep them. The second group are the function words
 * that the `english` text search configuration drops as well.
 */
const QUESTION_STOP_WORDS: ReadonlySet<string> = new Set(
  `what whats what's which who who's whose whom when when's where where's why why's how how's many much
  do does did doing done can could will would shall should may might must please kindly tell explain describe me
  know want wanted need like find look looking hi hello hey thanks thank anyone anybody someone somebody there there's
  here let let's wondering wonder ask asking just actually exactly happen happens

  a an the this that that's these those is isn't it's are aren't was wasn't were weren't be been being am i'm i've i'd i'll
  has hasn't have haven't had having don't doesn't didn't can't cannot couldn't won't wouldn't shouldn't
  i you your yours we our ours my mine they their theirs he his she her hers him them it its you're we're they're
  of in on at by for from to into with within without about as than then if or and but so not no nor too also very some any
  all each every both few more most other such own same only during through between against before after above below up
  down out off over under again further once because until while per via`.split(/\s+/),
);

/** Scripts that put no blanks between words. */
const UNSPACED_RUN =
  /(?:(?=[\p{L}\p{M}])[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Thai}\p{Script_Extensions=Lao}\p{Script_Extensions=Khmer}\p{Script_Extensions=Myanmar}])+/gu;

/** All characters of `UNSPACED_RUN` and others besides, in a pattern that is quick to tell that a text has none of them. */
const MAYBE_UNSPACED = /[\u0250-\u1fff\u2e80-\uffff]/;

function withoutUnspaced(text: string): string {
  return MAYBE_UNSPACED.test(text) ? text.replace(UNSPACED_RUN, ' ') : text;
}

/** Letters and digits, with an apostrophe inside ("don't", "l'équipe"). */
const WORD = /[\p{L}\p{M}\p{N}]+(?:'[\p{L}\p{M}]+)*/gu;

/** Words of any text in lower case and order of appearance, repetitions kept; runs of unspaced scripts left out. */
export function wordsIn(text: string): string[] {
  return withoutUnspaced(text.toLowerCase().replaceAll('’', "'")).match(WORD) ?? [];
}

/** "How long", "how often": what is measured, which the answer says as "12 weeks" and "each Monday". */
const MEASURE_ASKED =
  /\bhow\s+(?:long|often|frequently|far|big|large|high|low|tall|wide|deep|heavy|fast|quick|quickly|slow|slowly|soon|early|late|old)\b/gi;

/**
 * Takes a question apart for lexical search and for the answerer. Question words and polite filler are left out, unless
 * nothing else is there ("Who can do this?" keeps all its words).
 */
export function questionTerms(text: string): QuestionTerms {
  // "Q." and "Question:" are how lists of questions begin, and people paste from them.
  const asked = text.replace(/^\s*q(?:uestion)?\s*[.:)]/i, '').replace(MEASURE_ASKED, 'how');
  const all = [...new Set(wordsIn(asked))];
  const telling = all.filter((word) => !QUESTION_STOP_WORDS.has(word));
  return { words: telling.length > 0 ? telling : all, identifiers: identifiersIn(asked) };
}

/** Whether a question asks about anything: false for a greeting, "who can do this?" or no words at all. */
export function hasTellingTerms(text: string): boolean {
  const { words, identifiers } = questionTerms(text);
  return identifiers.length > 0 || words.some((word) => !QUESTION_STOP_WORDS.has(word));
}

/** Everything that ends a token. Commas between digits are gone by then (see `GROUPED_NUMBER`). */
const TOKEN_BREAK = /[\s,;!?"“”„«»‘’`|<>()[\]{}=*…–—]+/u;
const TOKEN_START = /[\p{L}\p{N}_]/u;
const TOKEN_END = /[\p{L}\p{M}\p{N}_+#]/u;
/** U+2010, U+2011 and U+2212 look like the hyphen of a key, and word processors put them there. */
const HYPHEN_LOOKALIKE = /[\u2010\u2011\u2212]/g;

const GROUPED_NUMBER = /(?<![\d,.])\d{1,3}(?:,\d{3})+(?![\d,])/g;
const E_MAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/u;
const URL_TOKEN = /^[a-z][a-z0-9+.-]*:\/\//;
const LANGUAGE = /^\p{L}(?:\+\+|#)$/u;
const TWO_DOTTED_PARTS = /^[\p{L}\p{N}_-]{2,}(?:\.[\p{L}\p{N}_-]{2,})+$/u;
const VERSION_WITH_V = /^v\d+\.\d/;
/** International with `+`, or the American three-three-four; digits are then run together. */
const PHONE_NUMBER = /(?<![\p{L}\p{N}])(?:\+\d[\d ().-]{6,20}\d|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?![\p{L}\p{N}])/gu;

/** Whether a token would lose its meaning when split at punctuation, whatever the case of its letters. */
function isCompound(token: string): boolean {
  if (E_MAIL.test(token) || LANGUAGE.test(token) || TWO_DOTTED_PARTS.test(token)) return true;
  const hasConnector = /[-_./:@+#\\&~]/.test(token);
  if (hasConnector && /\p{N}/u.test(token)) return true;
  if (/[\p{L}\p{N}]_[\p{L}\p{N}]/u.test(token)) return true;
  return /\p{L}/u.test(token) && /\p{N}/u.test(token);
}

/** Without the punctuation at both ends; by hand, because a pattern anchored at the end takes quadratic time. */
function withoutEdges(token: string): string {
  let start = 0;
  let end = token.length;
  while (start < end && !TOKEN_START.test(token.charAt(start))) start++;
  while (end > start && !TOKEN_END.test(token.charAt(end - 1))) end--;
  return token.slice(start, end);
}

/** Nearly every token of a text, and never an identifier. */
const PLAIN_WORD = /^[a-z]*[.:]?$/;

/** The identifiers of one blank-separated token: itself, and what its parts between slashes are. */
function identifiersOfToken(rawToken: string): string[] {
  if (PLAIN_WORD.test(rawToken)) return [];
  const token = withoutEdges(rawToken);
  if (token.length < 2) return [];
  if (URL_TOKEN.test(token)) {
    const [host = '', ...path] = token.slice(token.indexOf('://') + 3).split(/[/?#&]/);
    return [host.replace(/^.*@|:\d+$/g, ''), ...path.flatMap(identifiersOfToken)].filter((part) => part.length > 1);
  }
  const found = token.length <= MAX_IDENTIFIER_CHARACTERS && isCompound(token) ? [token] : [];
  if (VERSION_WITH_V.test(token)) found.push(token.slice(1));
  if (token.includes('/')) found.push(...token.split('/').flatMap(identifiersOfToken));
  return found;
}

/** Overlapping pairs of characters of a run without blanks; a single character stands for itself. */
function bigramsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/**
 * Compound tokens that are searched for as a whole: error codes, ticket keys, part numbers, e-mail addresses, versions
 * (with and without the leading `v`), file names, hosts of URLs, dates, phone numbers (digits only), grouped numbers (without
 * commas), and the bigrams of Chinese, Japanese, Thai, Lao, Khmer and Burmese text, which has no blanks to split at.
 * Used on documents and questions alike, so it depends on nothing but the text and not on its case. Lower case, each
 * once, in order; at most a small multiple of the text's length, in linear time (no pattern can backtrack far).
 */
export function identifiersIn(text: string): string[] {
  const found = new Set<string>();
  const plain = text.toLowerCase().replace(HYPHEN_LOOKALIKE, '-');
  for (const [number] of plain.matchAll(PHONE_NUMBER)) found.add(number.replace(/\D/g, ''));
  for (const [number] of plain.matchAll(GROUPED_NUMBER)) found.add(number.replaceAll(',', ''));
  const ungrouped = plain.replace(GROUPED_NUMBER, (number) => number.replaceAll(',', ''));
  for (const token of withoutUnspaced(ungrouped).split(TOKEN_BREAK)) {
    for (const identifier of identifiersOfToken(token)) found.add(identifier);
  }
  if (!MAYBE_UNSPACED.test(plain)) return [...found];
  for (const [run] of plain.matchAll(UNSPACED_RUN)) for (const bigram of bigramsOf(run)) found.add(bigram);
  return [...found];
}
