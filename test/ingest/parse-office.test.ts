import { describe, expect, test } from 'vitest';
import { parseDocx } from '../../ingest/parsers/parse-docx.ts';
import { parsePptx } from '../../ingest/parsers/parse-pptx.ts';
import { parseXlsx } from '../../ingest/parsers/parse-xlsx.ts';
import { expectInvariants } from './fixtures/document-invariants.ts';
import {
  slideFile,
  slideShape,
  slideTable,
  wordFile,
  wordHeader,
  wordParagraph,
  workbookFile,
} from './fixtures/office-files.ts';

const CORE =
  '<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>Leave policy</dc:title><dc:creator>HR</dc:creator><dcterms:modified>2025-01-31T10:00:00Z</dcterms:modified></cp:coreProperties>';

describe('Word', () => {
  test('headings, tables, footnotes, headers and properties', async () => {
    const cell = (text: string): string => `<w:tc>${wordParagraph(text)}</w:tc>`;
    const body =
      wordParagraph('Leave', 'Heading1') +
      `<w:p><w:r><w:t>Take 20 days</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>` +
      wordParagraph('Rates', 'Heading2') +
      `<w:tbl><w:tr>${cell('Grade')}${cell('Days')}</w:tr><w:tr>${cell('A|B')}${cell('25')}</w:tr></w:tbl>`;
    const document = await parseDocx(
      wordFile(body, {
        'word/header1.xml': wordHeader('Confidential'),
        'word/footer1.xml': wordHeader('Page 3 of 9'),
        'docProps/core.xml': CORE,
      }),
    );
    expect(document.text).toBe(
      'Confidential\n\n# Leave\n\nTake 20 days[^1]\n\n## Rates\n\n| Grade | Days |\n| --- | --- |\n| A\\|B | 25 |\n\n[^1]: Counted in calendar days.',
    );
    expect(document.title).toBe('Leave');
    expect(document.properties).toEqual({ title: 'Leave policy', creator: 'HR', modified: '2025-01-31T10:00:00Z' });
    expectInvariants(document);
  });

  test('deleted text of tracked changes is gone, inserted text is there', async () => {
    const body = `<w:p><w:r><w:t>Take </w:t></w:r><w:del><w:r><w:delText>20</w:delText></w:r></w:del><w:ins><w:r><w:t>25</w:t></w:r></w:ins><w:r><w:t> days</w:t></w:r></w:p>`;
    expect((await parseDocx(wordFile(body))).text).toBe('Take 25 days');
  });

  test('equations stay in their sentence, fractions with their bar', async () => {
    const run = (text: string): string => `<m:r><m:t>${text}</m:t></m:r>`;
    const fraction = `<m:f><m:num>${run('1')}</m:num><m:den>${run('2')}</m:den></m:f>`;
    const body = `<w:p><w:r><w:t xml:space="preserve">Use </w:t></w:r><m:oMath>${run('x=')}${fraction}</m:oMath><w:r><w:t>.</w:t></w:r></w:p>`;
    expect((await parseDocx(wordFile(body))).text).toBe('Use x=1/2.');
  });

  test('text that looks like markup comes through', async () => {
    expect((await parseDocx(wordFile(wordParagraph('use &lt;b&gt; and *this*')))).text).toBe('use <b> and *this*');
  });
});

describe('PowerPoint', () => {
  test('slides are pages under their titles, with points, tables and notes', () => {
    const document = parsePptx(
      slideFile([
        {
          shapes:
            slideShape('title', ['Leave']) +
            slideShape('body', ['Annual', '\t25 days', 'Sick']) +
            slideShape('sldNum', ['1']),
          notes: 'Say this slowly.',
        },
        {
          shapes:
            slideTable([
              ['Grade', 'Days'],
              ['A', '25'],
            ]) + slideShape(null, ['A text box']),
        },
      ]),
    );
    expect(document.text).toBe(
      '## Leave\n\n- Annual\n  - 25 days\n- Sick\n\nNotes: Say this slowly.\n\n## Slide 2\n\n| Grade | Days |\n| --- | --- |\n| A | 25 |\n\nA text box',
    );
    expect(document.pages).toEqual([
      { number: 1, start: 0 },
      { number: 2, start: document.text.indexOf('## Slide 2') },
    ]);
    expect(document.title).toBe('Leave');
    expectInvariants(document);
  });

  test('slides without words are an empty document', () => {
    expect(() => parsePptx(slideFile([{ shapes: '' }]))).toThrow(expect.objectContaining({ code: 'empty' }));
  });
});

describe('Excel', () => {
  test('rows carry the names of their columns; sheets are headings and pages; hidden sheets are left out', async () => {
    const bytes = await workbookFile((workbook) => {
      const people = workbook.addWorksheet('People');
      people.addRows([
        ['Name', 'Grade', 'Start', 'Share'],
        ['Ann', 7, new Date(Date.UTC(2024, 0, 31)), 0.25],
        ['Bob\nJr', 0.1 + 0.2, null, 0.5],
      ]);
      people.getColumn(4).numFmt = '0.0%';
      people.addRow([]);
      people.addRow(['Notes on the table']);
      workbook.addWorksheet('Secret', { state: 'hidden' }).addRow(['hidden words', 1]);
      const formulas = workbook.addWorksheet('Formulas');
      formulas.addRows([
        ['Item', 'Value'],
        ['Sum', { formula: '1+1', result: 2 }],
        ['Link', { text: 'page', hyperlink: 'https://x.y' }],
        ['Rich', { richText: [{ text: 'a' }, { text: 'b' }] }],
      ]);
      formulas.mergeCells('A6:B6');
      formulas.getCell('A6').value = 'merged';
    });
    const document = await parseXlsx(bytes);
    expect(document.text).toBe(
      '## People\n\n- Name: Ann; Grade: 7; Start: 2024-01-31; Share: 25.0%.\n- Name: Bob Jr; Grade: 0.3; Share: 50.0%.\n\nNotes on the table\n\n' +
        '## Formulas\n\n- Item: Sum; Value: 2.\n- Item: Link; Value: page.\n- Item: Rich; Value: ab.\n\nmerged',
    );
    expect(document.pages.map((page) => page.number)).toEqual([1, 2]);
    expect(document.title).toBeNull();
    expectInvariants(document);
  });

  test('a title line above a table is not its header', async () => {
    const bytes = await workbookFile((workbook) => {
      workbook.addWorksheet('S').addRows([['Rates 2024'], ['Grade', 'Days'], ['A', 25]]);
    });
    expect((await parseXlsx(bytes)).text).toBe('## S\n\nRates 2024\n\n- Grade: A; Days: 25.');
  });
});
