// The package ships no types; only what read-form.ts uses.
declare module 'busboy' {
  import type { IncomingHttpHeaders } from 'node:http';
  import type { Readable, Writable } from 'node:stream';

  interface Options {
    readonly headers: IncomingHttpHeaders;
    readonly preservePath: boolean;
    readonly defParamCharset: string;
    /** Bytes of a field and of a file; counts of both and of their sum. */
    readonly limits: Readonly<Record<'fieldSize' | 'fileSize' | 'fields' | 'files' | 'parts', number>>;
  }

  interface FormParser extends Writable {
    on(
      event: 'field',
      handle: (name: string | undefined, value: string, info: { readonly valueTruncated: boolean }) => void,
    ): this;
    on(
      event: 'file',
      handle: (
        name: string | undefined,
        stream: Readable,
        info: { readonly filename: string | undefined; readonly mimeType: string },
      ) => void,
    ): this;
    on(event: 'fieldsLimit' | 'filesLimit' | 'partsLimit' | 'close', handle: () => void): this;
    on(event: 'error', handle: (error: Error) => void): this;
  }

  /** Throws an Error when the headers are those of no form. */
  function createParser(options: Options): FormParser;
  export = createParser;
}
