// What is read and quoted as one: a sentence, a list item, a row with its table's header, a record of named values.
import type { Span } from './model.ts';
import { splitSentences } from './sentences.ts';

/** `header`: a table's first row, with a rule below it. `record`: values with their names, as lines (`name: value`) or as one item (`- Name: value; Name: value.`). */
export type UnitKind = 'sentence' | 'item' | 'row' | 'header' | 'record' | 'heading';

/** A stretch of a chunk that stands for itself; offsets are into the chunk's text. */
export interface Unit extends Span {
  readonly kind: UnitKind;
  /** What the unit says itself: of a record its values without their names. */
  readonly values: string;
  /** The names of a record's values, or the header of a row's table; '' for everything else. */
  readonly names: string;
  /** The header row above a row. */
  readonly header: Span | null;
}

const LIST_ITEM = /^(?:[-*+•◦▪‣●○■□]|\(?(?:\d{1,3}|[a-z])[.)])\s/;
const TABLE_ROW = /^\||\s\|\s.*\s\|\s/;
const TABLE_RULE = /^[\s|:+-]+$/;
const HEADING = /^#{1,6}\s/;
/** A name of a few words before a colon; a sentence with a colon in it has more of them before it. */
const NAMED_VALUE = /^[\p{L}_][^\s:;.?!]*(?: [^\s:;.?!]+){0,4}: +(?=\S)/u;
/** A longer record is a document of its own and is read by its sentences. */
const MAX_RECORD_CHARACTERS = 1000;
/** A longer item is prose. */
const MAX_ITEM_CHARACTERS = 700;

/** Whether a unit is the line of dashes between a table's header and its rows. */
export function isTableRule(text: string): boolean {
  return TABLE_RULE.test(text);
}

/** The place of the first item of the list that the item `at` is in, or of the first unit of another kind that stand together. */
export function listStart(units: readonly Unit[], at: number, of: UnitKind = 'item'): number {
  return units.findLastIndex(({ kind }, place) => place < at && kind !== of) + 1;
}

/** The place behind the last of them. */
export function listEnd(units: readonly Unit[], at: number, of: UnitKind = 'item'): number {
  const end = units.findIndex(({ kind }, place) => place > at && kind !== of);
  return end < 0 ? units.length : end;
}

/** Splits a chunk's text into units: ascending, apart, covering what `splitSentences` covers. Linear time; never throws. */
export function unitsOf(text: string): Unit[] {
  const records = recordsOf(text);
  const units: Unit[] = [];
  let header: Span | null = null;
  for (const span of joinSentences(text, records)) {
    const own = text.slice(span.start, span.end);
    const isRow = TABLE_ROW.test(own) && !records.has(span.start);
    if (!isRow) header = null;
    units.push(isRow ? rowUnit(text, span, header) : textUnit(span, own, records.has(span.start)));
    if (isRow) header ??= span;
  }
  return units.map((unit, index) => (isHeader(text, unit, units[index + 1]) ? { ...unit, kind: 'header' } : unit));
}

// A table that goes on from the chunk before begins with a row like any other.
function isHeader(text: string, { kind, header }: Unit, next: Unit | undefined): boolean {
  return kind === 'row' && header === null && next !== undefined && isTableRule(text.slice(next.start, next.end));
}

function rowUnit(text: string, span: Span, header: Span | null): Unit {
  const names = header === null ? '' : text.slice(header.start, header.end);
  return { ...span, kind: 'row', values: text.slice(span.start, span.end), names, header };
}

function textUnit(span: Span, own: string, isRecord: boolean): Unit {
  const parts = isRecord ? own.split('\n') : itemRecordParts(own);
  if (parts.length === 0) {
    const kind = HEADING.test(own) ? 'heading' : LIST_ITEM.test(own) ? 'item' : 'sentence';
    return { ...span, kind, values: own, names: '', header: null };
  }
  const names = parts.map((part) => NAMED_VALUE.exec(part)?.[0] ?? '');
  const values = parts.map((part, index) => part.slice(names[index]?.length)).join('\n');
  return { ...span, kind: 'record', values, names: names.join('\n'), header: null };
}

/** The parts of `- Name: value; Name: value.`; none if it is no such item. */
function itemRecordParts(own: string): string[] {
  const marker = LIST_ITEM.exec(own)?.[0] ?? '';
  const parts = own.slice(marker.length).split('; ');
  const named = parts.filter((part) => NAMED_VALUE.test(part)).length;
  return marker !== '' && named >= 2 && named * 2 >= parts.length ? parts : [];
}

/** Start → end of the groups of lines that are records: each line begins with a name, or goes on with the one before. */
function recordsOf(text: string): Map<number, number> {
  const records = new Map<number, number>();
  for (const match of text.matchAll(/\S[^\n]*(?:\n[^\S\n]*\S[^\n]*)*/g)) {
    const group = match[0].trimEnd();
    const lines = group.split('\n');
    const named = lines.filter((line) => NAMED_VALUE.test(line)).length;
    const isRecord = named >= 2 && named * 2 >= lines.length && NAMED_VALUE.test(lines[0] ?? '');
    if (isRecord && group.length <= MAX_RECORD_CHARACTERS) records.set(match.index, match.index + group.length);
  }
  return records;
}

/** Sentences, those of one record and those of one list item joined. */
function joinSentences(text: string, records: ReadonlyMap<number, number>): Span[] {
  const joined: { start: number; end: number }[] = [];
  let recordEnd = -1;
  for (const span of splitSentences(text)) {
    const last = joined.at(-1);
    if (last && (span.start < recordEnd || continuesItem(text, last, span))) {
      last.end = span.end;
      continue;
    }
    recordEnd = records.get(span.start) ?? -1;
    joined.push({ ...span });
  }
  return joined;
}

function continuesItem(text: string, item: Span, next: Span): boolean {
  if (next.end - item.start > MAX_ITEM_CHARACTERS) return false;
  const gap = text.slice(item.end, next.start);
  return !gap.includes('\n') && LIST_ITEM.test(text.slice(item.start, item.start + 8));
}
