// The positioned pieces of text of a PDF page, joined to lines.

/** What a tagged PDF says about a piece of text. Pieces of one heading share the object. */
export interface PieceTag {
  /** 1 to 6. */
  readonly heading?: number;
  /** Numbers of the table on its page, of the row and of the column. */
  readonly cell?: { readonly table: number; readonly row: number; readonly column: number };
}

/** A piece of text as the PDF library gives it. */
export interface TextPiece {
  readonly str: string;
  /** Affine matrix: size in the first four numbers, position in the last two, in points. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly dir: string;
  readonly tag?: PieceTag;
}

/** Text of one line, left of a gap wide enough to be a column's. */
export interface Segment {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
}

/** A line of a page; coordinates in points, y upwards. */
export interface PdfLine {
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  /** Font size in points, of most of its characters. */
  readonly size: number;
  /** 1-based. */
  readonly page: number;
  readonly tag?: PieceTag;
}

interface Placed {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly size: number;
  readonly isRightToLeft: boolean;
  readonly tag?: PieceTag;
}

// In font sizes. A space between words is about 0.25; letters of one word are set less than 0.1 apart.
const WORD_GAP = 0.15;
// Wider than any stretched space of justified text: the gap between the columns of a table or a page.
const COLUMN_GAP = 1;
// Raised and lowered characters stay on their line.
const SAME_LINE = 0.45;

/** Joins pieces to lines in the order of the page's content, which writers keep to the reading order. */
export function joinLines(pieces: readonly TextPiece[], page: number): PdfLine[] {
  const lines: PdfLine[] = [];
  let current: Placed[] = [];
  const endLine = (): void => {
    if (current.length > 0) lines.push(lineOf(current, page));
    current = [];
  };
  for (const piece of pieces) {
    if (piece.str.trim() === '') continue;
    const placed = place(piece);
    const last = current.at(-1);
    if (last && !continues(last, placed)) endLine();
    current.push(placed);
  }
  endLine();
  return lines;
}

function place(piece: TextPiece): Placed {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = piece.transform;
  const size = Math.hypot(c, d) || Math.hypot(a, b) || 1;
  return {
    text: piece.str,
    x0: x,
    x1: x + piece.width,
    y,
    size,
    isRightToLeft: piece.dir === 'rtl',
    ...tagged(piece.tag),
  };
}

function tagged(tag: PieceTag | undefined): { tag?: PieceTag } {
  return tag ? { tag } : {};
}

function continues(last: Placed, next: Placed): boolean {
  if (!sameTag(last.tag, next.tag)) return false;
  const size = Math.max(last.size, next.size);
  if (Math.abs(last.y - next.y) > SAME_LINE * size) return false;
  if (last.isRightToLeft || next.isRightToLeft) return true;
  // A jump back to the left is the next cell or column, not the next word.
  return next.x0 >= last.x1 - size;
}

// Plain text is tagged piece by piece, and only headings and cells are parts that must not mix.
function sameTag(last: PieceTag | undefined, next: PieceTag | undefined): boolean {
  if (last?.heading !== next?.heading || (last?.heading && last !== next)) return false;
  const [a, b] = [last?.cell, next?.cell];
  return a?.table === b?.table && a?.row === b?.row && a?.column === b?.column;
}

function lineOf(pieces: readonly Placed[], page: number): PdfLine {
  const segments: { text: string; x0: number; x1: number }[] = [];
  let previous: Placed | null = null;
  for (const piece of pieces) {
    const open = segments.at(-1);
    const gap = previous ? gapBetween(previous, piece) : 0;
    if (!open || gap > COLUMN_GAP) {
      segments.push({ text: piece.text, x0: piece.x0, x1: piece.x1 });
    } else {
      const spaced = gap > WORD_GAP && !/\s$/.test(open.text) && !/^\s/.test(piece.text);
      open.text += spaced ? ` ${piece.text}` : piece.text;
      open.x0 = Math.min(open.x0, piece.x0);
      open.x1 = Math.max(open.x1, piece.x1);
    }
    previous = piece;
  }
  const clean = segments.map((segment) => ({ ...segment, text: segment.text.replace(/\s+/g, ' ').trim() }));
  const longest = pieces.reduce((most, piece) => (piece.text.length > most.text.length ? piece : most));
  return {
    text: clean.map((segment) => segment.text).join(' '),
    segments: clean,
    x0: Math.min(...clean.map((segment) => segment.x0)),
    x1: Math.max(...clean.map((segment) => segment.x1)),
    y: longest.y,
    size: Math.round(longest.size * 2) / 2,
    page,
    ...tagged(longest.tag),
  };
}

// In font sizes; of text from right to left, the next word stands left of the last one.
function gapBetween(previous: Placed, next: Placed): number {
  const size = Math.max(previous.size, next.size);
  const gap = next.x0 >= previous.x0 ? next.x0 - previous.x1 : previous.x0 - next.x1;
  return gap / size;
}
