// Headings of a PDF: the tagged ones, or else lines set larger than the text and lines that its outline names.
import type { PdfLine } from './pdf-lines.ts';

/** An entry of the outline (the bookmarks). `depth` is 1 at the top. */
export interface OutlineEntry {
  readonly title: string;
  readonly depth: number;
}

/** The level of a line that is a heading, else null. */
export type HeadingLevel = (line: PdfLine) => number | null;

// Sizes nearer than this to the text's are emphasis, not headings.
const LARGER_BY = 1.12;
// Of all characters; more than this in larger sizes means that sizes say nothing (a poster, a form).
const MAX_HEADING_SHARE = 0.3;
const MAX_HEADING_LENGTH = 200;

/** Learns from all lines of a document which ones are headings, and how deep. */
export function headingLevels(lines: readonly PdfLine[], outline: readonly OutlineEntry[]): HeadingLevel {
  if (lines.some((line) => line.tag?.heading)) return (line) => line.tag?.heading ?? null;
  const named = new Map(outline.map((entry) => [headingKey(entry.title), Math.min(entry.depth, 6)]));
  const sizes = headingSizes(lines);
  return (line) => {
    if (line.text.length > MAX_HEADING_LENGTH || !/\p{L}/u.test(line.text)) return null;
    const rank = sizes.indexOf(line.size);
    if (rank >= 0) return Math.min(rank + 1, 6);
    return named.get(headingKey(line.text)) ?? null;
  };
}

// The size that most characters have, in points; 0 without lines.
function bodySize(lines: readonly PdfLine[]): number {
  const counts = charactersBySize(lines);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

function charactersBySize(lines: readonly PdfLine[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const line of lines) counts.set(line.size, (counts.get(line.size) ?? 0) + line.text.length);
  return counts;
}

// Descending, so the place in the list is the level.
function headingSizes(lines: readonly PdfLine[]): number[] {
  const body = bodySize(lines);
  const counts = charactersBySize(lines);
  const larger = [...counts].filter(([size]) => size >= body * LARGER_BY);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const share = larger.reduce((sum, [, count]) => sum + count, 0) / Math.max(total, 1);
  return share > MAX_HEADING_SHARE ? [] : larger.map(([size]) => size).sort((a, b) => b - a);
}

function headingKey(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\s.:]+/g, ' ')
    .trim()
    .toLowerCase();
}
