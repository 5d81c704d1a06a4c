// What of the context a prompt has room for: every chunk whole as far as they fit, then as much as possible around them.
import type { ContextChunk } from '../../retrieval/ports.ts';
import type { CountTokens } from './token-count.ts';

/** A chunk with as much of its section as fits: `before + chunk.text + after` is a stretch of the section. */
export interface FittedChunk {
  readonly chunk: ContextChunk;
  readonly before: string;
  readonly after: string;
}

interface Surroundings {
  readonly index: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

// A word with the white space before it; a cut falls between two.
const WORD = /\s*\S{1,64}|\s+$/gu;

/**
 * Fits chunks, best first, into `maxTokens`. The chunks' own texts come first; where not all fit, the last are dropped. What
 * is left is shared out among the sections evenly, a small one leaving its rest to the others; each is cut to a window
 * around its chunk. A section that several chunks share is given once, with the first of them.
 * `overheadTokens`: what a chunk costs beside its text (delimiters, title, headings).
 */
export function fitContext(
  context: readonly ContextChunk[],
  limits: { readonly maxTokens: number; readonly overheadTokens: (chunk: ContextChunk) => number },
  countTokens: CountTokens,
): FittedChunk[] {
  let left = limits.maxTokens;
  const kept: ContextChunk[] = [];
  for (const chunk of context) {
    const tokens = countTokens(chunk.text) + limits.overheadTokens(chunk);
    if (tokens > left) continue;
    left -= tokens;
    kept.push(chunk);
  }
  const windows = shareOut(surroundingsOf(kept, left), left, countTokens);
  return kept.map((chunk, index) => ({ chunk, ...(windows.get(index) ?? { before: '', after: '' }) }));
}

function surroundingsOf(chunks: readonly ContextChunk[], maxTokens: number): Surroundings[] {
  const seen = new Set<string>();
  return chunks.flatMap((chunk, index) => {
    const section = `${chunk.documentId} ${chunk.section.start} ${chunk.section.end}`;
    const at = chunk.sectionText.indexOf(chunk.text);
    if (seen.has(section) || at < 0 || chunk.sectionText.length === chunk.text.length) return [];
    seen.add(section);
    // No token is shorter than a byte, so no more words than this can fit; a section may be a whole book.
    const before = lastWords(chunk.sectionText.slice(0, at), maxTokens);
    const after = firstWords(chunk.sectionText.slice(at + chunk.text.length), maxTokens);
    return [{ index, before, after }];
  });
}

function firstWords(text: string, count: number): string[] {
  const words: string[] = [];
  for (const [word] of text.matchAll(WORD)) {
    if (words.length >= count) break;
    words.push(word);
  }
  return words;
}

// The nearest to the chunk first.
function lastWords(text: string, count: number): string[] {
  // A word of the pattern has 64 characters at the most; white space beyond that is not worth showing.
  return [...text.slice(-count * 64).matchAll(WORD)]
    .map(([word]) => word)
    .slice(-count || text.length)
    .reverse();
}

// Smallest first, each at most an even share of what is left: what one does not need goes to those after it.
function shareOut(sections: readonly Surroundings[], tokens: number, countTokens: CountTokens) {
  const windows = new Map<number, { before: string; after: string }>();
  let left = tokens;
  const bySize = sections.toSorted((a, b) => a.before.length + a.after.length - b.before.length - b.after.length);
  for (const [position, section] of bySize.entries()) {
    const { before, after, used } = grow(section, Math.floor(left / (bySize.length - position)), countTokens);
    left -= used;
    windows.set(section.index, { before, after });
  }
  return windows;
}

// A word from each side in turn, till the share is used up.
function grow({ before, after }: Surroundings, share: number, countTokens: CountTokens) {
  const taken = { before: 0, after: 0 };
  let used = 0;
  for (let turn = 0; turn < before.length + after.length; turn++) {
    const side = chooseSide(taken, before.length, after.length);
    const word = side === 'before' ? before[taken.before] : after[taken.after];
    const tokens = countTokens(word ?? '');
    if (used + tokens > share) break;
    used += tokens;
    taken[side]++;
  }
  return {
    before: before.slice(0, taken.before).reverse().join(''),
    after: after.slice(0, taken.after).join(''),
    used,
  };
}

function chooseSide(taken: { before: number; after: number }, before: number, after: number): 'before' | 'after' {
  if (taken.before >= before) return 'after';
  if (taken.after >= after) return 'before';
  return taken.before <= taken.after ? 'before' : 'after';
}
