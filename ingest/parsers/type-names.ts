// The names that formats go by.
import type { DocumentType } from '../detect-type.ts';

/** The format by file extension, lower case without the dot. */
export const EXTENSION_TYPES: ReadonlyMap<string, DocumentType> = byName({
  markdown: 'md markdown mdown mkd mdx',
  text: 'txt text log',
  html: 'html htm xhtml',
  xml: 'xml',
  pdf: 'pdf',
  docx: 'docx docm dotx dotm',
  pptx: 'pptx pptm ppsx ppsm potx potm',
  xlsx: 'xlsx xlsm xltx xltm',
  csv: 'csv',
  tsv: 'tsv tab',
  json: 'json',
  jsonl: 'jsonl ndjson',
  notebook: 'ipynb',
});

/** The format of text by media type. Binary formats are known by their bytes. */
export const MEDIA_TYPES: ReadonlyMap<string, DocumentType> = byName({
  markdown: 'text/markdown text/x-markdown',
  html: 'text/html application/xhtml+xml',
  xml: 'text/xml application/xml',
  csv: 'text/csv application/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json text/json',
  jsonl: 'application/jsonl application/x-ndjson application/x-jsonlines',
  notebook: 'application/x-ipynb+json',
});

const BINARY_MEDIA_TYPES: readonly (readonly [DocumentType, string])[] = [
  ['text', 'text/plain'],
  ['pdf', 'application/pdf'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
];

// The first name of each format.
const MEDIA_TYPE_OF: ReadonlyMap<DocumentType, string> = new Map([
  ...[...MEDIA_TYPES].map(([name, type]): [DocumentType, string] => [type, name]).reverse(),
  ...BINARY_MEDIA_TYPES,
]);

/** The extension of a file name, lower case, without the dot; '' without one. */
export function fileExtension(name: string): string {
  return /\.([a-z0-9]{1,12})$/i.exec(name.trim())?.[1]?.toLowerCase() ?? '';
}

/** The media type that a file's name stands for; '' for a name that says nothing. */
export function mediaTypeOfName(name: string): string {
  const named = EXTENSION_TYPES.get(fileExtension(name));
  return (named && MEDIA_TYPE_OF.get(named)) ?? '';
}

/** Extensions that are refused before the bytes are looked at, with what to do instead. */
export const UNSUPPORTED_EXTENSIONS: ReadonlyMap<string, string> = byReason({
  'save it in the present format (DOCX, PPTX, XLSX) or as PDF':
    'doc dot xls xlt xlsb ppt pps pot wpd wps pub mpp vsd vsdx one',
  'images have no text to quote': 'png jpg jpeg gif bmp tif tiff webp svg ico heic heif avif psd eps ai',
  'audio and video have no text to quote':
    'mp3 wav m4a ogg oga flac aac opus wma mp4 mov avi mkv webm m4v wmv mpg mpeg',
  'unpack it and add the files': 'zip tar gz tgz bz2 xz 7z rar zst jar',
  'export it as PDF or DOCX': 'odt ods odp odg rtf pages numbers key epub mobi gdoc gsheet gslides',
  'export the message as text or PDF': 'msg eml mbox pst ost',
  'it is a program or its data': 'exe dll so dylib bin dmg iso msi apk wasm class pyc sqlite sqlite3 db parquet',
});

function byName(names: Partial<Record<DocumentType, string>>): Map<string, DocumentType> {
  const entries = Object.entries(names) as [DocumentType, string][];
  return new Map(
    entries.flatMap(([type, list]) => list.split(' ').map((name): [string, DocumentType] => [name, type])),
  );
}

function byReason(names: Record<string, string>): Map<string, string> {
  return new Map(
    Object.entries(names).flatMap(([reason, list]) => list.split(' ').map((name): [string, string] => [name, reason])),
  );
}
