// Office files are zip archives. They are unpacked here, within a budget, before any library sees them: what a library
// gets has been counted, so a header that lies about a size or a place cannot make it inflate anything else.
import { inflateRawSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { ParseError } from '../parsed-document.ts';

const MEBIBYTE = 1024 * 1024;
/** All entries together; the largest honest office files inflate to a few dozen MiB of XML. */
const MAX_INFLATED_BYTES = 200 * MEBIBYTE;
// Office XML packs 5 to 50 times; DEFLATE's limit is 1,032. Small entries may be repetitive without harm.
const MAX_RATIO = 200;
const RATIO_COUNTS_FROM_BYTES = 4 * MEBIBYTE;
// A workbook has a few entries a sheet; more is an attack on the directory.
const MAX_ENTRIES = 20_000;

// Layout of zip records: PKWARE APPNOTE 4.3.7, 4.3.12, 4.3.16.
const END_SIGNATURE = 0x06054b50;
const END_LENGTH = 22;
const MAX_COMMENT_LENGTH = 0xffff;
const DIRECTORY_SIGNATURE = 0x02014b50;
const DIRECTORY_LENGTH = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_LENGTH = 30;
const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED_FLAG = 1;

interface Entry {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly packedBytes: number;
  readonly declaredBytes: number;
  readonly at: number;
}

/** The entries of an unpacked archive, by name. */
export type Archive = ReadonlyMap<string, Uint8Array>;

/**
 * The names of an archive's entries; nothing is unpacked.
 * @throws ParseError `corrupt`, or `zip_bomb` for too many entries
 */
export function listArchive(bytes: Uint8Array): string[] {
  return readDirectory(bytes).map((entry) => entry.name);
}

/**
 * Unpacks the entries that `wanted` names; the others are inflated, counted and dropped.
 * @throws ParseError `zip_bomb`, `encrypted` or `corrupt`
 */
export function readArchive(bytes: Uint8Array, wanted: (name: string) => boolean): Archive {
  const archive = new Map<string, Uint8Array>();
  let budget = MAX_INFLATED_BYTES;
  const entries = readDirectory(bytes);
  const declared = entries.reduce((sum, entry) => sum + entry.declaredBytes, 0);
  if (declared > MAX_INFLATED_BYTES) throw zipBomb(`it declares ${Math.round(declared / MEBIBYTE)} MiB`);
  for (const entry of entries) {
    if ((entry.flags & ENCRYPTED_FLAG) !== 0) {
      throw new ParseError('encrypted', `${entry.name} in the file is encrypted; save the file without a password`);
    }
    const content = unpack(bytes, entry, budget);
    budget -= content.length;
    if (wanted(entry.name)) {
      if (hasDocumentType(entry.name, content))
        throw corrupt(`${entry.name} declares a DTD, which office files never do`);
      archive.set(entry.name, content);
    }
  }
  return archive;
}

/** The archive as a zip file of stored entries, for libraries that unpack themselves. */
export function packArchive(archive: Archive): Buffer {
  return Buffer.from(zipSync(Object.fromEntries(archive), { level: 0 }));
}

function unpack(bytes: Uint8Array, entry: Entry, budget: number): Uint8Array {
  const view = viewOf(bytes);
  if (entry.at + LOCAL_LENGTH > bytes.length || view.getUint32(entry.at, true) !== LOCAL_SIGNATURE) {
    throw corrupt(`${entry.name} is not where the directory says`);
  }
  const from = entry.at + LOCAL_LENGTH + view.getUint16(entry.at + 26, true) + view.getUint16(entry.at + 28, true);
  const packed = bytes.subarray(from, from + entry.packedBytes);
  if (packed.length !== entry.packedBytes) throw corrupt(`${entry.name} is cut off`);
  if (entry.method === STORED) return packed;
  if (entry.method !== DEFLATED) throw corrupt(`${entry.name} is packed in an unknown way`);
  const limit = Math.min(budget, Math.max(RATIO_COUNTS_FROM_BYTES, packed.length * MAX_RATIO));
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw zipBomb(`${entry.name} inflates without end`);
    throw corrupt(`${entry.name} cannot be unpacked`, cause);
  }
}

function readDirectory(bytes: Uint8Array): Entry[] {
  const view = viewOf(bytes);
  const end = findEnd(view);
  const count = view.getUint16(end + 10, true);
  if (count > MAX_ENTRIES) throw zipBomb(`it has ${count} entries`);
  const entries: Entry[] = [];
  const names = new Set<string>();
  let at = view.getUint32(end + 16, true);
  for (let index = 0; index < count; index += 1) {
    if (at + DIRECTORY_LENGTH > bytes.length || view.getUint32(at, true) !== DIRECTORY_SIGNATURE) {
      throw corrupt('its directory is broken');
    }
    const nameLength = view.getUint16(at + 28, true);
    const name = Buffer.from(bytes.subarray(at + DIRECTORY_LENGTH, at + DIRECTORY_LENGTH + nameLength)).toString(
      'utf8',
    );
    if (names.has(name)) throw corrupt(`${name} occurs twice`);
    names.add(name);
    entries.push({
      name,
      flags: view.getUint16(at + 8, true),
      method: view.getUint16(at + 10, true),
      packedBytes: view.getUint32(at + 20, true),
      declaredBytes: view.getUint32(at + 24, true),
      at: view.getUint32(at + 42, true),
    });
    at += DIRECTORY_LENGTH + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}

function findEnd(view: DataView): number {
  const lowest = Math.max(0, view.byteLength - END_LENGTH - MAX_COMMENT_LENGTH);
  for (let at = view.byteLength - END_LENGTH; at >= lowest; at -= 1) {
    if (view.getUint32(at, true) === END_SIGNATURE) return at;
  }
  throw corrupt('its directory is missing, so it was cut off');
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

// Entities can only be declared in a DTD; without one there is nothing to expand.
function hasDocumentType(name: string, content: Uint8Array): boolean {
  if (!/\.(?:xml|rels|vml)$/i.test(name)) return false;
  const head = Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, 4096));
  return /<!DOCTYPE/i.test(head.toString('latin1').replaceAll('\0', ''));
}

function zipBomb(reason: string): ParseError {
  return new ParseError('zip_bomb', `the archive unpacks to more than any document needs: ${reason}`);
}

function corrupt(reason: string, cause?: unknown): ParseError {
  return new ParseError('corrupt', `the archive is broken: ${reason}; save the file again`, { cause });
}
