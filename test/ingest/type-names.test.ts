import { expect, test } from 'vitest';
import { parseDocument } from '../../ingest/parse-document.ts';
import { mediaTypeOfName } from '../../ingest/parsers/type-names.ts';

test.each([
  ['policies/leave.md', 'text/markdown'],
  ['LEAVE.HTM', 'text/html'],
  ['notes.txt', 'text/plain'],
  ['server.log', 'text/plain'],
  ['page.xml', 'text/xml'],
  ['rows.csv', 'text/csv'],
  ['handbook.pdf', 'application/pdf'],
  ['letter.docm', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['sums.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['data.ipynb', 'application/x-ipynb+json'],
  ['photo.png', ''],
  ['README', ''],
])('%s is named like %j', (name, mediaType) => {
  expect(mediaTypeOfName(name)).toBe(mediaType);
});

test('what a file is, when it is not what its name says, needs no article', async () => {
  const elf = Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, ...new Array(200).fill(0)]);
  await expect(parseDocument({ name: 'tool.md', bytes: elf })).rejects.toThrow('the content is a file of type elf');
});
