// JSON, JSON Lines and notebooks as lines that can be read: `address.city: Oslo`.
import { codeBlock } from '../markdown-blocks.ts';
import { markdownToBlocks } from '../markdown-to-blocks.ts';
import { type ParsedDocument, ParseError } from '../parsed-document.ts';
import { buildDocument, type DraftBlock, oneLine } from './build-document.ts';

// Deeper is not data that people read, and every level is a call.
const MAX_DEPTH = 200;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Reads JSON. Scalars of the top object are one paragraph; each object in it or in a list is one of its own.
 * @throws ParseError `corrupt` or `empty`
 */
export function parseJson(source: string): ParsedDocument {
  const value = readJson(source) ?? readLines(source);
  const blocks = Array.isArray(value) ? value.map((item) => paragraph(item)) : topBlocks(value);
  return buildDocument({ title: titleOf(value), blocks });
}

/**
 * Reads JSON Lines: each value is one paragraph.
 * @throws ParseError `corrupt` (with the number of the first broken line) or `empty`
 */
export function parseJsonLines(source: string): ParsedDocument {
  return buildDocument({ title: null, blocks: readLines(source).map((value) => paragraph(value)) });
}

/**
 * Reads a Jupyter notebook: text cells as Markdown, code cells as code; outputs are results, not text.
 * @throws ParseError `corrupt` or `empty`
 */
export function parseNotebook(source: string): ParsedDocument {
  const notebook = readJson(source);
  const cells = isObject(notebook) ? notebook.cells : undefined;
  if (!Array.isArray(cells)) throw new ParseError('corrupt', 'the notebook has no cells; save it again');
  return buildDocument({ blocks: cells.flatMap(cellBlocks) });
}

function cellBlocks(cell: Json): readonly DraftBlock[] {
  if (!isObject(cell)) return [];
  const source = Array.isArray(cell.source) ? cell.source.join('') : String(cell.source ?? '');
  return cell.cell_type === 'code' ? [codeBlock(source)] : markdownToBlocks(source).blocks;
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Null, the JSON value, has no words; it stands for "not one JSON value", which may be JSON Lines.
function readJson(source: string): Json {
  try {
    return JSON.parse(source) as Json;
  } catch (cause) {
    if (cause instanceof SyntaxError) return null;
    throw cause;
  }
}

function readLines(source: string): Json[] {
  const values: Json[] = [];
  for (const [index, line] of source.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      values.push(JSON.parse(line) as Json);
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      throw new ParseError('corrupt', `line ${index + 1} is not JSON; export the file again`, { cause });
    }
  }
  return values;
}

function topBlocks(value: Json): DraftBlock[] {
  if (!isObject(value)) return [paragraph(value)];
  const blocks: DraftBlock[] = [];
  let lines: string[] = [];
  const endLines = (): void => {
    blocks.push({ kind: 'paragraph', text: lines.join('\n') });
    lines = [];
  };
  for (const [key, child] of Object.entries(value)) {
    if (isObject(child)) {
      endLines();
      blocks.push(paragraph(child, key));
    } else if (Array.isArray(child) && !isScalarList(child)) {
      endLines();
      blocks.push(...child.map((item, index) => paragraph(item, `${key}[${index}]`)));
    } else {
      lines.push(...flatLines(child, key, 0));
    }
  }
  endLines();
  return blocks;
}

function paragraph(value: Json, path = ''): DraftBlock {
  return { kind: 'paragraph', text: flatLines(value, path, 0).join('\n') };
}

function flatLines(value: Json, path: string, depth: number): string[] {
  if (depth > MAX_DEPTH) throw new ParseError('corrupt', `the JSON nests deeper than ${MAX_DEPTH} levels`);
  if (isScalarList(value)) return line(path, value.filter((item) => item !== null && item !== '').join(', '));
  if (Array.isArray(value)) return value.flatMap((item, index) => flatLines(item, `${path}[${index}]`, depth + 1));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, child]) => flatLines(child, path ? `${path}.${key}` : key, depth + 1));
  }
  return value === null ? [] : line(path, String(value));
}

function isScalarList(value: Json): value is (null | boolean | number | string)[] {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
}

function line(path: string, value: string): string[] {
  const text = oneLine(value);
  if (text === '') return [];
  return [path === '' ? text : `${oneLine(path)}: ${text}`];
}

function titleOf(value: Json): string | null {
  return isObject(value) && typeof value.title === 'string' ? value.title : null;
}
