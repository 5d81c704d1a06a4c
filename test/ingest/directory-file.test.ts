// Lists of people as spreadsheets write them.
import { describe, expect, test } from 'vitest';
import { decodeText } from '../../ingest/decode-text.ts';
import { readDirectoryFile } from '../../ingest/directory-file.ts';

const HEADER = ['email', 'Name', 'role', 'groups'];
const write = (delimiter: string, groups: string, lineEnd = '\r\n') =>
  [HEADER, ['Ann@x.example', 'Ann Ö', 'manager', groups]].map((cells) => cells.join(delimiter)).join(lineEnd);

const EXPECTED = {
  people: [{ email: 'ann@x.example', name: 'Ann Ö', role: 'manager', active: true, guest: false }],
  groups: [
    { id: 'finance', name: '', members: ['ann@x.example'] },
    { id: 'leads', name: '', members: ['ann@x.example'] },
  ],
};

describe('a CSV of people', () => {
  test.each([
    ['commas', write(',', 'finance;leads')],
    ['semicolons, groups quoted', write(';', '"finance;leads"')],
    ['semicolons, groups separated by commas', write(';', 'finance,leads')],
    ['tabs', write('\t', 'finance; leads')],
    ['line feeds', write(',', 'finance;leads', '\n')],
  ])('with %s', (_, content) => {
    expect(readDirectoryFile(content)).toEqual(EXPECTED);
  });

  test.each([
    ['little-endian', '\ufeff', false],
    ['little-endian without a mark', '', false],
    ['big-endian', '\ufeff', true],
  ])('in UTF-16, %s', (_, mark, swap) => {
    const bytes = Buffer.from(mark + write('\t', 'finance;leads'), 'utf16le');
    expect(readDirectoryFile(decodeText(swap ? bytes.swap16() : bytes))).toEqual(EXPECTED);
  });

  test('of one column', () => {
    expect(readDirectoryFile('email\nbob@x.example\n').people).toMatchObject([{ email: 'bob@x.example' }]);
  });

  test('with a header that names another column says which are known', () => {
    expect(() => readDirectoryFile('email;phone\nbob@x.example;1\n')).toThrow(/must name columns of email, name, role/);
  });
});
