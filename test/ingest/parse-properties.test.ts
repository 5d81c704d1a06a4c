// Any input gives a document that keeps its promises, or a recorded failure; never another error.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ParsedDocument, ParseError } from '../../ingest/parsed-document.ts';
import { parseBytes } from '../../ingest/parsers/parse-bytes.ts';
import { parseCsv } from '../../ingest/parsers/parse-csv.ts';
import { parseHtml } from '../../ingest/parsers/parse-html.ts';
import { parseJson, parseJsonLines } from '../../ingest/parsers/parse-json.ts';
import { parseMarkdown } from '../../ingest/parsers/parse-markdown.ts';
import { parseText } from '../../ingest/parsers/parse-text.ts';
import { expectInvariants } from './fixtures/document-invariants.ts';

const MARKS = [
  '# ',
  '- ',
  '1. ',
  '> ',
  '```',
  '|',
  '---',
  '\n',
  '\n\n',
  '    ',
  '*',
  '_',
  '`',
  '[',
  ']',
  '(',
  ')',
  '<',
  '>',
  '<p>',
  '</td>',
  '<ul><li>',
  '[^1]',
  '[^1]: ',
  '&amp;',
  '\\',
  ',',
  ';',
  '\t',
  '"',
  '{',
  '}',
  ':',
  '{% ',
  ' %}',
  '\u00a0',
  '\u0000',
  '\ud800',
  '\ufeff',
  'a',
  'ä',
  '漢',
  '🤷',
];
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.array(fc.constantFrom(...MARKS), { maxLength: 80 }).map((parts) => parts.join('')),
);

function expectDocumentOrFailure(parse: () => ParsedDocument): void {
  let document: ParsedDocument;
  try {
    document = parse();
  } catch (error) {
    expect(error).toBeInstanceOf(ParseError);
    return;
  }
  expectInvariants(document);
}

describe('any text', () => {
  test.each<[string, (text: string) => ParsedDocument]>([
    ['Markdown', parseMarkdown],
    ['plain text', parseText],
    ['CSV', parseCsv],
    ['JSON', parseJson],
    ['JSON Lines', parseJsonLines],
    ['HTML', parseHtml],
  ])('as %s', (_, parse) => {
    fc.assert(
      fc.property(anyText, (text) => expectDocumentOrFailure(() => parse(text))),
      { numRuns: 400 },
    );
  });

  test('as JSON that is valid', () => {
    fc.assert(
      fc.property(fc.json(), (text) => expectDocumentOrFailure(() => parseJson(text))),
      { numRuns: 400 },
    );
  });
});

test('any bytes under any name', async () => {
  const name = fc.constantFrom(
    'a.md',
    'a.txt',
    'a.html',
    'a.csv',
    'a.json',
    'a.pdf',
    'a.docx',
    'a.xlsx',
    'a.pptx',
    'a.xml',
    'a',
    'a.bin',
  );
  const magic = fc.constantFrom<number[]>(
    [],
    [0x25, 0x50, 0x44, 0x46, 0x2d],
    [0x50, 0x4b, 3, 4],
    [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
    [0xff, 0xfe],
  );
  await fc.assert(
    fc.asyncProperty(name, magic, fc.uint8Array({ maxLength: 200 }), async (fileName, head, tail) => {
      const result = await parseBytes({ bytes: new Uint8Array([...head, ...tail]), name: fileName }).catch(
        (error: unknown) => error,
      );
      if (!(result instanceof ParseError)) expectInvariants(result as ParsedDocument);
    }),
    { numRuns: 300 },
  );
});
