// Forms with a file. Fields are taken by their plain names: what others read as nesting, such as `a[90000000]`, is a name that
// is not known, and ends the form before anything is made of it.
import type { Readable } from 'node:stream';
import createParser from 'busboy';
import type { Request } from 'express';
import type { UploadedFile } from './call.ts';
import { SCHEMAS, type Schema } from './openapi-schemas.ts';
import { ProblemError } from './problem.ts';

/** A form: its fields by name, those that are lists in the API as lists, and the file with its name under `file`. */
export interface SentForm {
  readonly body: Readonly<Record<string, unknown>>;
  readonly file: UploadedFile;
}

const MAX_FILE_BYTES = 50 * 2 ** 20; // the largest document that ingest reads
const MAX_FIELDS = 300; // two lists of principals and the rest
const MAX_FIELD_BYTES = 16 * 2 ** 10;
const MAX_FORM_BYTES = MAX_FILE_BYTES + MAX_FIELDS * MAX_FIELD_BYTES;
const FILE = 'file';

type FieldKind = 'file' | 'list' | 'text';

const FIELDS: ReadonlyMap<string, FieldKind> = new Map(
  Object.entries(SCHEMAS.NewDocumentFile?.properties as Readonly<Record<string, Schema>>).map(([name, { type }]) => [
    name,
    name === FILE ? 'file' : type === 'array' ? 'list' : 'text',
  ]),
);

/** Reads the form of a new document. @throws ProblemError at the first thing that is wrong with it. */
export async function readForm(request: Request): Promise<SentForm> {
  if (Number(request.get('content-length') ?? 0) > MAX_FORM_BYTES) throw tooLarge();
  const { fields, file } = await parse(request);
  if (!file) throw wrong(FILE, 'is missing: send the document as a file with a name');
  return { body: { ...Object.fromEntries(fields), [FILE]: file.name }, file };
}

interface Parts {
  readonly fields: Map<string, string | string[]>;
  file: UploadedFile | null;
}

function parse(request: Request): Promise<Parts> {
  const parts: Parts = { fields: new Map(), file: null };
  return new Promise((resolve, reject) => {
    const parser = openParser(request);
    const fail = (problem: ProblemError) => {
      request.unpipe(parser);
      // What is still on its way is read by the server and thrown away.
      request.resume();
      // Not at once: the parser is in the midst of a chunk, and ends the process when its stream is gone after that.
      setImmediate(() => parser.destroy());
      reject(problem);
    };
    const check = (run: () => void) => {
      try {
        run();
      } catch (error) {
        fail(error as ProblemError);
      }
    };
    parser.on('field', (name, value, { valueTruncated }) =>
      check(() => addField(parts, name, valueTruncated ? null : value)),
    );
    parser.on('file', (name, stream, { filename, mimeType }) => {
      // A parser that is given up ends its streams with an error.
      stream.on('error', () => undefined);
      check(() => {
        const fileName = fileNameOf(name, filename);
        readFile(stream, (bytes) => {
          if (bytes === null) fail(tooLarge());
          else parts.file = { name: fileName, mediaType: mimeType, bytes };
        });
      });
    });
    const tooMany = () => fail(broken(`it has more than ${MAX_FIELDS} fields or more than one file`));
    parser.on('fieldsLimit', tooMany).on('filesLimit', tooMany).on('partsLimit', tooMany);
    parser.on('error', () => fail(broken('it is broken or cut off')));
    parser.on('close', () => resolve(parts));
    request.once('aborted', () => fail(broken('it is broken or cut off')));
    request.pipe(parser);
  });
}

function openParser(request: Request): ReturnType<typeof createParser> {
  try {
    return createParser({
      headers: request.headers,
      // The whole name as it was sent, so that a path is refused and not cut.
      preservePath: true,
      defParamCharset: 'utf8',
      limits: {
        fieldSize: MAX_FIELD_BYTES + 1,
        fileSize: MAX_FILE_BYTES + 1,
        fields: MAX_FIELDS,
        files: 1,
        // One more than are taken: reaching the number is reported, not passing it.
        parts: MAX_FIELDS + 2,
      },
    });
  } catch {
    throw broken('its Content-Type has no boundary');
  }
}

function addField({ fields }: Parts, name: string | undefined, value: string | null): void {
  const kind = FIELDS.get(name ?? '');
  if (name === undefined || kind === undefined) throw unknownField();
  if (kind === 'file') throw wrong(name, 'must be a file with a name, not a text');
  if (value === null) throw wrong(name, `is longer than ${MAX_FIELD_BYTES / 2 ** 10} KiB`);
  refuseBadText(name, value);
  const before = fields.get(name);
  if (kind === 'list') fields.set(name, [...(before ?? []), value]);
  else if (before === undefined) fields.set(name, value);
  else throw wrong(name, 'is given more than once');
}

function fileNameOf(field: string | undefined, name: string | undefined): string {
  if (field === undefined || !FIELDS.has(field)) throw unknownField();
  if (field !== FILE) throw wrong(field, 'must be a text, not a file');
  if (name === undefined) throw wrong(FILE, 'has no file name; send a plain name such as handbook.pdf');
  refuseBadText(FILE, name);
  const isPath = /[\\/]/.test(name) || /^\.{1,2}$/.test(name);
  if (name.trim() === '' || name.length > 200 || isPath || /\p{C}/u.test(name)) {
    throw wrong(
      FILE,
      'must have a plain name such as handbook.pdf, without a path and control characters, 200 at most',
    );
  }
  return name;
}

/** Gives the file's bytes when it is whole, null as soon as it is too large. */
function readFile(stream: Readable, done: (bytes: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.once('limit', () => done(null));
  stream.once('end', () => done(Buffer.concat(chunks)));
}

// The parser puts U+FFFD where the bytes were no UTF-8.
function refuseBadText(name: string, text: string): void {
  if (text.includes('\uFFFD')) throw wrong(name, 'is not valid UTF-8');
}

function wrong(name: string, message: string): ProblemError {
  return new ProblemError('invalid_request', `the form cannot be used: "${name}" ${message}`, {
    faults: [{ at: `/${name}`, message }],
  });
}

// Without the name: it may be of any length, or markup for whoever shows the message.
function unknownField(): ProblemError {
  const known = [...FIELDS.keys()].join(', ');
  return new ProblemError('invalid_request', `the form has a field that is not known; there are ${known}`, {
    faults: [{ at: '', message: `has a field that is not known; there are ${known}, each by its plain name` }],
  });
}

function broken(reason: string): ProblemError {
  return new ProblemError('invalid_request', `the form cannot be read: ${reason}`);
}

function tooLarge(): ProblemError {
  return new ProblemError('too_large', `the file is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB; split it`);
}
