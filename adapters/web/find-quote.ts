import type { Span } from '../../retrieval/model.ts';

/**
 * Where a quote stands in a text: at `near` when it is there, else the place closest to it. Blanks and line ends count as equal.
 * Null when it does not occur.
 */
export function findQuote(text: string, quote: string, near: number): Span | null {
  const words = quote.split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  const pattern = new RegExp(words.map(escapePattern).join('\\s+'), 'g');
  let best: Span | null = null;
  for (const { 0: found, index: start } of text.matchAll(pattern)) {
    if (best && Math.abs(best.start - near) <= Math.abs(start - near)) continue;
    best = { start, end: start + found.length };
  }
  return best;
}

function escapePattern(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
