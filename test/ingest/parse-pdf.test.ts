import { describe, expect, test } from 'vitest';
import { parsePdf } from '../../ingest/parsers/parse-pdf.ts';
import { joinText, knownWords } from '../../ingest/parsers/pdf-join.ts';
import { taggedPieces } from '../../ingest/parsers/pdf-tags.ts';
import { expectInvariants } from './fixtures/document-invariants.ts';
import { type PdfText, pdfFile } from './fixtures/pdf-files.ts';

/** Lines below each other, the first at `y`. */
function lines(y: number, texts: readonly string[], more: Partial<PdfText> = {}): PdfText[] {
  return texts.map((text, index) => ({ text, y: y - 14 * index, ...more }));
}

const PROSE = [
  'Every employee takes twenty-five days of leave in a calendar year, and the man-',
  'ager agrees the days with the team before they are booked in the system. What',
  'is left at the end of the year is carried over.',
];

describe('PDF', () => {
  test('lines become paragraphs, larger lines headings, bullets lists', async () => {
    const document = await parsePdf(
      pdfFile([
        [
          { text: 'Leave policy', y: 780, size: 20 },
          { text: 'Annual leave', y: 740, size: 15 },
          ...lines(710, PROSE),
          ...lines(650, ['The rules in short:']),
          ...lines(630, [
            '- Ask first.',
            '- Book the days in the system of the people team and wait for an',
            '   answer.',
          ]),
          ...lines(570, ['1. First step', '2. Second step']),
        ],
      ]),
    );
    expect(document.text).toBe(
      '# Leave policy\n\n## Annual leave\n\n' +
        'Every employee takes twenty-five days of leave in a calendar year, and the manager agrees the days with the team before they are booked in the system. What is left at the end of the year is carried over.\n\n' +
        'The rules in short:\n\n- Ask first.\n- Book the days in the system of the people team and wait for an answer.\n\n1. First step\n2. Second step',
    );
    expect(document.title).toBe('Leave policy');
    expectInvariants(document);
  });

  test('running headers, footers and page numbers are dropped; pages are known; a sentence over a page is one paragraph', async () => {
    const bodies = [
      ['This sentence begins on the first page of the document and goes on with the'],
      ['second page, where it ends.'],
      ['Third page.'],
      ['Fourth page.'],
    ];
    const pages = bodies.map((body, index) => [
      { text: 'ACME Leave Policy', y: 810 },
      ...lines(700, body),
      { text: `Page ${index + 1} of 4`, y: 30 },
    ]);
    const document = await parsePdf(pdfFile(pages));
    expect(document.text).toBe(
      'This sentence begins on the first page of the document and goes on with the second page, where it ends.\n\nThird page.\n\nFourth page.',
    );
    expect(document.pages.map((page) => document.text.slice(page.start, page.start + 11))).toEqual([
      'This senten',
      'second page',
      'Third page.',
      'Fourth page',
    ]);
    expectInvariants(document);
  });

  test('rows whose parts stand in the same columns become a table', async () => {
    const rows = [
      ['Grade', 'Days', 'Notice'],
      ['A', '20', 'two weeks'],
      ['B', '25', 'a month'],
    ];
    const texts = rows.flatMap((row, index) =>
      row.map((text, column) => ({ text, x: 72 + 120 * column, y: 700 - 16 * index })),
    );
    const document = await parsePdf(pdfFile([[...texts, ...lines(600, PROSE)]]));
    expect(document.text).toMatch(
      /^\| Grade \| Days \| Notice \|\n\| --- \| --- \| --- \|\n\| A \| 20 \| two weeks \|\n\| B \| 25 \| a month \|\n\nEvery/,
    );
  });

  test.each([
    ['a page with a drawing only', pdfFile([[]], { drawing: '0 0 100 100 re f' }), 'no_text_layer'],
    ['a blank page', pdfFile([[]]), 'empty'],
    ['garbage behind a header', new Uint8Array(Buffer.from(`%PDF-1.4\n${'x'.repeat(500)}`)), 'corrupt'],
    [
      'a password',
      pdfFile([[{ text: 'secret', y: 700 }]], {
        trailer: `/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'11'.repeat(32)}> /U <${'22'.repeat(32)}> >>`,
      }),
      'encrypted',
    ],
  ])('%s is recorded', async (_, bytes, code) => {
    await expect(parsePdf(bytes)).rejects.toMatchObject({ name: 'ParseError', code });
  });
});

describe('the end of a line', () => {
  const words = knownWords(['a long-term plan', 'the manager said', 'some code, some review ']);
  test.each([
    ['the man-', 'ager said', 'the manager said'],
    ['a long-', 'term plan', 'a long-term plan'],
    ['code-', 'review tool', 'code-review tool'],
    ['a docu-', 'ment', 'a document'],
    ['the EU-', 'US deal', 'the EU-US deal'],
    ['漏電遮断', '機構', '漏電遮断機構'],
    ['one', 'two', 'one two'],
  ])('%s + %s', (before, after, joined) => {
    expect(joinText(before, after, words)).toBe(joined);
  });
});

describe('tags', () => {
  const text = (str: string): object => ({ str, transform: [1, 0, 0, 1, 0, 0], width: 10, dir: 'ltr' });
  test('furniture is left out, and text knows its heading and its cell', () => {
    const tree = {
      role: 'Root',
      children: [
        { role: 'H2', children: [{ type: 'content', id: 'h' }] },
        {
          role: 'Table',
          children: [{ role: 'TR', children: [{ role: 'TD', children: [{ type: 'content', id: 'c' }] }] }],
        },
      ],
    };
    const marked = (id: string | null, tag: string, str: string): object[] => [
      { type: 'beginMarkedContentProps', id, tag },
      text(str),
      { type: 'endMarkedContent' },
    ];
    const pieces = taggedPieces(
      [...marked(null, 'Artifact', 'Page 1'), ...marked('h', 'H2', 'Leave'), ...marked('c', 'TD', '25')],
      tree,
    );
    expect(pieces.map((piece) => [piece.str, piece.tag])).toEqual([
      ['Leave', { heading: 2 }],
      ['25', { cell: { table: 1, row: 1, column: 0 } }],
    ]);
  });
});
