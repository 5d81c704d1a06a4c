import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MAX_DOCUMENT_BYTES, parseDocument } from '../../ingest/parse-document.ts';
import {
  compoundFile,
  slideFile,
  slideShape,
  wordFile,
  wordParagraph,
  workbookFile,
  zipOf,
} from './fixtures/office-files.ts';
import { pdfFile } from './fixtures/pdf-files.ts';

const text = (source: string): Uint8Array => new Uint8Array(Buffer.from(source));
const PNG = new Uint8Array(
  Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
);
const DOCX = wordFile(wordParagraph('Take 25 days.'));
const PDF = pdfFile([[{ text: 'Take 25 days.', y: 700 }]]);

describe('every format is read by its name', () => {
  test.each<[string, Uint8Array | Promise<Uint8Array>, string]>([
    ['a.md', text('# Leave\n\nTake *25* days.'), '# Leave\n\nTake 25 days.'],
    ['dir/A.MARKDOWN', text('Take *25* days.'), 'Take 25 days.'],
    ['a.mdx', text("import A from 'a'\n\nTake <A /> 25 days."), 'Take  25 days.'],
    ['a.txt', text('Take *25* days.'), 'Take *25* days.'],
    ['a.html', text('<p>Take <b>25</b> days.'), 'Take 25 days.'],
    ['a.xml', text('<p>Take <ac:emoticon ac:emoji-fallback="🌴"/> 25 days.</p>'), 'Take 🌴 25 days.'],
    ['a.csv', text('Grade,Days\nA,25'), '- Grade: A; Days: 25.'],
    ['a.tsv', text('Grade\tDays, all\nA\t25'), '- Grade: A; Days, all: 25.'],
    ['a.json', text('{"days": 25}'), 'days: 25'],
    ['a.jsonl', text('{"days": 25}\n{"days": 20}'), 'days: 25\n\ndays: 20'],
    ['a.pdf', PDF, 'Take 25 days.'],
    ['a.docx', DOCX, 'Take 25 days.'],
    [
      'a.pptx',
      slideFile([{ shapes: slideShape('title', ['Leave']) + slideShape(null, ['25 days']) }]),
      '## Leave\n\n25 days',
    ],
    [
      'a.xlsx',
      workbookFile((workbook) =>
        workbook.addWorksheet('S').addRows([
          ['Grade', 'Days'],
          ['A', 25],
        ]),
      ),
      '## S\n\n- Grade: A; Days: 25.',
    ],
  ])('%s', async (name, bytes, expected) => {
    expect((await parseDocument({ name, bytes: await bytes })).text).toBe(expected);
  });

  test.each([
    ['a media type', 'page', 'text/html; charset=utf-8', '<p>a</p>', 'a'],
    ['a media type and a dot in the name', 'release 1.2', 'text/markdown', '*a*', 'a'],
    ['the look of HTML', 'page', undefined, '<!DOCTYPE html><p>a</p>', 'a'],
    [
      'the look of storage format',
      '-',
      undefined,
      '<ac:layout><ac:layout-section><p>a</p></ac:layout-section></ac:layout>',
      'a',
    ],
    ['the look of JSON', 'stdin', undefined, '{"a": 1}', 'a: 1'],
    ['the look of JSON Lines', 'stdin', undefined, '{"a": 1}\n{"a": 2}', 'a: 1\n\na: 2'],
    ['the look of Markdown', 'stdin', undefined, '# A\n\n*b*', '# A\n\nb'],
    ['nothing', 'notes.unknown', undefined, 'plain *text*', 'plain *text*'],
  ])('without a telling name, by %s', async (_, name, mediaType, source, expected) => {
    const input = { name, bytes: text(source), ...(mediaType ? { mediaType } : {}) };
    expect((await parseDocument(input)).text).toBe(expected);
  });

  test('binary formats without a name are known by their bytes', async () => {
    expect((await parseDocument({ name: 'download', bytes: DOCX })).text).toBe('Take 25 days.');
    expect((await parseDocument({ name: 'download', bytes: PDF, mediaType: 'application/octet-stream' })).text).toBe(
      'Take 25 days.',
    );
  });
});

/** A zip of one deflated entry whose headers claim `declared` bytes. */
function zipWithSize(name: string, content: Uint8Array, declared: number): Uint8Array {
  const packed = deflateRawSync(content, { level: 9 });
  const local = Buffer.alloc(30 + name.length);
  local.writeUInt32LE(0x04034b50, 0);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(packed.length, 18);
  local.writeUInt32LE(declared, 22);
  local.writeUInt16LE(name.length, 26);
  local.write(name, 30);
  const central = Buffer.alloc(46 + name.length);
  central.writeUInt32LE(0x02014b50, 0);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(packed.length, 20);
  central.writeUInt32LE(declared, 24);
  central.writeUInt16LE(name.length, 28);
  central.write(name, 46);
  const types = zipOf({ '[Content_Types].xml': '<Types/>' });
  const typesLocal = Buffer.from(types.subarray(0, types.length - 22 - 46 - 19));
  const typesCentral = Buffer.from(types.subarray(typesLocal.length, types.length - 22));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(2, 8);
  end.writeUInt16LE(2, 10);
  end.writeUInt32LE(typesCentral.length + central.length, 12);
  end.writeUInt32LE(typesLocal.length + local.length + packed.length, 16);
  central.writeUInt32LE(typesLocal.length, 42);
  return new Uint8Array(Buffer.concat([typesLocal, local, packed, typesCentral, central, end]));
}

describe('every failure is recorded with its reason', () => {
  const zeros = new Uint8Array(30 * 1024 * 1024);
  const dtd =
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><w:document><w:body>&b;</w:body></w:document>';
  test.each<[string, string, Uint8Array, string]>([
    ['no bytes', 'a.md', new Uint8Array(), 'empty'],
    ['no words', 'a.md', text('---\n\n***\n'), 'empty'],
    ['a sheet without rows', 'a.csv', text('\n\n'), 'empty'],
    ['a drawing', 'a.pdf', pdfFile([[]], { drawing: '0 0 9 9 re f' }), 'no_text_layer'],
    ['an office file with a password', 'a.docx', compoundFile('EncryptedPackage'), 'encrypted'],
    ['the same without a name', 'a', compoundFile('EncryptedPackage'), 'encrypted'],
    ['a cut Word file', 'a.docx', DOCX.subarray(0, DOCX.length - 40), 'corrupt'],
    [
      'a Word file without a document',
      'a.docx',
      zipOf({ '[Content_Types].xml': '<Types/>', 'word/styles.xml': '<x/>' }),
      'corrupt',
    ],
    [
      'a workbook without a workbook',
      'a.xlsx',
      zipOf({ '[Content_Types].xml': '<Types/>', 'xl/styles.xml': '<x/>' }),
      'corrupt',
    ],
    ['a DTD in an office file', 'a.docx', wordFile('', { 'word/document.xml': dtd }), 'corrupt'],
    ['a picture as PDF', 'a.pdf', PNG, 'not_what_its_name_says'],
    ['a PDF as Word', 'a.docx', PDF, 'not_what_its_name_says'],
    ['a Word file as workbook', 'a.xlsx', DOCX, 'not_what_its_name_says'],
    ['an old Word file as Word', 'a.docx', compoundFile('WordDocument'), 'not_what_its_name_says'],
    ['a Word file as text', 'a.txt', DOCX, 'not_what_its_name_says'],
    ['a picture as Markdown', 'a.md', PNG, 'not_what_its_name_says'],
    ['text as PDF', 'a.pdf', text('just text'), 'not_what_its_name_says'],
    ['bytes as text', 'a.txt', new Uint8Array([1, 2, 0, 0, 255, 254, 3, 0, 9]), 'not_what_its_name_says'],
    ['an old Word file', 'a.doc', compoundFile('WordDocument'), 'unsupported_type'],
    ['a picture', 'a.png', PNG, 'unsupported_type'],
    ['a picture without a name', 'image', PNG, 'unsupported_type'],
    ['rich text', 'a', text('{\\rtf1 a}'), 'unsupported_type'],
    ['a zip', 'a', zipOf({ 'a.txt': 'a' }), 'unsupported_type'],
    ['too many bytes', 'a.txt', new Uint8Array(MAX_DOCUMENT_BYTES + 1).fill(97), 'too_large'],
    [
      'an archive that says what it inflates to',
      'a.docx',
      zipWithSize('word/document.xml', zeros, 300 * 1024 * 1024),
      'zip_bomb',
    ],
    ['an archive that lies about it', 'a.docx', zipWithSize('word/document.xml', zeros, 1000), 'zip_bomb'],
    ['a bomb among the pictures', 'a.pptx', zipWithSize('ppt/media/image1.png', zeros, 1000), 'zip_bomb'],
  ])('%s: %s', async (_, name, bytes, code) => {
    await expect(parseDocument({ name, bytes })).rejects.toMatchObject({ name: 'ParseError', code });
  });

  test('a file that takes too long ends with its time, and the next file is read', async () => {
    const slow = text('[a](<b> '.repeat(200_000));
    await expect(
      parseDocument({ name: 'a.md', bytes: slow }, { timeoutMs: 50, maxHeapMegabytes: 512 }),
    ).rejects.toMatchObject({ code: 'too_large' });
    expect((await parseDocument({ name: 'a.md', bytes: text('*next*') })).text).toBe('next');
  });

  test('a file that takes too much memory ends alone', async () => {
    const large = text('*a* b\n\n'.repeat(150_000));
    await expect(
      parseDocument({ name: 'a.md', bytes: large }, { timeoutMs: 60_000, maxHeapMegabytes: 16 }),
    ).rejects.toMatchObject({ code: 'too_large' });
  });

  test('the message says what to do', async () => {
    await expect(parseDocument({ name: 'a.doc', bytes: PNG })).rejects.toThrow(/save it .* as PDF/);
  });
});

test('files are read side by side, each with its own answer', async () => {
  const texts = Array.from({ length: 20 }, (_, index) => `file ${index}`);
  const documents = await Promise.all(texts.map((source) => parseDocument({ name: 'a.txt', bytes: text(source) })));
  expect(documents.map((document) => document.text)).toEqual(texts);
});

test('bytes that are a view of a larger buffer are read alone and left as they were', async () => {
  const all = text('secret public secret');
  const view = all.subarray(7, 13);
  expect((await parseDocument({ name: 'a.txt', bytes: view })).text).toBe('public');
  expect(Buffer.from(all).toString()).toBe('secret public secret');
});
