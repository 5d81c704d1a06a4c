// PDF files with a text layer.
import { getDocumentProxy, getResolvedPDFJS } from 'unpdf';
import { paragraphBlock } from '../markdown-blocks.ts';
import { type ParsedDocument, ParseError } from '../parsed-document.ts';
import { buildDocument, cleanText, hasWord } from './build-document.ts';
import { meantTitle } from './office-xml.ts';
import { dropFurniture } from './pdf-furniture.ts';
import { headingLevels, type OutlineEntry } from './pdf-headings.ts';
import { knownWords } from './pdf-join.ts';
import { joinLines, type PdfLine, type TextPiece } from './pdf-lines.ts';
import { joinColumns, splitColumns } from './pdf-pages.ts';
import { pageBlocks } from './pdf-paragraphs.ts';
import { numberedSections } from './pdf-sections.ts';
import { type ContentItem, type StructureNode, taggedPieces } from './pdf-tags.ts';

type Pdf = Awaited<ReturnType<typeof getDocumentProxy>>;

/**
 * Reads a PDF: its text in paragraphs, with pages; filled form fields and free text annotations stand at the end of their page.
 * @throws ParseError `no_text_layer`, `encrypted` or `corrupt`
 */
export async function parsePdf(bytes: Uint8Array): Promise<ParsedDocument> {
  const pdf = await open(bytes);
  try {
    const pages = await readPages(pdf);
    const lines = dropFurniture(pages.map((page) => page.lines));
    await assertTextLayer(pdf, [...lines.flat().map((line) => line.text), ...pages.flatMap((page) => page.additions)]);
    const levelOf = headingLevels(lines.flat(), await readOutline(pdf));
    const words = knownWords(lines.flat().map((line) => line.text));
    const columns = pages.flatMap((page, index) => [
      ...splitColumns(lines[index] ?? []).map((column) => ({
        page: index + 1,
        blocks: pageBlocks(column, levelOf, words),
      })),
      { page: index + 1, blocks: page.additions.map((text) => paragraphBlock(text)) },
    ]);
    const properties = await readProperties(pdf);
    const title = meantTitle(properties.title);
    const joined = numberedSections(joinColumns(columns, words));
    return buildDocument(title ? { title, blocks: joined, properties } : { blocks: joined, properties });
  } finally {
    await pdf.destroy();
  }
}

async function open(bytes: Uint8Array): Promise<Pdf> {
  const { VerbosityLevel } = await getResolvedPDFJS();
  try {
    // A copy, because the library takes the buffer away.
    return await getDocumentProxy(bytes.slice(), { verbosity: VerbosityLevel.ERRORS });
  } catch (cause) {
    if (cause instanceof Error && cause.name === 'PasswordException') {
      throw new ParseError('encrypted', 'the PDF is protected with a password; save it without one', { cause });
    }
    throw corrupt(cause);
  }
}

function corrupt(cause: unknown): ParseError {
  return new ParseError('corrupt', 'the PDF cannot be read; print it to a new PDF', { cause });
}

interface PageText {
  readonly lines: readonly PdfLine[];
  /** Texts that people put on the page: form fields and annotations. */
  readonly additions: readonly string[];
}

// A page that cannot be read costs that page; when none can, the file is broken.
async function readPages(pdf: Pdf): Promise<PageText[]> {
  const pages: PageText[] = [];
  let failure: unknown;
  let failed = 0;
  for (let number = 1; number <= pdf.numPages; number += 1) {
    try {
      pages.push(await readPage(pdf, number));
    } catch (cause) {
      pages.push({ lines: [], additions: [] });
      failure = cause;
      failed += 1;
    }
  }
  if (failed === pdf.numPages) throw corrupt(failure);
  return pages;
}

async function readPage(pdf: Pdf, number: number): Promise<PageText> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent({ includeMarkedContent: true });
  // A broken structure tree costs the tags of the page.
  const tree = (await page.getStructTree().catch(() => null)) as StructureNode | null;
  const pieces = taggedPieces(items as ContentItem[], tree).map(cleanPiece);
  const lines = joinLines(pieces, number).filter((line) => line.text !== '');
  const additions = (await page.getAnnotations()).flatMap(annotationText);
  page.cleanup();
  return { lines, additions };
}

// A soft hyphen at the end of a piece may be needed to join a word; all else that is unreadable goes.
function cleanPiece(piece: TextPiece): TextPiece {
  const str = cleanText(piece.str).replaceAll('\n', ' ') + (piece.str.endsWith('\u00ad') ? '\u00ad' : '');
  return { ...piece, str };
}

interface Annotation {
  readonly subtype?: string;
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly fieldName?: string;
  readonly alternativeText?: string;
  readonly contentsObj?: { readonly str?: string };
  readonly hidden?: boolean;
  readonly password?: boolean;
}

function annotationText(annotation: Annotation): string[] {
  if (annotation.hidden || annotation.password) return [];
  if (annotation.subtype === 'FreeText') return [annotation.contentsObj?.str ?? ''].filter(hasWord);
  const { fieldType, fieldValue } = annotation;
  if (annotation.subtype !== 'Widget' || (fieldType !== 'Tx' && fieldType !== 'Ch')) return [];
  const value = Array.isArray(fieldValue) ? fieldValue.join(', ') : typeof fieldValue === 'string' ? fieldValue : '';
  const label = annotation.alternativeText || annotation.fieldName || '';
  return hasWord(value) ? [label ? `${label}: ${value}` : value] : [];
}

// Of the visible characters; a font without a map to Unicode gives private-use characters or replacement marks.
const MAX_UNMAPPED_SHARE = 0.5;

async function assertTextLayer(pdf: Pdf, texts: readonly string[]): Promise<void> {
  const text = texts.join(' ');
  const visible = text.match(/\S/gu)?.length ?? 0;
  const unmapped = text.match(/[\p{Co}\ufffd]/gu)?.length ?? 0;
  if (hasWord(text) && unmapped <= visible * MAX_UNMAPPED_SHARE) return;
  if (visible === 0 && (await isBlank(pdf))) throw new ParseError('empty', 'the PDF has only blank pages');
  throw new ParseError(
    'no_text_layer',
    'the PDF holds pictures of text, not text; run text recognition (OCR) on it first',
  );
}

// Whether nothing is drawn on the first pages. Looking at more would cost time and say the same.
async function isBlank(pdf: Pdf): Promise<boolean> {
  for (let number = 1; number <= Math.min(pdf.numPages, 3); number += 1) {
    const operators = await (await pdf.getPage(number)).getOperatorList();
    if (operators.fnArray.length > 0) return false;
  }
  return true;
}

async function readOutline(pdf: Pdf): Promise<OutlineEntry[]> {
  type Node = { title: string; items: Node[] };
  const entries: OutlineEntry[] = [];
  const visit = (nodes: readonly Node[], depth: number): void => {
    for (const node of nodes) {
      entries.push({ title: node.title, depth });
      if (depth < 6) visit(node.items, depth + 1);
    }
  };
  // A broken outline costs its entries.
  visit(((await pdf.getOutline().catch(() => null)) ?? []) as Node[], 1);
  return entries;
}

async function readProperties(pdf: Pdf): Promise<Record<string, string>> {
  const metadata = await pdf.getMetadata().catch(() => null);
  const info = (metadata?.info ?? {}) as Record<string, unknown>;
  const properties: [string, string][] = [];
  for (const [from, to] of [
    ['Title', 'title'],
    ['Author', 'author'],
    ['Subject', 'subject'],
    ['Keywords', 'keywords'],
  ] as const) {
    if (typeof info[from] === 'string') properties.push([to, info[from]]);
  }
  for (const [from, to] of [
    ['CreationDate', 'created'],
    ['ModDate', 'modified'],
  ] as const) {
    const date = /^(?:D:)?(\d{4})(\d\d)?(\d\d)?/.exec(typeof info[from] === 'string' ? info[from] : '');
    if (date) properties.push([to, `${date[1]}-${date[2] ?? '01'}-${date[3] ?? '01'}`]);
  }
  for (const [name, value] of Object.entries((info.Custom ?? {}) as Record<string, unknown>)) {
    if (typeof value === 'string') properties.push([`custom.${name}`, value]);
  }
  return Object.fromEntries(properties);
}
