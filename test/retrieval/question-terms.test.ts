import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasTellingTerms, identifiersIn, questionTerms, wordsIn } from '../../retrieval/question-terms.ts';

describe('the words of a question', () => {
  it.each([
    ['leave out the asking', 'How do I reset my password?', ['reset', 'password']],
    ['leave out politeness', 'Hi! Could you please tell me who approves travel, thanks', ['approves', 'travel']],
    ['leave out what is measured', 'How often is the boiler serviced?', ['boiler', 'serviced']],
    ['leave out the mark of a pasted question', 'Q. When can I enroll in insurance?', ['enroll', 'insurance']],
    ['keep a leading Q that is a word', 'Q fever leave', ['q', 'fever', 'leave']],
    ['count once each', 'travel policy for travel', ['travel', 'policy']],
    ['keep their apostrophes', 'What is l’équipe rouge?', ["l'équipe", 'rouge']],
    ['are all kept when nothing else is there', 'Who can do this?', ['who', 'can', 'do', 'this']],
    ['include the parts of an identifier', 'what does ERR-4021 mean', ['err', '4021', 'mean']],
    ['keep nouns that look like requests', 'who owns the mailing list', ['owns', 'mailing', 'list']],
    ['keep the country', 'US holidays', ['us', 'holidays']],
    ['are none in an empty question', '  ?! ', []],
  ])('%s', (_rule, question, words) => {
    expect(questionTerms(question).words).toEqual(words);
  });

  it('leave out every letter of a script without blanks, however rare', () => {
    const scripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar'];
    const unspaced = new RegExp(`^(?=[\\p{L}\\p{M}])[${scripts.map((each) => `\\p{scx=${each}}`).join('')}]$`, 'u');
    const all = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code));
    const letters = all.filter((character) => unspaced.test(character));
    expect(letters.length).toBeGreaterThan(90_000);
    expect(letters.filter((letter) => wordsIn(`a ${letter} b`).length > 2)).toEqual([]);
  });

  it.each([
    ['Who approves travel?', true],
    ['年假?', true],
    ['Who can do this?', false],
    ['hello', false],
    ['?!', false],
  ])('of %j tell what it is about: %s', (question, telling) => {
    expect(hasTellingTerms(question)).toBe(telling);
  });

  it('keep the question words of a document', () => {
    expect(wordsIn('Who can do this? WHO can.')).toEqual(['who', 'can', 'do', 'this', 'who', 'can']);
  });
});

describe('identifiers', () => {
  it.each([
    ['error codes', 'We saw ERR-4021, E_CONN_RESET (0x80070005).', ['err-4021', 'e_conn_reset', '0x80070005']],
    ['ticket keys', 'fixed by OPS-123.', ['ops-123']],
    ['part numbers, whole and without the variant', 'Order "AX-200/B".', ['ax-200/b', 'ax-200']],
    ['e-mail addresses', 'Write to <Ann.Lee@Example.com>.', ['ann.lee@example.com']],
    ['versions, with and without v', 'v2.14.0 and 1.2.3-rc.1', ['v2.14.0', '2.14.0', '1.2.3-rc.1']],
    ['file names', 'Edit src/config.ts; see README.md.', ['config.ts', 'readme.md']],
    [
      'hosts of URLs and what their paths name',
      'https://jira.example.com:8080/browse/OPS-7',
      ['jira.example.com', 'ops-7'],
    ],
    ['dates', 'from 2024-03-01 to 01/04/2024', ['2024-03-01', '01/04/2024']],
    ['phone numbers as digits', '+44 20 7946 0958 or (415) 555-0100', ['442079460958', '4155550100', '555-0100']],
    ['grouped numbers without commas', 'about 1,234,567 or $1,200.50', ['1234567', '1200', '1200.50']],
    ['network addresses', '10.0.0.0/8', ['10.0.0.0/8', '10.0.0.0']],
    ['mixed letters and digits', 'an H1B for Q3', ['h1b', 'q3']],
    ['languages', 'C++ or C#?', ['c++', 'c#']],
    ['keys with a typeset hyphen', 'ERR\u20114021', ['err-4021']],
    ['bigrams of Chinese', '年假政策', ['年假', '假政', '政策']],
    ['bigrams of Japanese, kana and the long vowel included', 'サーバー。行く', ['サー', 'ーバ', 'バー', '行く']],
    ['bigrams of Thai', 'ลางาน', ['ลา', 'าง', 'งา', 'าน']],
    ['a single character', '税?', ['税']],
    ['bigrams of rare characters, whole', '𠮷野家', ['𠮷野', '野家']],
  ])('are %s', (_kind, text, expected) => {
    expect(identifiersIn(text)).toEqual(expected);
  });

  it.each([
    ['ordinary words', 'The quick brown fox.'],
    ['hyphenated words', 'a follow-up by a co-founder'],
    ['alternatives', 'and/or, his/her'],
    ['abbreviations', 'e.g. this, i.e. that, in the U.S.'],
    ['plain numbers', 'in 2024 some 17'],
    ['encoded blobs', `${'a1'.repeat(100)}`],
    ['Korean, which has blanks', '연차 휴가'],
    ['nothing', ''],
  ])('are not %s', (_kind, text) => {
    expect(identifiersIn(text)).toEqual([]);
  });

  it('do not depend on case and come once each, short and in lower case', () => {
    const pieces = fc.constantFrom(...'ab1_-./:@+#, (漢', 'ERR-4', 'v1.2', 'x@y.zz', '1,000', '\u2011');
    fc.assert(
      fc.property(fc.string({ unit: pieces, maxLength: 60 }), (text) => {
        const found = identifiersIn(text);
        expect(identifiersIn(text.toUpperCase())).toEqual(found);
        expect(new Set(found).size).toBe(found.length);
        for (const identifier of found) {
          expect(identifier).toBe(identifier.toLowerCase());
          expect(identifier.length).toBeLessThanOrEqual(128);
        }
      }),
    );
  });

  // Each of these takes minutes when a pattern backtracks from every position; the runner's time-out is the assertion.
  it.each([
    ['an unfinished address', 'a@'.repeat(100_000)],
    ['punctuation inside a token', `a${'.'.repeat(200_000)}b`],
    ['punctuation only', '('.repeat(200_000)],
    ['slashes', '/1'.repeat(100_000)],
    ['digits', '1'.repeat(200_000)],
    ['the beginning of phone numbers', '+1 '.repeat(70_000)],
    ['groups of digits', '1,111'.repeat(40_000)],
    ['apostrophes', "a'".repeat(100_000)],
    ['a colon and digits', `http://${':1'.repeat(100_000)}`],
    ['one long run', '漢字'.repeat(50_000)],
  ])('are looked for in linear time in %s', (_what, text) => {
    expect(identifiersIn(text).length).toBeLessThan(text.length);
    expect(questionTerms(text).words.length).toBeLessThanOrEqual(text.length);
  });
});
