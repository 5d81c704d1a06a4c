// Lines of a PDF page to paragraphs, lists, tables and headings.
import { headingBlock, tableBlock } from '../markdown-blocks.ts';
import type { DraftBlock } from './build-document.ts';
import type { HeadingLevel } from './pdf-headings.ts';
import { joinText, type KnownWords } from './pdf-join.ts';
import type { PdfLine } from './pdf-lines.ts';
import type { PdfBlock } from './pdf-pages.ts';
import { tableAt, taggedTableAt } from './pdf-tables.ts';

const BULLET = /^[•●○▪■□◦‣∙·➢➤✓✔❖\uf0b7\uf0a7\uf0d8–—-]\s+(?=\S)/u;
const NUMBER = /^(\d{1,3}[.)])\s+(?=\S)/;
const LONE_BULLET = /^[•●○▪■□◦‣∙·➢➤✓✔❖\uf0b7\uf0a7\uf0d8]$/u;
const SENTENCE_END = /[.!?:。！？][)"'”’\]]*$/;

// In line distances: what is further apart than lines of a paragraph.
const PARAGRAPH_GAP = 1.3;
const HEADING_GAP = 1.6;
// In font sizes: an indented first line, and the room at the end of a line that another word would have used.
const INDENT = 1;
const SPARE_ROOM = 1;

/** The blocks of one column's lines, in order. */
export function pageBlocks(lines: readonly PdfLine[], levelOf: HeadingLevel, words: KnownWords): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  const page: Page = { lines: mergeMarkers(lines), pitch: linePitch(lines), levelOf, words };
  for (let index = 0; index < page.lines.length; ) {
    const part = partAt(page, index);
    blocks.push(...part.blocks);
    index += part.lines;
  }
  return blocks;
}

/** What is known of a page while its parts are found. */
interface Page {
  readonly lines: readonly PdfLine[];
  /** The usual distance of two lines, in points. */
  readonly pitch: number;
  readonly levelOf: HeadingLevel;
  readonly words: KnownWords;
}

interface Part {
  readonly blocks: readonly PdfBlock[];
  readonly lines: number;
}

function partAt(page: Page, index: number): Part {
  const line = page.lines[index] as PdfLine;
  const tagged = taggedTableAt(page.lines, index, page.words);
  if (tagged) return { blocks: tagged.blocks, lines: tagged.lines };
  if (page.levelOf(line) !== null) return headingAt(page, index);
  const table = tableAt(page.lines, index);
  if (table) return { blocks: [tableBlock(table.rows)], lines: table.lines };
  const plain = (next: PdfLine): boolean => page.levelOf(next) === null && !next.tag?.cell;
  if (markerOf(line)) {
    const items = takeWhile(page.lines, index, (next, last) => plain(next) && continuesList(next, last, line, page));
    return { blocks: [listOf(items, page.words)], lines: items.length };
  }
  const group = takeWhile(
    page.lines,
    index,
    (next, last) => plain(next) && !markerOf(next) && continuesParagraph(last, next, page),
  );
  return { blocks: [{ kind: 'paragraph', text: paragraphText(group, page) }], lines: group.length };
}

function headingAt(page: Page, index: number): Part {
  const level = page.levelOf(page.lines[index] as PdfLine) ?? 1;
  const group = takeWhile(page.lines, index, (next, last) => {
    if (page.levelOf(next) !== level) return false;
    if (last.tag?.heading) return next.tag === last.tag;
    return next.size === last.size && isNear(last, next, page.pitch, HEADING_GAP);
  });
  const text = group.reduce((before, line) => joinText(before, line.text, page.words), '');
  return { blocks: [headingBlock(level, text)], lines: group.length };
}

function takeWhile(
  lines: readonly PdfLine[],
  from: number,
  continues: (next: PdfLine, last: PdfLine) => boolean,
): PdfLine[] {
  const taken = lines.slice(from, from + 1);
  for (const next of lines.slice(from + 1)) {
    const last = taken.at(-1);
    if (!last || !continues(next, last)) break;
    taken.push(next);
  }
  return taken;
}

// Some writers set a bullet as a line of its own, a little off the text's base line.
function mergeMarkers(lines: readonly PdfLine[]): PdfLine[] {
  const merged: PdfLine[] = [];
  for (const line of lines) {
    const last = merged.at(-1);
    if (last && LONE_BULLET.test(last.text) && Math.abs(last.y - line.y) < line.size && line.x0 > last.x0) {
      const text = `${last.text} ${line.text}`;
      merged[merged.length - 1] = { ...line, text, x0: last.x0, segments: [{ text, x0: last.x0, x1: line.x1 }] };
    } else {
      merged.push(line);
    }
  }
  return merged;
}

function markerOf(line: PdfLine): string | null {
  return (BULLET.exec(line.text) ?? NUMBER.exec(line.text))?.[0] ?? null;
}

/** The usual distance of lines on a page: the median of the distances down, in points. */
function linePitch(lines: readonly PdfLine[]): number {
  const distances = lines
    .slice(1)
    .map((line, index) => (lines[index]?.y ?? 0) - line.y)
    .filter((distance, index) => distance > 0 && distance < 3 * (lines[index]?.size ?? 0))
    .sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 2)] ?? 0;
}

function isNear(last: PdfLine, next: PdfLine, pitch: number, gap: number): boolean {
  const distance = last.y - next.y;
  return distance > 0 && distance <= Math.max(pitch, next.size * 1.2) * gap;
}

function continuesParagraph(last: PdfLine, next: PdfLine, page: Page): boolean {
  if (Math.abs(last.size - next.size) > 0.1 * last.size || !isNear(last, next, page.pitch, PARAGRAPH_GAP)) return false;
  const ended = SENTENCE_END.test(last.text);
  if (ended && next.x0 - last.x0 > INDENT * next.size) return false;
  return !(ended && hasSpareRoom(last, next, page));
}

// Whether the first word of the next line would have fitted behind the line: then the line's end was meant.
function hasSpareRoom(last: PdfLine, next: PdfLine, page: Page): boolean {
  const firstWord = next.text.split(' ', 1)[0] ?? '';
  const wordWidth = ((next.x1 - next.x0) * firstWord.length) / Math.max(next.text.length, 1);
  const column = page.lines.filter(
    (line) => line.x0 < last.x1 && line.x1 > last.x0 && Math.abs(line.size - last.size) < 1,
  );
  const right = column.reduce((most, line) => Math.max(most, line.x1), last.x1);
  return right - last.x1 > wordWidth + SPARE_ROOM * last.size;
}

function paragraphText(lines: readonly PdfLine[], page: Page): string {
  return lines.reduce((text, line, index) => {
    const last = lines[index - 1];
    const meant =
      last !== undefined && (last.segments.length > 1 || line.segments.length > 1 || hasSpareRoom(last, line, page));
    return meant && !/\p{Ll}-$/u.test(text) ? `${text}\n${line.text}` : joinText(text, line.text, page.words);
  }, '');
}

// A list goes on with its next marker, or with a line of its last item: one that is indented or was broken for want of room.
function continuesList(next: PdfLine, last: PdfLine, first: PdfLine, page: Page): boolean {
  if (last.y <= next.y) return false;
  const isLeft = next.x0 < first.x0 - 0.5 * next.size;
  const isIndented = next.x0 > first.x0 + 0.5 * next.size;
  if (markerOf(next)) {
    // Bullets and then a number at the same margin are a list and then a section.
    const isOther = NUMBER.test(next.text) !== NUMBER.test(first.text) && !isIndented;
    return !isLeft && !isOther && last.y - next.y < 3 * Math.max(page.pitch, next.size);
  }
  if (isLeft || !isNear(last, next, page.pitch, PARAGRAPH_GAP)) return false;
  return isIndented || (!SENTENCE_END.test(last.text) && !hasSpareRoom(last, next, page));
}

function listOf(lines: readonly PdfLine[], words: KnownWords): DraftBlock {
  // A sixth of a centimetre or so is one margin.
  const margin = (line: PdfLine): number => Math.round(line.x0 / 6);
  const margins = [...new Set(lines.filter(markerOf).map(margin))].sort((a, b) => a - b);
  const items: string[] = [];
  for (const line of lines) {
    const marker = markerOf(line);
    if (marker === null) {
      items.push(joinText(items.pop() ?? '', line.text, words));
      continue;
    }
    const number = NUMBER.exec(line.text)?.[1];
    const depth = '  '.repeat(margins.indexOf(margin(line)));
    items.push(`${depth}${number ?? '-'} ${line.text.slice(marker.length)}`);
  }
  return { kind: 'list', text: items.join('\n') };
}
