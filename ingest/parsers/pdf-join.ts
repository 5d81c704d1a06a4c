// What stands at the end of a line and at the beginning of the next, joined as the author would have written it.

/** Lower-case words, and words with hyphens, that occur within lines of the document. */
export type KnownWords = ReadonlySet<string>;

/** Collects the words by which hyphens at line ends are judged. */
export function knownWords(texts: readonly string[]): KnownWords {
  const words = new Set<string>();
  for (const text of texts) {
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*(?=[^\p{L}\p{N}-])/gu) ?? [])
      words.add(word);
  }
  return words;
}

// Scripts that are written without spaces between words.
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;
const BROKEN_WORD = /([\p{L}\p{N}]+)[-\u2010\u00ad]$/u;

/** `before` and `after` as running text: a space between them, none between ideographs, a word's hyphenation undone. */
export function joinText(before: string, after: string, words: KnownWords): string {
  if (before === '' || after === '') return before + after;
  const left = BROKEN_WORD.exec(before)?.[1];
  const right = /^\p{Ll}[\p{L}\p{N}]*/u.exec(after)?.[0];
  if (left && right) {
    const stem = before.slice(0, -1);
    // A soft hyphen is only ever a line's. Another stays when the document writes the word with it elsewhere.
    const kept = !before.endsWith('\u00ad') && keepsHyphen(left.toLowerCase(), right.toLowerCase(), words);
    return kept ? `${stem}-${after}` : stem + after;
  }
  if (left && /^[\p{Lu}\p{N}]/u.test(after)) return before + after;
  const unspaced = UNSPACED.test(before.slice(-1)) && UNSPACED.test(after.slice(0, 1));
  return unspaced ? before + after : `${before} ${after}`;
}

function keepsHyphen(left: string, right: string, words: KnownWords): boolean {
  if (words.has(`${left}-${right}`)) return true;
  if (words.has(left + right)) return false;
  // Two words that both stand alone in the document are rather a compound than a broken word.
  return left.length > 3 && right.length > 3 && words.has(left) && words.has(right);
}
