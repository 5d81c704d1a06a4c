import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isolated, linkLabel, marked, namesAnotherHost } from '../../adapters/shown-text.ts';

describe('a name as the text of a link', () => {
  test.each([
    ['https://accounts.google.com/login', 'https://evil.example/x', true],
    ['Sign in at accounts.google.com', 'https://evil.example/x', true],
    ['accounts。google。com', 'https://evil.example', true],
    ['acc\u200Bounts.google.com', 'https://evil.example', true],
    ['https://google.com@evil.example/', 'https://google.com@evil.example/', true],
    ['https://localhost/', 'https://evil.example', true],
    ['192.168.0.1', 'https://evil.example', true],
    ['accounts.google.com', '/documents/d1', true],
    ['https://wiki.example.com/a', 'https://wiki.example.com/b', false],
    ['example.com', 'https://docs.example.com/', false],
    ['Leave policy 2.0, e.g. Node.js', 'https://evil.example', false],
    ['leave.md', 'https://evil.example', false],
  ])('%s for %s names somewhere else: %s', (name, url, another) => {
    expect(namesAnotherHost(name, url)).toBe(another);
  });

  test('is replaced by where the link goes', () => {
    expect(linkLabel('https://evil.example/x?y')).toBe('open (evil.example)');
  });
});

describe('characters that turn the order of a text', () => {
  test('are named in a title', () => {
    expect(marked('report\u202Efdp.exe')).toBe('report[U+202E]fdp.exe');
  });

  test.each([
    ['hidden in a word', 'pass\u200Bw\u2060o\uFEFFrd', 'password'],
    ['a text in a text', 'Leave\u{E0069}\u{E0067}\u{E006E} policy', 'Leave policy'],
    ['joiners of letters and emoji stay', 'می\u200Cخواهم 👩\u200D💻', 'می\u200Cخواهم 👩\u200D💻'],
    ['where lines of Khmer break stays', 'ភាសា\u200Bខ្មែរ', 'ភាសា\u200Bខ្មែរ'],
  ])('that are not seen are left out: %s', (_what, text, shown) => {
    expect([isolated(text), marked(text)]).toEqual([shown, shown]);
  });

  test('leave a quote as it is, and what stands around it too', () => {
    const directing = fc.constantFrom('a', '\u202E', '\u202B', '\u202C', '\u2066', '\u2067', '\u2068', '\u2069', '\n');
    fc.assert(
      fc.property(fc.string({ unit: directing }), (text) => {
        const lines = isolated(text).split('\n');
        for (const [index, line] of text.split('\n').entries()) expect(lines[index]).toContain(line);
        for (const line of lines) expect(depths(line)).toMatchObject({ end: 0, onlyInside: true });
      }),
    );
  });

  test('are none in most texts, which stay the same', () => {
    expect(isolated('שלום [1] world')).toBe('שלום [1] world');
  });
});

// How deep the isolates of a line are at its end, and whether every other directing character is inside one.
function depths(line: string): { end: number; onlyInside: boolean } {
  let depth = 0;
  let onlyInside = true;
  for (const character of line) {
    if (/[\u2066-\u2068]/.test(character)) depth += 1;
    else if (character === '\u2069') depth -= 1;
    else if (/[\u202A-\u202E]/.test(character)) onlyInside &&= depth > 0;
    onlyInside &&= depth >= 0;
  }
  return { end: depth, onlyInside };
}
