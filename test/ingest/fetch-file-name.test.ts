import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileNameOf } from '../../ingest/fetch-file-name.ts';

describe('fileNameOf', () => {
  it.each([
    ['https://docs.example.com/a/leave.pdf', null, 'leave.pdf'],
    ['https://docs.example.com/a/leave%20policy.pdf?x=1', null, 'leave policy.pdf'],
    ['https://docs.example.com/a/..%2f..%2fetc%2fpasswd', null, 'passwd'],
    ['https://docs.example.com/', null, 'docs.example.com'],
    ['https://docs.example.com/%E0%A4%A', null, '%E0%A4%A'],
    ['https://docs.example.com/download', 'attachment; filename="leave policy.docx"', 'leave policy.docx'],
    ['https://docs.example.com/download', 'attachment; filename=leave.docx; size=3', 'leave.docx'],
    [
      'https://docs.example.com/download',
      'attachment; filename="x.txt"; filename*=UTF-8\'\'Urlaub%20%C3%BC.pdf',
      'Urlaub ü.pdf',
    ],
    ['https://docs.example.com/download', 'attachment; filename="..\\\\..\\\\boot.ini"', 'boot.ini'],
    ['https://docs.example.com/download', 'attachment; filename="../../.bashrc"', 'bashrc'],
    ['https://docs.example.com/download', 'attachment; filename="/"', 'download'],
    ['https://docs.example.com/download', 'inline', 'download'],
    [`https://docs.example.com/${'a'.repeat(300)}.pdf`, null, `${'a'.repeat(76)}.pdf`],
  ])('%s with %s is called %s', (url, header, expected) => {
    expect(fileNameOf(new URL(url), header, 'application/pdf')).toBe(expected);
  });

  it('calls a page without a name index.html', () => {
    expect(fileNameOf(new URL('https://docs.example.com/a/'), null, 'text/html')).toBe('index.html');
  });

  it('never gives a path, an empty name or a control character', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), fc.string({ unit: 'binary' }), (url, text) => {
        for (const header of [text, `attachment; filename="${text}"`, `attachment; filename*=utf-8''${text}`]) {
          expect(fileNameOf(new URL(url), header, 'text/plain')).toMatch(/^[^./\\\p{C}][^/\\\p{C}]{0,79}$/u);
        }
      }),
    );
  });
});
