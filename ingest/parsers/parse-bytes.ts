// One file to one document, in this thread. Callers in the product go through `parse-document.ts`, which bounds it.
import { decodeText } from '../decode-text.ts';
import { detectType, type FileInput } from '../detect-type.ts';
import { type ParsedDocument, ParseError } from '../parsed-document.ts';
import { fileExtension } from './type-names.ts';

/**
 * Reads a file of any supported format.
 * @throws ParseError
 */
export async function parseBytes(input: FileInput): Promise<ParsedDocument> {
  const type = await detectType(input);
  try {
    return await parseAs(type, input);
  } catch (cause) {
    // A library that fails in a way nobody foresaw fails on this file only.
    if (cause instanceof ParseError) throw cause;
    throw new ParseError('corrupt', `the ${type} file cannot be read; save or export it again`, { cause });
  }
}

// The libraries of the binary formats take up to half a second to load, so each is loaded with its first file.
async function parseAs(type: Awaited<ReturnType<typeof detectType>>, input: FileInput): Promise<ParsedDocument> {
  const { bytes } = input;
  switch (type) {
    case 'pdf':
      return (await import('./parse-pdf.ts')).parsePdf(bytes);
    case 'docx':
      return (await import('./parse-docx.ts')).parseDocx(bytes);
    case 'pptx':
      return (await import('./parse-pptx.ts')).parsePptx(bytes);
    case 'xlsx':
      return (await import('./parse-xlsx.ts')).parseXlsx(bytes);
    case 'html':
      return (await import('./parse-html.ts')).parseHtml(decodeText(bytes, 'html'));
    case 'xml':
      return (await import('./parse-html.ts')).parseXml(decodeText(bytes, 'xml'));
    case 'csv':
      return (await import('./parse-csv.ts')).parseCsv(decodeText(bytes));
    case 'tsv':
      return (await import('./parse-csv.ts')).parseCsv(decodeText(bytes), '\t');
    case 'json':
      return (await import('./parse-json.ts')).parseJson(decodeText(bytes));
    case 'jsonl':
      return (await import('./parse-json.ts')).parseJsonLines(decodeText(bytes));
    case 'notebook':
      return (await import('./parse-json.ts')).parseNotebook(decodeText(bytes));
    case 'text':
      return (await import('./parse-text.ts')).parseText(decodeText(bytes));
    case 'markdown':
      return (await import('./parse-markdown.ts')).parseMarkdown(decodeText(bytes), {
        mdx: fileExtension(input.name) === 'mdx',
      });
  }
}
