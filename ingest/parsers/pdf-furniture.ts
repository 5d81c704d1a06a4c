// Running headers, footers and page numbers: lines that stand at the same place of most pages.
import type { PdfLine } from './pdf-lines.ts';

// Fewer pages cannot show that a line repeats.
const MIN_PAGES = 3;
// A chapter's running header changes a few times in a document, so not every page has the same.
const MIN_SHARE = 0.5;
// How many lines at each end of a page are looked at.
const EDGE_LINES = 3;
// The same place, in points: headers are set to the same coordinates on every page.
const SAME_PLACE = 4;

/** The pages without the lines that repeat; numbers within them do not count as a difference. A page keeps its last line. */
export function dropFurniture(pages: readonly (readonly PdfLine[])[]): PdfLine[][] {
  const filled = pages.filter((page) => page.length > 0);
  if (filled.length < MIN_PAGES) return pages.map((page) => [...page]);
  const counts = new Map<string, number>();
  for (const page of filled) {
    for (const key of new Set(edgeLines(page).map(furnitureKey))) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const isRepeated = (line: PdfLine): boolean =>
    (counts.get(furnitureKey(line)) ?? 0) >= Math.max(MIN_PAGES, filled.length * MIN_SHARE);
  return pages.map((page) => {
    const edges = new Set(edgeLines(page));
    const kept = page.filter((line) => !(edges.has(line) && isRepeated(line)));
    return kept.length > 0 ? kept : [...page];
  });
}

function edgeLines(page: readonly PdfLine[]): PdfLine[] {
  const byHeight = [...page].sort((a, b) => b.y - a.y);
  return [...byHeight.slice(0, EDGE_LINES), ...byHeight.slice(-EDGE_LINES)];
}

function furnitureKey(line: PdfLine): string {
  const words = line.text
    .replace(/\d+/g, '#')
    .replace(/\b[ivxl]+\b/gi, '#')
    .replace(/\s+/g, ' ')
    .toLowerCase();
  return `${Math.round(line.y / SAME_PLACE)} ${words}`;
}
