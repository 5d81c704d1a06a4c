import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_SENTENCE_CHARS, splitSentences } from '../../retrieval/sentences.ts';

const sentences = (text: string): string[] => splitSentences(text).map(({ start, end }) => text.slice(start, end));

describe('splitSentences in prose', () => {
  it.each<[string, string[]]>([
    ['titles and initials', ['Dr. Smith met J. R. Tolkien.', 'He left.']],
    [
      'dotted abbreviations',
      ['We met at the U.S. Embassy at 5 p.m. on Monday, e.g. for tea.', 'She left the U.S.', 'It rained.'],
    ],
    ['numbered references', ['See No. 5 and Fig. 3.', 'The answer is no.', 'We left.']],
    [
      'versions, decimals, URLs and file names',
      ['Use v1.2.3 or 2.5 from https://a.io/x.html?y=1.', 'Open notes.txt.', 'Done!'],
    ],
    ['companies', ['Acme Inc. Board members met.', 'It was bought by Acme Inc.', 'The price was low.']],
    ['quotes and brackets after the full stop', ['He said “Yes.”', '(All good.)', '"Go!" and she went.', 'End.']],
    ['footnote numbers', ['It was cold.[12]', 'They left.']],
    ['ellipses', ['Wait… and go.', 'Wait... then go.', 'So...', 'Then it ended.']],
    ['several marks', ['What?!', 'No!!!', 'Yes.']],
    ['etc.', ['Pens, paper etc. are free.', 'Pens, paper, etc.', 'Ask for more.']],
    ['numbers that begin a sentence', ['1. Open it.', '2. Close it.']],
    ['German', ['Am 3. März kam Dr. Müller z. B. mit Nr. 5.', '„Ja.“', 'Er ging bzw. fuhr.']],
    ['text that is all lower case', ['the debt fell by $ 5.2 million.', 'a credit of 3 hrs. was given.']],
  ])('keeps %s together', (_name, expected) => {
    expect(sentences(expected.join(' '))).toEqual(expected);
  });

  it.each<[string, string, string[]]>([
    [
      'Japanese',
      '日本語。これは文です！次？「はい。」と言った。終わり',
      ['日本語。', 'これは文です！', '次？', '「はい。」と言った。', '終わり'],
    ],
    ['Chinese with fullwidth decimals', '价格是３．５元。很贵。', ['价格是３．５元。', '很贵。']],
    ['Arabic', 'ما هذا؟ هذا كتاب. نعم.', ['ما هذا؟', 'هذا كتاب.', 'نعم.']],
    ['Hindi', 'पहला वाक्य। दूसरा।', ['पहला वाक्य।', 'दूसरा।']],
    ['Urdu', 'یہ ہے۔ وہ ہے۔', ['یہ ہے۔', 'وہ ہے۔']],
    ['Armenian', 'Սա է։ Նա է։', ['Սա է։', 'Նա է։']],
  ])('knows the full stops of %s', (_name, text, expected) => {
    expect(sentences(text)).toEqual(expected);
  });

  it('does not end a sentence that has no word yet', () => {
    expect(sentences('. . . one. Two.')).toEqual(['. . . one.', 'Two.']);
  });
});

describe('splitSentences at lines', () => {
  it.each<[string, string, string[]]>([
    [
      'does not split at a hard line wrap',
      'A line that\nis wrapped. And\r\nanother.',
      ['A line that\nis wrapped.', 'And\r\nanother.'],
    ],
    [
      'splits at a blank line, whatever stands before it',
      'No full stop\n\nNext\r\n \t\r\nlast',
      ['No full stop', 'Next', 'last'],
    ],
    [
      'splits list items',
      'Steps:\n1. Open\n   the box. Look.\n2) Close\n- x\n* y\n• z',
      ['Steps:', '1. Open\n   the box.', 'Look.', '2) Close', '- x', '* y', '• z'],
    ],
    ['splits headings from what follows', 'Before\n# Head. Line\nafter', ['Before', '# Head. Line', 'after']],
    [
      'gives each table row alone',
      '| a. B | c |\n|---|---|\n| d | e |\na | b | c\ntext',
      ['| a. B | c |', '|---|---|', '| d | e |', 'a | b | c', 'text'],
    ],
    ['does not take one pipe for a table', 'Run ls | wc\nto count.', ['Run ls | wc\nto count.']],
    [
      'does not take an initial on a wrapped line for a list',
      'The author is J.\nR. Tolkien.',
      ['The author is J.\nR. Tolkien.'],
    ],
    [
      'keeps a quotation together',
      'He said:\n> one\n> two. Three\nand on',
      ['He said:', '> one\n> two.', 'Three\nand on'],
    ],
    ['gives rules alone', 'a\n---\nb\n* * *\nc', ['a', '---', 'b', '* * *', 'c']],
    [
      'splits fenced code at blank lines only',
      'Do:\n```js\na. B\n- c\n\nd\n```\nDone. Good.',
      ['Do:', '```js\na. B\n- c', 'd\n```', 'Done.', 'Good.'],
    ],
    [
      'ends code only at a fence of its own kind',
      '````\n```\n~~~\n````\nA. B is.',
      ['````\n```\n~~~\n````', 'A. B is.'],
    ],
    [
      'reads on as prose after a fence that is never closed',
      'x = 1\n```\nOne is. Two are.',
      ['x = 1\n```\nOne is.', 'Two are.'],
    ],
  ])('%s', (_name, text, expected) => {
    expect(sentences(text)).toEqual(expected);
  });
});

describe('splitSentences on any text', () => {
  const pieces = [
    ...[
      'a',
      'Word',
      'e.g.',
      '5',
      ' ',
      '  ',
      '. ',
      '.',
      '! ',
      '…',
      '"',
      '(',
      ')',
      '[1]',
      '。',
      '」',
      '؟ ',
      '\u200d',
      '\u0301',
    ],
    ...[
      '\n',
      '\r\n',
      '\n\n',
      '\n- ',
      '\n1. ',
      '\n# ',
      '\n| ',
      '\n```\n',
      '\n~~~\n',
      '\n> ',
      '\u2028',
      '\ufeff',
      '\u00a0',
    ],
    ...['👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '𝒳', '\ud83d', 'שלום', 'مرحبا', '漢字', '각', 'x'.repeat(700), '漢'.repeat(700)],
    ...['👩‍👩‍👧‍👦'.repeat(120), `e${'\u0301'.repeat(1200)}`, ' '.repeat(1100)],
  ];
  const oddText = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''));

  it('gives ascending, trimmed, not empty spans that cover everything but white space', () => {
    fc.assert(
      fc.property(fc.oneof(oddText, fc.string({ unit: 'binary' })), (text) => {
        let at = 0;
        for (const { start, end } of splitSentences(text)) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(text.slice(at, start).trim()).toBe('');
          expect(end).toBeGreaterThan(start);
          expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
          at = end;
        }
        expect(text.slice(at).trim()).toBe('');
      }),
      { numRuns: 500 },
    );
  });

  it('cuts between graphemes only', () => {
    const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    fc.assert(
      fc.property(oddText, (text) => {
        const ends = new Set([...graphemes.segment(text)].map(({ index, segment }) => index + segment.length));
        for (const { end } of splitSentences(text)) expect(ends.has(end) || /^\s/.test(text.slice(end))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['words', 'word '.repeat(900)],
    ['no white space', 'a'.repeat(3500)],
    ['emoji', '👩‍👩‍👧‍👦'.repeat(500)],
    ['code', `\`\`\`\n${'line of code\n'.repeat(300)}\`\`\``],
    ['a table row', `| ${'cell '.repeat(600)} |`],
  ])('caps a unit of %s', (_name, text) => {
    const lengths = splitSentences(text).map(({ start, end }) => end - start);
    expect(lengths.length).toBeGreaterThan(1);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(MAX_SENTENCE_CHARS);
  });

  it.each([
    ['prose', 'The quick brown fox, e.g. this one, jumps over v1.2 of the dog. It is here. '.repeat(60_000)],
    ['marks without words', '! '.repeat(200_000)],
    ['one word', 'a'.repeat(2_000_000)],
    ['lines without full stops', '- item\n'.repeat(300_000)],
    ['fences that nothing closes', '```\n~~~~\n'.repeat(50_000)],
    ['spaces', `a${' '.repeat(2_000_000)}b`],
  ])('is linear in a large text of %s', (_name, text) => {
    expect(splitSentences(text).length).toBeGreaterThan(0);
  });
});
