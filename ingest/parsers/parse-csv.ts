// Delimited files.
import { CsvError, parse } from 'csv-parse/sync';
import { type ParsedDocument, ParseError } from '../parsed-document.ts';
import { buildDocument } from './build-document.ts';
import { type Row, rowsToBlock } from './rows-to-blocks.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
// Enough rows to tell a delimiter from a comma in prose.
const SNIFFED_ROWS = 20;
const SNIFFED_LENGTH = 50_000;

/**
 * Reads a delimited file; without `delimiter`, the one that splits the first rows most evenly is taken.
 * @throws ParseError `corrupt` or `empty`
 */
export function parseCsv(source: string, delimiter?: string): ParsedDocument {
  // Excel writes the delimiter in a first line of its own.
  const declared = /^sep=(.)\r?\n/.exec(source)?.[1];
  const body = declared ? source.slice(source.indexOf('\n') + 1) : source;
  const rows = readRows(body, delimiter ?? declared ?? sniffDelimiter(body));
  return buildDocument({ title: null, blocks: [rowsToBlock(rows)] });
}

function readRows(source: string, delimiter: string, to?: number): Row[] {
  const options = {
    delimiter,
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    ...(to === undefined ? {} : { to }),
  };
  try {
    return parse(source, options) as unknown as Row[];
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
  }
  try {
    // A quote in the middle of a value, or one that never ends, is a character like any other.
    return parse(source, { ...options, quote: null }) as unknown as Row[];
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new ParseError('corrupt', 'the rows cannot be read; export the table as CSV again', { cause });
  }
}

function sniffDelimiter(source: string): string {
  const sample = source.slice(0, SNIFFED_LENGTH);
  let best: { delimiter: string; score: number } = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    if (!sample.includes(delimiter)) continue;
    const widths = readRows(sample, delimiter, SNIFFED_ROWS).map((row) => row.length);
    const score = evenness(widths);
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

// The share of rows that have the commonest width, times how much it splits; a width of one does not count.
function evenness(widths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  const [width, count] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0])[0] ?? [0, 0];
  return width < 2 ? 0 : (count / widths.length) * (1 + Math.log2(width));
}
