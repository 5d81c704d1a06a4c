import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ParsedDocument, ParseError } from '../../ingest/parsed-document.ts';
import { parseBytes } from '../../ingest/parsers/parse-bytes.ts';
import { expectInvariants } from './fixtures/document-invariants.ts';

const DATA = join(import.meta.dirname, '../../../shared/data/oddfiles');
const hasData = existsSync(DATA);
if (!hasData) test.skip('the odd files are not read, because ../shared/data is absent', () => {});

async function parseOrCode(file: string): Promise<ParsedDocument | string> {
  const bytes = new Uint8Array(readFileSync(join(DATA, file)));
  try {
    return await parseBytes({ bytes, name: file });
  } catch (error) {
    if (error instanceof ParseError) return error.code;
    throw error;
  }
}

function words(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** The share of the longer sequence that both have in common, in order. */
function similarity(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const word of a) {
    const next = [0];
    for (let j = 1; j <= b.length; j += 1) {
      next[j] = word === b[j - 1] ? (row[j - 1] ?? 0) + 1 : Math.max(row[j] ?? 0, next[j - 1] ?? 0);
    }
    row = next;
  }
  return (row.at(-1) ?? 0) / Math.max(a.length, b.length, 1);
}

const FAILURES: Record<string, string> = {
  'docx/external-picture.docx': 'empty',
  'docx/having-images.docx': 'empty',
  'docx/tiny-picture.docx': 'empty',
  'office/MEDRPT-2024-PAT-3847_medical_report_scan.pdf': 'no_text_layer',
  'office/non_text_searchable.pdf': 'no_text_layer',
  'office/sample.msg': 'unsupported_type',
  'office/test.epub': 'unsupported_type',
  'office/test.xls': 'unsupported_type',
  'office/test_outlook_msg.msg': 'unsupported_type',
  'pdf/bitmap-p32-eof.pdf': 'no_text_layer',
  'pdf/bitmap-symbol-texttranspose.pdf': 'no_text_layer',
  'pdf/issue15590.pdf': 'empty',
  'pdf/issue18986.pdf': 'empty',
  'pdf/issue21579.pdf': 'encrypted',
  'pdf/issue6010_1.pdf': 'encrypted',
  'pdf/pr6531_1.pdf': 'encrypted',
};

describe.skipIf(!hasData)('the odd files', () => {
  const files = hasData
    ? readFileSync(join(DATA, 'MANIFEST.jsonl'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { file: string; class: string; note?: string })
    : [];

  test.each(files)('$file ends as a text or as a recorded failure', async ({ file, class: kind, note = '' }) => {
    const result = await parseOrCode(file);
    expect(typeof result === 'string' ? result : 'text').toBe(FAILURES[file] ?? 'text');
    if (typeof result === 'string') return;
    expectInvariants(result);
    // What another program read on the first page is there; it puts words into another order where columns are.
    const noted = kind === 'text' && file.endsWith('.pdf') ? words(note).slice(0, -1) : [];
    const found = new Set(words(result.text));
    expect(noted.filter((word) => !found.has(word))).toEqual([]);
  });

  const pairs = files.flatMap(({ file }) => {
    if (file.startsWith('confluence/') && file.endsWith('.xml')) return [[file, file.replace(/xml$/, 'md')]];
    const google = /^(gdocs\/.*)\.(?:export|copy)\.html$/.exec(file)?.[1];
    return google ? [[file, `${google}.expected.md`]] : [];
  });

  // Pairs that differ in what they say, not in how it is read.
  const LOWER: Record<string, number> = {
    'confluence/footnote.xml': 0.87, // labels of footnotes are numbers instead of names
    'confluence/images.xml': 0.8, // captions besides descriptions
    'confluence/missing.xml': 0.9, // other words for missing pictures
    'confluence/plantuml.xml': 0.5, // source of diagrams, which the page has as a picture
    'confluence/skip_nodes.xml': 0.69, // parts that are not published
    'confluence/toc.xml': 0.83, // marks of the generator
    'gdocs/suggestions.copy.html': 0.88, // proposed words beside the old ones
  };

  test.each(pairs)('%s reads like %s', async (file = '', expected = '') => {
    if (!readdirSync(join(DATA, expected, '..')).includes(expected.split('/')[1] ?? '')) return;
    const [actual, wanted] = [await parseOrCode(file), await parseOrCode(expected)];
    if (typeof actual === 'string' || typeof wanted === 'string') throw new Error('both are documents');
    const text = actual.text.replace('This page has been generated with a tool.', '');
    expect(similarity(words(text), words(wanted.text))).toBeGreaterThan(LOWER[file] ?? 0.96);
  });
});
