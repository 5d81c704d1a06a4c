// Packs the pieces of a section into overlapping windows.
import type { Span } from '../retrieval/model.ts';
import type { Piece } from './chunk-pieces.ts';

/** How large windows are. Sizes are in UTF-16 code units, which need no tokenizer and mean something in every script. */
export interface WindowLimits {
  /** Sentences in a window; a list, table or code that stays whole counts as one. */
  readonly sentences: number;
  /** A window takes further pieces while it stays within this; so do lists, tables and code to stay whole. */
  readonly maxChars: number;
  /** Offsets at which a window must begin; none when not given. */
  readonly cuts?: ReadonlySet<number>;
  /** The same for the items and rows of lists and tables that do not stay whole: each is a record of its own. */
  readonly recordChars: number;
}

// A last window of one short sentence beside its overlap is nearly a copy of the one before: that takes the rest instead.
const TAIL_SHARE = 1.25;

/**
 * Windows over `pieces`: ascending, covering every piece, of at most `limits` (a single piece may be longer). The last
 * sentence of a window opens the next one. No window goes over a page's start (`pageOf` gives the page of an offset), so
 * that a quote is cited with the page on which it begins.
 */
export function packWindows(
  pieces: readonly Piece[],
  limits: WindowLimits,
  pageOf: (offset: number) => number | null,
): Span[] {
  const windows: Span[] = [];
  const pages = pieces.map((piece) => pageOf(piece.start));
  let first = 0;
  let fresh = 0;
  while (fresh < pieces.length) {
    let next = fresh + 1;
    while (next < pieces.length && pages[next] === pages[first] && joins(pieces, first, next, limits)) next++;
    next = withTail(pieces, pages, first, next, limits);
    windows.push({ start: at(pieces, first).start, end: at(pieces, next - 1).end });
    const repeats = pages[next] === pages[next - 1] && next - first > 1 && overlaps(pieces, next, limits);
    first = repeats ? next - 1 : next;
    fresh = next;
  }
  return windows;
}

/** Whether piece `next` belongs into the window that begins with piece `first`. */
function joins(pieces: readonly Piece[], first: number, next: number, limits: WindowLimits): boolean {
  const { kind, start, end } = at(pieces, next);
  if (limits.cuts?.has(start)) return false;
  const maxChars = kind === 'item' || kind === 'row' ? limits.recordChars : limits.maxChars;
  return end - at(pieces, first).start <= maxChars && next - first < limits.sentences;
}

/** Whether the window of the fresh piece `next` begins with the sentence before it, such as one that introduces a list. */
function overlaps(pieces: readonly Piece[], next: number, limits: WindowLimits): boolean {
  if (next >= pieces.length || at(pieces, next - 1).kind !== 'sentence') return false;
  return joins(pieces, next - 1, next, limits);
}

function withTail(
  pieces: readonly Piece[],
  pages: readonly (number | null)[],
  first: number,
  next: number,
  limits: WindowLimits,
): number {
  const last = pieces.length - 1;
  if (pieces.slice(next).some((piece) => limits.cuts?.has(piece.start))) return next;
  if (next > last || pages[last] !== pages[first] || at(pieces, last).kind !== 'sentence') return next;
  const chars = at(pieces, last).end - at(pieces, first).start;
  const count = pieces.length - first;
  return chars <= limits.maxChars && count <= limits.sentences * TAIL_SHARE ? pieces.length : next;
}

function at(pieces: readonly Piece[], index: number): Piece {
  const piece = pieces[index];
  if (!piece) throw new RangeError(`there is no piece ${index} among ${pieces.length}`);
  return piece;
}
