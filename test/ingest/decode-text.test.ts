import { describe, expect, test } from 'vitest';
import { decodeText, looksLikeText } from '../../ingest/decode-text.ts';

const utf16 = (text: string, order: 'le' | 'be', mark = false): Uint8Array => {
  const bytes = Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le');
  return new Uint8Array(order === 'be' ? bytes.swap16() : bytes);
};
const bytes = (text: string, encoding: BufferEncoding = 'utf8'): Uint8Array =>
  new Uint8Array(Buffer.from(text, encoding));
const TEXT = 'Urlaub: 25 Tage für alle – naïve façade';

describe('text is decoded', () => {
  test.each([
    ['UTF-8', bytes(TEXT)],
    ['UTF-8 with a mark', bytes(`\ufeff${TEXT}`)],
    ['UTF-16 LE with a mark', utf16(TEXT, 'le', true)],
    ['UTF-16 BE with a mark', utf16(TEXT, 'be', true)],
    ['UTF-16 LE without a mark', utf16(TEXT, 'le')],
    ['UTF-16 BE without a mark', utf16(TEXT, 'be')],
    ['Windows-1252', bytes(TEXT.replace('–', '\u0096'), 'latin1')],
  ])('%s', (_, encoded) => {
    expect(decodeText(encoded)).toBe(TEXT);
    expect(looksLikeText(encoded)).toBe(true);
  });

  test('a declared charset counts in HTML and XML', () => {
    const cyrillic = Buffer.from([0xee, 0xf2, 0xef, 0xf3, 0xf1, 0xea]); // "отпуск" in Windows-1251
    const html = new Uint8Array(Buffer.concat([Buffer.from('<meta charset="windows-1251">'), cyrillic]));
    const xml = new Uint8Array(Buffer.concat([Buffer.from('<?xml version="1.0" encoding="windows-1251"?>'), cyrillic]));
    expect(decodeText(html, 'html')).toContain('отпуск');
    expect(decodeText(xml, 'xml')).toContain('отпуск');
    expect(decodeText(html)).not.toContain('отпуск');
  });

  test('a wrong declaration does not spoil UTF-8, and an unknown one is ignored', () => {
    expect(decodeText(bytes('<meta charset=iso-8859-1>für'), 'html')).toContain('für');
    expect(decodeText(bytes('<meta charset=nonsense>f\u00fcr', 'latin1'), 'html')).toContain('für');
  });

  test('one broken sequence does not turn UTF-8 into Windows-1252', () => {
    const broken = new Uint8Array(
      Buffer.concat([Buffer.from('ä'.repeat(20)), Buffer.from([0xc3]), Buffer.from(' end')]),
    );
    expect(decodeText(broken)).toBe(`${'ä'.repeat(20)}\ufffd end`);
  });
});

describe('bytes that are no text are refused', () => {
  test.each([
    ['zero bytes', new Uint8Array([65, 0, 0, 0, 66, 1, 2, 3])],
    [
      'control characters',
      new Uint8Array(Array.from({ length: 200 }, (_, index) => (index % 2 ? 0xfe : 1 + (index % 7)))),
    ],
  ])('%s', (_, encoded) => {
    expect(() => decodeText(encoded)).toThrow(expect.objectContaining({ code: 'undecodable' }));
    expect(looksLikeText(encoded)).toBe(false);
  });
});
