import { describe, expect, test } from 'vitest';
import type { ParseError } from '../../ingest/parsed-document.ts';
import { parseCsv } from '../../ingest/parsers/parse-csv.ts';
import { parseJson, parseJsonLines, parseNotebook } from '../../ingest/parsers/parse-json.ts';
import { expectInvariants } from './fixtures/document-invariants.ts';

describe('delimited files', () => {
  test.each([
    [
      'commas',
      'Name,Grade,Office\nAnn,7,Oslo\nBob,,Rome',
      '- Name: Ann; Grade: 7; Office: Oslo.\n- Name: Bob; Office: Rome.',
    ],
    [
      'semicolons with decimal commas',
      'Name;Rate\nAnn;1,5\nBob;2,5',
      '- Name: Ann; Rate: 1,5.\n- Name: Bob; Rate: 2,5.',
    ],
    ['tabs', 'Name\tCity\nAnn\tOslo, NO', '- Name: Ann; City: Oslo, NO.'],
    ['pipes', 'Name|City\nAnn|Oslo', '- Name: Ann; City: Oslo.'],
    ['a declared delimiter', 'sep=;\nName;City\nAnn;Oslo', '- Name: Ann; City: Oslo.'],
    ['quoted line ends and quotes', 'Name,Note\nAnn,"a\nb ""c"""', '- Name: Ann; Note: a b "c".'],
    ['too many and too few values', 'a,b\n1\n1,2,3', '- a: 1.\n- a: 1; b: 2; 3.'],
    ['a quote that never ends', 'a,b\n"x,y\nz,w', '- a: "x; b: y.\n- a: z; b: w.'],
    ['rows without a header', 'Ann,7\nBob,8', '- Ann; 7.\n- Bob; 8.'],
    ['years as a header', 'Region,2023,2024\nNorth,1,2', '- Region: North; 2023: 1; 2024: 2.'],
    ['a header alone', 'Name,City\n', '- Name; City.'],
    ['an empty first line', '\n\nName,City\nAnn,Oslo', '- Name: Ann; City: Oslo.'],
  ])('%s', (_, csv, text) => {
    const document = parseCsv(csv);
    expect(document.text).toBe(text);
    expect(document.blocks.map((block) => block.kind)).toEqual(['list']);
    expectInvariants(document);
  });
});

describe('JSON', () => {
  test('nested values become lines with their path, objects of the top paragraphs', () => {
    const json = {
      name: 'Ann',
      tags: ['a', 'b'],
      none: null,
      address: { city: 'Oslo', zip: { code: 1 } },
      jobs: [{ at: 'X' }, { at: 'Y' }],
    };
    const { text } = parseJson(JSON.stringify(json));
    expect(text).toBe(
      'name: Ann\ntags: a, b\n\naddress.city: Oslo\naddress.zip.code: 1\n\njobs[0].at: X\n\njobs[1].at: Y',
    );
  });

  test('a list of objects has one paragraph each; JSON Lines too, under either name', () => {
    const text = 'a: 1\nb: x y\n\na: false';
    expect(parseJson('[{"a":1,"b":"x\\ny"},{"a":false}]').text).toBe(text);
    const lines = '{"a":1,"b":"x\\ny"}\n\n{"a":false}\n';
    expect(parseJsonLines(lines).text).toBe(text);
    expect(parseJson(lines).text).toBe(text);
  });

  test.each([
    ['broken JSON', () => parseJson('{"a": 1,'), 'corrupt'],
    ['a broken line', () => parseJsonLines('{"a":1}\nnope'), 'corrupt'],
    ['no words', () => parseJson('{"a": null, "": ""}'), 'empty'],
    ['null', () => parseJson('null'), 'empty'],
    ['a notebook without cells', () => parseNotebook('{}'), 'corrupt'],
    ['nesting without end', () => parseJson(`${'['.repeat(50_000)}1${']'.repeat(50_000)}`), 'corrupt'],
  ])('%s is recorded', (_, parse, code) => {
    expect(parse).toThrow(expect.objectContaining({ name: 'ParseError', code }) as ParseError);
  });

  test('a notebook has its text and its code', () => {
    const cells = [
      { cell_type: 'markdown', source: ['# Plan\n', 'some *text*'] },
      { cell_type: 'code', source: 'print(1)', outputs: [{ text: ['1'] }] },
    ];
    expect(parseNotebook(JSON.stringify({ cells })).text).toBe('# Plan\n\nsome text\n\n```\nprint(1)\n```');
  });
});
