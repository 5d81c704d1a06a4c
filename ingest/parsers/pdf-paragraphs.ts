// Lines of a PDF page to paragraphs, lists, tables and headings.
import { headingBlock, tableBlock } from '../markdown-blocks.ts';
import type { DraftBlock } from './build-document.ts';
import type { HeadingLevel } from './pdf-headings.ts';
import { joinText, type KnownWords } from './pdf-join.ts';
import type { PdfLine } from './pdf-lines.ts';
import { tableAt } from './pdf-tables.ts';

const BULLET = /^[•●○▪■□◦‣∙·➢➤✓✔❖\uf0b7\uf0a7\uf0d8–—-]\s+(?=\S)/u;
const NUMBER = /^\(?(\d{1,3})[.)]\s+(?=\S)/;
const LONE_BULLET = /^[•●○▪■□◦‣∙·➢➤✓✔❖\uf0b7\uf0a7\uf0d8]$/u;
const SENTENCE_END = /[.!?:。！？][)"'”’\]]*$/;

// In line distances: what is further apart than lines of a paragraph.
const PARAGRAPH_GAP = 1.3;
// In font sizes: an indented first line, and the room at the end of a line that another word would have used.
const INDENT = 1;
const SPARE_ROOM = 1;

/** The blocks of one page's lines, in order. */
export function pageBlocks(lines: readonly PdfLine[], levelOf: HeadingLevel, words: KnownWords): DraftBlock[] {
  const blocks: DraftBlock[] = [];
  const page = mergeMarkers(lines);
  const pitch = linePitch(page);
  let index = 0;
  while (index < page.length) {
    const line = page[index] as PdfLine;
    const level = levelOf(line);
    const table = level === null ? tableAt(page, index) : null;
    if (level !== null) {
      const group = takeWhile(
        page,
        index,
        (next, last) => levelOf(next) === level && next.size === last.size && isNear(last, next, pitch, 1.6),
      );
      blocks.push(
        headingBlock(
          level,
          group.reduce((text, next) => joinText(text, next.text, words), ''),
        ),
      );
      index += group.length;
    } else if (table) {
      blocks.push(tableBlock(table.rows));
      index += table.lines;
    } else if (markerOf(line)) {
      const items = takeWhile(
        page,
        index,
        (next, last) => levelOf(next) === null && continuesList(next, last, page[index] as PdfLine, pitch),
      );
      blocks.push(listOf(items, words));
      index += items.length;
    } else {
      const group = takeWhile(
        page,
        index,
        (next, last) => levelOf(next) === null && !markerOf(next) && continuesParagraph(last, next, page, pitch),
      );
      blocks.push({ kind: 'paragraph', text: paragraphText(group, page, words) });
      index += group.length;
    }
  }
  return blocks;
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
  return distance > 0 && distance <= Math.max(pitch * gap, next.size * 1.2 * (gap > PARAGRAPH_GAP ? gap : 1));
}

function continuesParagraph(last: PdfLine, next: PdfLine, page: readonly PdfLine[], pitch: number): boolean {
  if (Math.abs(last.size - next.size) > 0.1 * last.size || !isNear(last, next, pitch, PARAGRAPH_GAP)) return false;
  const ended = SENTENCE_END.test(last.text);
  if (ended && next.x0 - last.x0 > INDENT * next.size) return false;
  return !(ended && hasSpareRoom(last, next, page));
}

// Whether the first word of the next line would have fitted behind the line: then the line's end was meant.
function hasSpareRoom(last: PdfLine, next: PdfLine, page: readonly PdfLine[]): boolean {
  const firstWord = next.text.split(' ', 1)[0] ?? '';
  const wordWidth = ((next.x1 - next.x0) * firstWord.length) / Math.max(next.text.length, 1);
  const column = page.filter((line) => line.x0 < last.x1 && line.x1 > last.x0 && Math.abs(line.size - last.size) < 1);
  const right = Math.max(...column.map((line) => line.x1));
  return right - last.x1 > wordWidth + SPARE_ROOM * last.size;
}

function paragraphText(lines: readonly PdfLine[], page: readonly PdfLine[], words: KnownWords): string {
  return lines.reduce((text, line, index) => {
    const last = lines[index - 1];
    const meant =
      last !== undefined && (last.segments.length > 1 || line.segments.length > 1 || hasSpareRoom(last, line, page));
    return meant && !/\p{Ll}-$/u.test(text) ? `${text}\n${line.text}` : joinText(text, line.text, words);
  }, '');
}

// A list goes on with its next marker, or with a line that stands right of the first marker and near its item.
function continuesList(next: PdfLine, last: PdfLine, first: PdfLine, pitch: number): boolean {
  if (last.y <= next.y) return false;
  if (markerOf(next)) return last.y - next.y < Math.max(3 * pitch, 3 * next.size);
  return next.x0 > first.x0 + 0.5 * next.size && isNear(last, next, pitch, PARAGRAPH_GAP);
}

function listOf(lines: readonly PdfLine[], words: KnownWords): DraftBlock {
  const margins = [...new Set(lines.filter(markerOf).map((line) => Math.round(line.x0 / 6)))].sort((a, b) => a - b);
  const items: string[] = [];
  for (const line of lines) {
    const marker = markerOf(line);
    if (marker === null) {
      items.push(joinText(items.pop() ?? '', line.text, words));
      continue;
    }
    const depth = margins.indexOf(Math.round(line.x0 / 6));
    const number = NUMBER.exec(line.text)?.[1];
    items.push(`${'  '.repeat(depth)}${number ? `${number}.` : '-'} ${line.text.slice(marker.length)}`);
  }
  return { kind: 'list', text: items.join('\n') };
}
