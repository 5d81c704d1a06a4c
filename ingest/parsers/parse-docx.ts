// Word documents: mammoth makes HTML of the body, with footnotes, lists and tables; headers are read here.
import mammoth from 'mammoth';
import { decodeText } from '../decode-text.ts';
import { paragraphBlock } from '../markdown-blocks.ts';
import { type ParsedDocument, ParseError } from '../parsed-document.ts';
import { buildDocument, type DraftBlock, hasWord } from './build-document.ts';
import { htmlToBlocks } from './html-to-blocks.ts';
import { rawText } from './markup-tree.ts';
import { allNamed, meantTitle, officeProperties, readPart } from './office-xml.ts';
import { type Archive, packArchive, readArchive } from './read-archive.ts';

// Style names are English in every language version of Word; the last ones are those of pandoc and LibreOffice.
const STYLE_MAP = [
  "p[style-name='Title'] => h1:fresh",
  "p[style-name='Subtitle'] => p:fresh",
  "p[style-name='Heading 7'] => h6:fresh",
  "p[style-name='Heading 8'] => h6:fresh",
  "p[style-name='Heading 9'] => h6:fresh",
  ...['HTML Preformatted', 'Plain Text', 'Macro Text', 'Source Code', 'Code', 'Preformatted Text'].map(
    (style) => `p[style-name='${style}'] => pre:separator('\\n')`,
  ),
];

/**
 * Reads a Word document. Deleted text of tracked changes, comments and page footers are left out; footers are a property.
 * @throws ParseError `corrupt`, `encrypted`, `zip_bomb` or `empty`
 */
export async function parseDocx(bytes: Uint8Array): Promise<ParsedDocument> {
  const archive = new Map(readArchive(bytes, (name) => /\.(?:xml|rels)$/i.test(name)));
  for (const [name, part] of archive) {
    if (/^word\/(?:document\d*|footnotes|endnotes)\.xml$/.test(name)) archive.set(name, withPlainEquations(part));
  }
  const html = await convert(packArchive(archive));
  const footer = pageParts(archive, 'footer').join('\n');
  const properties: Record<string, string> = { ...officeProperties(archive), ...(footer ? { footer } : {}) };
  const headers = pageParts(archive, 'header').map((text): DraftBlock => paragraphBlock(text));
  const blocks = [...headers, ...htmlToBlocks(html)];
  const title = blocks.some((block) => block.kind === 'heading') ? null : meantTitle(properties.title);
  return buildDocument(title ? { title, blocks, properties } : { blocks, properties });
}

async function convert(file: Buffer): Promise<string> {
  try {
    const result = await mammoth.convertToHtml(
      { buffer: file },
      {
        styleMap: STYLE_MAP,
        includeEmbeddedStyleMap: false,
        // Pictures are not read; what is kept of them is their description.
        convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      },
    );
    return result.value;
  } catch (cause) {
    throw new ParseError('corrupt', 'the Word document cannot be read; open it in Word and save it again', { cause });
  }
}

// The texts of the page headers or footers, each once: a page number alone is none.
function pageParts(archive: Archive, kind: 'header' | 'footer'): string[] {
  const names = [...archive.keys()].filter((name) => new RegExp(`^word/${kind}\\d*\\.xml$`).test(name)).sort();
  const texts = names.map((name) => {
    const part = readPart(archive, name);
    const paragraphs = part ? allNamed(part, 'p').filter((paragraph) => allNamed(paragraph, 'p').length === 0) : [];
    return paragraphs
      .map(runText)
      .filter((text) => text !== '')
      .join('\n');
  });
  return [...new Set(texts)].filter((text) => hasWord(text.replace(/\b(?:page|seite|of|von)\b|\d+/gi, '')));
}

function runText(paragraph: Parameters<typeof allNamed>[0]): string {
  return allNamed(paragraph, 't').map(rawText).join('').trim();
}

// mammoth leaves out equations. Their letters and numbers, in order, are better than a gap in the sentence.
function withPlainEquations(part: Uint8Array): Uint8Array {
  const xml = decodeText(part, 'xml');
  if (!xml.includes('<m:oMath')) return part;
  const plain = xml
    .replace(/<m:oMathParaPr>.*?<\/m:oMathParaPr>|<\/?m:oMathPara>/gs, '')
    .replace(/<\/m:oMath>\s*(?=<m:oMath[\s>])/g, '<m:t> </m:t>$&')
    .replace(/<m:oMath(?:\s[^>]*)?>(.*?)<\/m:oMath>/gs, (_, body: string) => {
      const text = Array.from(inLine(body).matchAll(/<m:t(?:\s[^>]*)?>([^<]*)<\/m:t>/g), (match) => match[1]).join('');
      return `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
    });
  return new TextEncoder().encode(plain.replace(/^(<\?xml[^>]*encoding=["'])[^"']*/, '$1UTF-8'));
}

// The shape of a formula in one line: a fraction read without its bar would be another number.
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/<\/m:num>/g, '/'],
  [/<\/m:fName>/g, ' '],
  [/<m:sup>/g, '^'],
  [/<m:sub>/g, '_'],
];

function inLine(body: string): string {
  return SHAPES.reduce((xml, [place, sign]) => xml.replace(place, `<m:t>${sign}</m:t>`), body);
}
