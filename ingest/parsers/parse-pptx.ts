// Presentations: each slide is a page under its title, then its text, tables, charts' numbers and notes.
import { headingBlock, listBlock, paragraphBlock, tableBlock } from '../markdown-blocks.ts';
import { type ParsedDocument, ParseError } from '../parsed-document.ts';
import { buildDocument, type DraftBlock, hasWord } from './build-document.ts';
import { chartBlocks } from './chart-blocks.ts';
import { isElement, type MarkupElement, rawText } from './markup-tree.ts';
import {
  allNamed,
  childrenNamed,
  localName,
  meantTitle,
  officeProperties,
  type Relationship,
  readPart,
  relationshipsOf,
  requirePart,
} from './office-xml.ts';
import { type Archive, readArchive } from './read-archive.ts';

const PRESENTATION = 'ppt/presentation.xml';

/**
 * Reads a presentation in the order of its slides; hidden slides are left out.
 * @throws ParseError `corrupt`, `encrypted`, `zip_bomb` or `empty`
 */
export function parsePptx(bytes: Uint8Array): ParsedDocument {
  const archive = readArchive(bytes, (name) => /\.(?:xml|rels)$/i.test(name));
  const blocks = slideNames(archive).flatMap((name, index) => slideBlocks(archive, name, index + 1));
  if (!blocks.some((block) => hasWord(block.text) && !/^## Slide \d+$/.test(block.text))) {
    throw new ParseError('empty', 'the presentation has no words; nothing can be quoted from it');
  }
  const properties = officeProperties(archive);
  const title = meantTitle(properties.title);
  return buildDocument(title ? { title, blocks, properties } : { blocks, properties });
}

function slideNames(archive: Archive): string[] {
  const byId = new Map(
    relationshipsOf(archive, PRESENTATION).map((relationship) => [relationship.id, relationship.target]),
  );
  return allNamed(requirePart(archive, PRESENTATION), 'sldId').flatMap(
    (slide) => byId.get(slide.attributes['r:id'] ?? '') ?? [],
  );
}

function slideBlocks(archive: Archive, name: string, number: number): DraftBlock[] {
  const slide = readPart(archive, name);
  if (!slide || allNamed(slide, 'sld')[0]?.attributes.show === '0') return [];
  const relationships = relationshipsOf(archive, name);
  const shapes = allNamed(slide, 'spTree').flatMap(shapesOf);
  const title = shapes.find(isTitle);
  const heading = title
    ? paragraphs(title)
        .map((line) => line.text)
        .join(' ')
        .trim()
    : '';
  // A slide without a title would fall under the title of the slide before it.
  const first = { ...headingBlock(2, heading || `Slide ${number}`), pageStarts: [{ number, at: 0 }] };
  const body = shapes.filter((shape) => shape !== title).flatMap((shape) => shapeBlocks(archive, shape, relationships));
  return [first, ...body, ...notesBlocks(archive, relationships)];
}

// Shapes in the order of the file, which is that of reading aloud; groups are opened.
function shapesOf(tree: MarkupElement): MarkupElement[] {
  return tree.children.flatMap((child) => {
    if (!isElement(child)) return [];
    const name = localName(child);
    if (name === 'grpSp') return shapesOf(child);
    // A shape that newer programs draw differently has a choice for them and a fallback with the same words.
    if (name === 'AlternateContent') return childrenNamed(child, 'Choice').slice(0, 1).flatMap(shapesOf);
    return ['sp', 'graphicFrame', 'pic'].includes(name) ? [child] : [];
  });
}

function placeholderType(shape: MarkupElement): string | null {
  const [placeholder] = allNamed(shape, 'ph');
  return placeholder ? (placeholder.attributes.type ?? 'body') : null;
}

function isTitle(shape: MarkupElement): boolean {
  return ['title', 'ctrTitle'].includes(placeholderType(shape) ?? '');
}

// Page furniture that the layout repeats on each slide.
const FURNITURE = ['dt', 'ftr', 'sldNum', 'hdr', 'sldImg'];

function shapeBlocks(archive: Archive, shape: MarkupElement, relationships: readonly Relationship[]): DraftBlock[] {
  const type = placeholderType(shape);
  if (type && FURNITURE.includes(type)) return [];
  if (localName(shape) === 'pic') return [paragraphBlock(pictureDescription(shape))];
  if (localName(shape) === 'graphicFrame') return frameBlocks(archive, shape, relationships);
  const lines = paragraphs(shape);
  // The lines of a body placeholder are its points; those of a text box are text.
  return type === null || type === 'subTitle' ? lines.map((line) => paragraphBlock(line.text)) : pointBlocks(lines);
}

// A file name or "Picture 3" is what programs write when nobody described the picture.
function pictureDescription(shape: MarkupElement): string {
  const description = allNamed(shape, 'cNvPr')[0]?.attributes.descr ?? '';
  return /^(?:\S+\.\w{3,4}|(?:picture|image|grafik|bild) \d+)$/i.test(description.trim()) ? '' : description;
}

interface Line {
  readonly text: string;
  /** Depth of the point, 0 at the margin. */
  readonly level: number;
}

function paragraphs(shape: MarkupElement): Line[] {
  return allNamed(shape, 'p')
    .map((paragraph) => ({
      text: lineText(paragraph).trim(),
      level: Number(childrenNamed(paragraph, 'pPr')[0]?.attributes.lvl ?? 0) || 0,
    }))
    .filter((line) => line.text !== '');
}

function lineText(paragraph: MarkupElement): string {
  return paragraph.children
    .map((child) => {
      if (!isElement(child)) return '';
      if (localName(child) === 'br') return '\n';
      return allNamed(child, 't').map(rawText).join('');
    })
    .join('');
}

function pointBlocks(lines: readonly Line[]): DraftBlock[] {
  const [only] = lines;
  if (lines.length === 1 && only) return [paragraphBlock(only.text)];
  const text = lines.map(
    (line) => `${'  '.repeat(line.level)}${listBlock([{ text: line.text.replace(/\s*\n\s*/g, ' ') }]).text}`,
  );
  return text.length > 0 ? [{ kind: 'list', text: text.join('\n') }] : [];
}

function frameBlocks(archive: Archive, frame: MarkupElement, relationships: readonly Relationship[]): DraftBlock[] {
  const tables = allNamed(frame, 'tbl').map((table) => tableBlock(tableRows(table)));
  if (tables.length > 0) return tables;
  const target = (id: string | undefined): string | undefined =>
    relationships.find((related) => related.id === id)?.target;
  const [chart] = allNamed(frame, 'chart');
  const chartPart = chart && readPart(archive, target(chart.attributes['r:id']) ?? '');
  if (chartPart) return chartBlocks(chartPart);
  // A diagram (SmartArt) keeps its words in a part of its own.
  const [diagram] = allNamed(frame, 'relIds');
  const data = diagram && readPart(archive, target(diagram.attributes['r:dm']) ?? '');
  return data
    ? [listBlock(allNamed(data, 'pt').flatMap((point) => paragraphs(point).map(({ text }) => ({ text }))))]
    : [];
}

function tableRows(table: MarkupElement): string[][] {
  return childrenNamed(table, 'tr').map((row) =>
    childrenNamed(row, 'tc').map((cell) =>
      paragraphs(cell)
        .map((line) => line.text)
        .join(' '),
    ),
  );
}

function notesBlocks(archive: Archive, relationships: readonly Relationship[]): DraftBlock[] {
  const notes = relationships.find((relationship) => relationship.type === 'notesSlide');
  const part = notes && readPart(archive, notes.target);
  if (!part) return [];
  const shapes = allNamed(part, 'spTree').flatMap(shapesOf);
  const lines = shapes.filter((shape) => placeholderType(shape) === 'body').flatMap(paragraphs);
  return lines.map((line, index) => paragraphBlock(index === 0 ? `Notes: ${line.text}` : line.text));
}
