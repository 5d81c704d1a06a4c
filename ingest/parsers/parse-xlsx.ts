// Workbooks: each visible sheet is a heading and a page, each row a line with the names of its columns.
import ExcelJS, { type Cell, type CellValue, type Workbook, type Worksheet } from 'exceljs';
import { decodeText } from '../decode-text.ts';
import { headingBlock, paragraphBlock } from '../markdown-blocks.ts';
import { type ParsedDocument, ParseError } from '../parsed-document.ts';
import { buildDocument, type DraftBlock, hasWord } from './build-document.ts';
import { meantTitle, officeProperties, requirePart } from './office-xml.ts';
import { packArchive, readArchive } from './read-archive.ts';
import { rowsToBlock } from './rows-to-blocks.ts';
import { sheetTables } from './sheet-tables.ts';

// Parts that hold the words of a workbook. Drawings, pivot caches and the like are not read, so they cannot break it.
const NEEDED_PART =
  /^(?:\[Content_Types\]\.xml|_rels\/\.rels|docProps\/\w+\.xml|xl\/(?:_rels\/)?workbook\.xml(?:\.rels)?|xl\/(?:sharedStrings|styles)\.xml|xl\/worksheets\/(?:_rels\/)?[^/]+\.xml(?:\.rels)?)$/i;
// What refers to parts that are left out; the reader would look for them.
const REFERENCES =
  /<(?:\w+:)?(drawing|legacyDrawing|legacyDrawingHF|picture)\b[^>]*\/>|<(?:\w+:)?(tableParts|oleObjects|controls)\b.*?<\/(?:\w+:)?\2>/gs;

/**
 * Reads a workbook. Hidden sheets are left out: who opens the file does not see them.
 * @throws ParseError `corrupt`, `encrypted`, `zip_bomb` or `empty`
 */
export async function parseXlsx(bytes: Uint8Array): Promise<ParsedDocument> {
  const archive = new Map(readArchive(bytes, (name) => NEEDED_PART.test(name)));
  for (const [name, part] of archive) {
    if (/^xl\/worksheets\/[^/]+\.xml$/i.test(name)) archive.set(name, withoutReferences(part));
  }
  requirePart(archive, 'xl/workbook.xml');
  const workbook = await load(packArchive(archive));
  const sheets = workbook.worksheets.filter((sheet) => sheet.state === 'visible');
  const blocks = sheets.flatMap((sheet, index) => sheetBlocks(sheet, index + 1));
  if (!blocks.some((block) => block.kind !== 'heading' && hasWord(block.text))) {
    throw new ParseError('empty', 'the workbook has no words in its visible sheets; nothing can be quoted from it');
  }
  const properties = officeProperties(archive);
  return buildDocument({ title: meantTitle(properties.title), blocks, properties });
}

function withoutReferences(part: Uint8Array): Uint8Array {
  const xml = decodeText(part, 'xml');
  return new TextEncoder().encode(xml.replace(REFERENCES, '').replace(/^(<\?xml[^>]*encoding=["'])[^"']*/, '$1UTF-8'));
}

async function load(file: Buffer): Promise<Workbook> {
  const workbook = new ExcelJS.Workbook();
  try {
    // The library's type is that of an older Buffer.
    await workbook.xlsx.load(file as unknown as Parameters<typeof workbook.xlsx.load>[0]);
    return workbook;
  } catch (cause) {
    throw new ParseError('corrupt', 'the workbook cannot be read; open it and save it again', { cause });
  }
}

function sheetBlocks(sheet: Worksheet, number: number): DraftBlock[] {
  const cells: string[][] = [];
  sheet.eachRow({ includeEmpty: false }, (row, rowNumber) => {
    const values: string[] = [];
    row.eachCell({ includeEmpty: false }, (cell, column) => {
      values[column - 1] = isMergedCopy(cell) ? '' : cellText(cell);
    });
    cells[rowNumber - 1] = Array.from(values, (value) => value ?? '');
  });
  const heading = { ...headingBlock(2, sheet.name), pageStarts: [{ number, at: 0 }] };
  const tables = sheetTables(Array.from(cells, (row) => row ?? []));
  return [
    heading,
    ...tables.map((rows) =>
      rows.length === 1 && rows[0]?.length === 1 ? paragraphBlock(rows[0][0] ?? '') : rowsToBlock(rows),
    ),
  ];
}

// The library gives the value of a merged range in each of its cells.
function isMergedCopy(cell: Cell): boolean {
  return cell.isMerged && cell.master.address !== cell.address;
}

function cellText(cell: Cell): string {
  return valueText(cell.value, cell.numFmt ?? '');
}

function valueText(value: CellValue, format: string): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return numberText(value, format);
  if (value instanceof Date) return dateText(value);
  if (typeof value !== 'object') return String(value);
  if ('richText' in value) return value.richText.map((run) => run.text).join('');
  if ('error' in value) return String(value.error);
  if ('hyperlink' in value)
    return typeof value.text === 'string' ? value.text : valueText(value.text as CellValue, format);
  return 'result' in value ? valueText(value.result as CellValue, format) : '';
}

// 0.30000000000000004 is how a sheet stores 0.3: fifteen digits are what Excel shows and keeps.
function numberText(value: number, format: string): string {
  if (!format.includes('%')) return String(Number(value.toPrecision(15)));
  const decimals = /\.(0+)%/.exec(format)?.[1]?.length ?? 0;
  return `${(value * 100).toFixed(decimals)}%`;
}

function dateText(value: Date): string {
  if (Number.isNaN(value.getTime())) return '';
  const iso = value.toISOString();
  if (iso.startsWith('1899-12-')) return iso.slice(11, 16); // a time of day: dates count from 1900
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 16).replace('T', ' ');
}
