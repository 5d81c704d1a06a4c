// Which parser reads a file: its name says, its bytes must agree; without a known name, the media type and the bytes say.
import { fileTypeFromBuffer } from 'file-type';
import { looksLikeText } from './decode-text.ts';
import { ParseError } from './parsed-document.ts';
import { listArchive } from './parsers/read-archive.ts';
import { sniffText } from './parsers/sniff-text.ts';
import { EXTENSION_TYPES, fileExtension, MEDIA_TYPES, UNSUPPORTED_EXTENSIONS } from './parsers/type-names.ts';

/** The formats that have a parser. */
export type DocumentType =
  | 'markdown'
  | 'text'
  | 'html'
  | 'xml'
  | 'pdf'
  | 'docx'
  | 'pptx'
  | 'xlsx'
  | 'csv'
  | 'tsv'
  | 'json'
  | 'jsonl'
  | 'notebook';

/** A file as it arrives. `name` may be a path or a URL's last part; `mediaType` may have parameters. */
export interface FileInput {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly mediaType?: string;
}

/** What the bytes are, whatever the name says. */
type Content = { kind: DocumentType & ('pdf' | 'docx' | 'pptx' | 'xlsx') } | { kind: 'text' } | OtherContent;
type OtherContent = { kind: 'ole' | 'known' | 'unknown'; what: string };

/**
 * The format of a file.
 * @throws ParseError `unsupported_type`, `not_what_its_name_says`, `encrypted` or `corrupt`
 */
export async function detectType(input: FileInput): Promise<DocumentType> {
  const extension = fileExtension(input.name);
  const unsupported = UNSUPPORTED_EXTENSIONS.get(extension);
  if (unsupported) throw new ParseError('unsupported_type', `.${extension} files are not read: ${unsupported}`);
  const named = EXTENSION_TYPES.get(extension);
  const content = await contentOf(input.bytes);
  if (named) return checkName(named, extension, content);
  if (content.kind === 'text') {
    return MEDIA_TYPES.get(mediaTypeEssence(input.mediaType)) ?? sniffText(input.bytes);
  }
  if (isOther(content)) throw unsupportedContent(content);
  return content.kind;
}

function mediaTypeEssence(mediaType = ''): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}

function isOther(content: Content): content is OtherContent {
  return content.kind === 'ole' || content.kind === 'known' || content.kind === 'unknown';
}

function checkName(named: DocumentType, extension: string, content: Content): DocumentType {
  if (named === content.kind) return named;
  const isBinaryFormat = ['pdf', 'docx', 'pptx', 'xlsx'].includes(named);
  if (!isBinaryFormat && content.kind === 'text') return named;
  if (content.kind === 'ole' && isBinaryFormat && content.what === ENCRYPTED_OFFICE) throw encryptedOffice();
  // A PDF whose first bytes are damaged may still be readable; its parser decides.
  if (named === 'pdf' && content.kind === 'unknown') return 'pdf';
  const what = isOther(content)
    ? content.what
    : content.kind === 'text'
      ? 'plain text'
      : `a file of type ${content.kind}`;
  throw new ParseError(
    'not_what_its_name_says',
    `the name ends in .${extension}, but the content is ${what}; rename the file or export it again`,
  );
}

function unsupportedContent(content: OtherContent): ParseError {
  if (content.kind === 'ole' && content.what === ENCRYPTED_OFFICE) return encryptedOffice();
  return new ParseError('unsupported_type', `no parser reads ${content.what}; export it as PDF, DOCX or Markdown`);
}

function encryptedOffice(): ParseError {
  return new ParseError('encrypted', 'the office file is protected with a password; save it without one');
}

const ENCRYPTED_OFFICE = 'an office file protected with a password';
const OLE_MAGIC = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const ZIP_MAGIC = [0x50, 0x4b, 0x03, 0x04];
// The name of the stream that holds an encrypted OOXML package (MS-OFFCRYPTO 2.3.4.4), in UTF-16LE as OLE stores it.
const ENCRYPTED_PACKAGE = Buffer.from('EncryptedPackage', 'utf16le');
// Where readers look for the header of a PDF (Adobe's implementation note 13 on PDF 1.4).
const PDF_HEADER_WITHIN = 1024;

async function contentOf(bytes: Uint8Array): Promise<Content> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isText = looksLikeText(bytes);
  const pdfAt = buffer.subarray(0, PDF_HEADER_WITHIN).indexOf('%PDF-');
  if (pdfAt === 0 || (pdfAt > 0 && (!isText || buffer.includes('\nendobj')))) return { kind: 'pdf' };
  if (startsWith(bytes, OLE_MAGIC)) {
    return { kind: 'ole', what: buffer.includes(ENCRYPTED_PACKAGE) ? ENCRYPTED_OFFICE : 'an old office or mail file' };
  }
  if (startsWith(bytes, ZIP_MAGIC)) return zipContent(bytes);
  if (buffer.subarray(0, 5).toString('latin1') === '{\\rtf') return { kind: 'known', what: 'a rich text (RTF) file' };
  if (isText) return { kind: 'text' };
  const known = await fileTypeFromBuffer(bytes);
  return known ? { kind: 'known', what: `a file of type ${known.ext}` } : { kind: 'unknown', what: 'binary data' };
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((value, index) => bytes[index] === value);
}

function zipContent(bytes: Uint8Array): Content {
  const names = listArchive(bytes);
  if (names.includes('[Content_Types].xml')) {
    if (names.some((name) => name.startsWith('word/'))) return { kind: 'docx' };
    if (names.some((name) => name.startsWith('ppt/'))) return { kind: 'pptx' };
    if (names.some((name) => name.startsWith('xl/'))) return { kind: 'xlsx' };
  }
  return { kind: 'known', what: 'a zip archive' };
}
