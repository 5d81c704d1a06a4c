import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkDocument } from '../../ingest/chunk-document.ts';
import type { Block, ParsedDocument } from '../../ingest/parsed-document.ts';

type Part = readonly [kind: Block['kind'], text: string];

/** A document of the given blocks, one blank line between them; a heading's level is its number of `#`. */
function documentOf(parts: readonly Part[], options: { separator?: string; pageStarts?: readonly number[] } = {}) {
  const separator = options.separator ?? '\n\n';
  let text = '';
  const blocks: Block[] = parts.map(([kind, part]) => {
    const start = text === '' ? 0 : text.length + separator.length;
    text += (text === '' ? '' : separator) + part;
    const level = /^#*/.exec(part)?.[0].length || 1;
    return kind === 'heading'
      ? { kind, start, end: text.length, level, heading: part.slice(level).trim() }
      : { kind, start, end: text.length };
  });
  const pages = (options.pageStarts ?? []).map((part, index) => ({
    number: index + 1,
    start: blocks[part]?.start ?? 0,
  }));
  return { title: null, text, blocks, pages, properties: {} } satisfies ParsedDocument;
}

const textsOf = (document: ParsedDocument, options?: Parameters<typeof chunkDocument>[1]): string[] =>
  chunkDocument(document, options).map(({ start, end }) => document.text.slice(start, end));

const numbered = (count: number, from = 1): string =>
  Array.from({ length: count }, (_, index) => `Sentence number ${from + index}.`).join(' ');

describe('chunkDocument', () => {
  it('makes windows of some sentences, the last of which opens the next window', () => {
    const texts = textsOf(documentOf([['paragraph', numbered(12)]]), { sentences: 5 });
    expect(texts).toEqual([numbered(5), numbered(5, 5), numbered(4, 9)]);
  });

  it('takes a short rest into the last window instead of repeating that window', () => {
    expect(textsOf(documentOf([['paragraph', numbered(6)]]), { sentences: 5 })).toEqual([numbered(6)]);
  });

  it('joins short paragraphs of a section into one window', () => {
    expect(
      textsOf(
        documentOf([
          ['paragraph', 'One.'],
          ['paragraph', 'Two.'],
        ]),
      ),
    ).toEqual(['One.\n\nTwo.']);
  });

  it('never goes over a heading, however short the sections are, and keeps headings in the path', () => {
    const document = documentOf([
      ['paragraph', 'Before.'],
      ['heading', '# Guide'],
      ['paragraph', 'Intro.'],
      ['heading', '## Setup'],
      ['heading', '### Linux'],
      ['paragraph', 'Install it.'],
      ['heading', '## Use'],
      ['paragraph', 'Use it.'],
    ]);
    expect(
      chunkDocument(document).map((chunk) => [document.text.slice(chunk.start, chunk.end), chunk.headingPath]),
    ).toEqual([
      ['Before.', []],
      ['Intro.', ['Guide']],
      ['Install it.', ['Guide', 'Setup', 'Linux']],
      ['Use it.', ['Guide', 'Use']],
    ]);
  });

  it('makes a chunk of headings with nothing below them, so that they can be found', () => {
    const document = documentOf([
      ['heading', '# Closed days'],
      ['heading', '## 24 December'],
      ['heading', '## 1 January'],
      ['heading', '## Others'],
      ['paragraph', 'None.'],
      ['heading', '# Office'],
    ]);
    expect(
      chunkDocument(document).map((chunk) => [document.text.slice(chunk.start, chunk.end), chunk.headingPath]),
    ).toEqual([
      ['## 24 December\n\n## 1 January', ['Closed days']],
      ['None.', ['Closed days', 'Others']],
      ['# Office', []],
    ]);
  });

  it.each<[string, Part]>([
    ['list', ['list', Array.from({ length: 30 }, (_, index) => `- Item ${index} of it. Note.`).join('\n')]],
    ['table', ['table', `| a | b |\n|---|---|\n${'| one | two |\n'.repeat(40)}`.trim()]],
    ['code', ['code', `\`\`\`\n${'call(); // it. And\n\n'.repeat(40)}\`\`\``]],
  ])('keeps a %s whole where it fits, with the sentence that introduces it', (_kind, part) => {
    const document = documentOf([
      ['paragraph', `${'words '.repeat(150)}end. The following holds:`],
      part,
      ['paragraph', 'End.'],
    ]);
    const holding = textsOf(document).filter((text) => text.includes(part[1]));
    expect(holding).toHaveLength(1);
    expect(holding[0]).toMatch(/^The following holds:/);
  });

  it('groups a few rows of a large table, each row in one chunk', () => {
    const rows = Array.from({ length: 200 }, (_, index) => `| part ${index} | ${'x'.repeat(60)}. Y |`);
    const texts = textsOf(documentOf([['table', `| part | description |\n|---|---|\n${rows.join('\n')}`]]));
    for (const row of rows) expect(texts.filter((text) => text.includes(row))).toHaveLength(1);
    for (const text of texts) expect(text.length).toBeLessThanOrEqual(720);
    expect(texts[1]?.split('\n').length).toBeGreaterThan(5);
  });

  it('groups the lines of a large list without cutting an item', () => {
    const items = Array.from({ length: 100 }, (_, index) => `- Name: P${index}; Note: first. Second.\n  Third.`);
    const texts = textsOf(documentOf([['list', items.join('\n')]]));
    for (const item of items) expect(texts.filter((text) => text.includes(item))).toHaveLength(1);
    for (const text of texts) expect(text).toMatch(/^- Name/);
  });

  it('cuts long code at its blank lines', () => {
    const group = `${'const a = 1;\n'.repeat(20)}`;
    const texts = textsOf(documentOf([['code', `\`\`\`js\n${`${group}\n`.repeat(20)}\`\`\``]]));
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts.slice(1, -1)) expect(text.split('\n').length % 21).toBe(20);
  });

  it('gives the page on which a chunk begins, and goes over no page', () => {
    const document = documentOf(
      [
        ['paragraph', 'A.'],
        ['paragraph', 'B.'],
        ['paragraph', 'C.'],
      ],
      { pageStarts: [0, 2] },
    );
    expect(chunkDocument(document).map(({ start, end, page }) => [document.text.slice(start, end), page])).toEqual([
      ['A.\n\nB.', 1],
      ['C.', 2],
    ]);
    expect(chunkDocument(documentOf([['paragraph', 'A.']]))[0]?.page).toBeNull();
  });

  it('lets a sentence that runs over the end of a page count to the page where it begins', () => {
    const document = {
      ...documentOf([['paragraph', 'One is. Two goes on. Three.']]),
      pages: [
        { number: 4, start: 0 },
        { number: 5, start: 12 },
      ],
    };
    expect(chunkDocument(document).map(({ start, end, page }) => [document.text.slice(start, end), page])).toEqual([
      ['One is. Two goes on.', 4],
      ['Three.', 5],
    ]);
  });

  it('gives the text under the nearest heading as section', () => {
    const document = documentOf([
      ['heading', '# A'],
      ['paragraph', numbered(30)],
      ['heading', '# B'],
      ['paragraph', 'Other.'],
    ]);
    const sections = chunkDocument(document).map(({ section }) => document.text.slice(section.start, section.end));
    expect(new Set(sections)).toEqual(new Set([numbered(30), 'Other.']));
  });

  it('bounds the section of a long text around the chunk, at sentences', () => {
    const document = documentOf([['paragraph', numbered(2000)]]);
    const chunks = chunkDocument(document, { sectionChars: 3000 });
    for (const { section } of chunks) {
      const text = document.text.slice(section.start, section.end);
      expect(text).toMatch(/^Sentence .*\.$/);
      expect(text.length).toBeLessThanOrEqual(3000);
      expect(text.length).toBeGreaterThan(2900);
    }
  });

  it('loses no text that a parser left outside of its blocks', () => {
    const document = { ...documentOf([['paragraph', 'Inside.']]), text: 'Inside. Outside.' };
    expect(textsOf(document).join(' ')).toContain('Outside.');
  });

  it('gives nothing for a document without text', () => {
    expect(chunkDocument(documentOf([]))).toEqual([]);
  });
});

describe('chunkDocument on any document', () => {
  const fragments = [
    ...[
      'Word ',
      'a sentence. ',
      'Ends! ',
      '. ',
      '\n',
      '\r\n',
      '\n- ',
      '\n| a | b |\n',
      '\n```\n',
      '\n\n',
      '\u00a0',
      '\u200d',
      '\u0301',
    ],
    ...[
      '👩‍👩‍👧‍👦',
      '🇩🇪',
      '👍🏽',
      '𝒳',
      'שלום עולם. ',
      'مرحبا؟ ',
      '漢字。',
      '각',
      'x'.repeat(900),
      '漢'.repeat(800),
      '👩‍👩‍👧‍👦'.repeat(150),
    ],
    ...[' '.repeat(900), 'Sentence here. '.repeat(40), '# not a heading ', `e${'\u0301'.repeat(1100)}`],
  ];
  const body = fc.array(fc.constantFrom(...fragments), { minLength: 1, maxLength: 12 }).map((parts) => parts.join(''));
  const kind = fc.constantFrom<Block['kind']>('paragraph', 'list', 'table', 'code');
  const heading = fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.constantFrom('Title', '標題', '👍🏽', 'a b'))
    .map(([level, words]): Part => ['heading', `${'#'.repeat(level)} ${words}`]);
  const part = fc.oneof({ weight: 3, arbitrary: fc.tuple(kind, body) }, { weight: 2, arbitrary: heading });
  const anyDocument = fc
    .tuple(
      fc.array(part, { maxLength: 12 }),
      fc.constantFrom('\n\n', '\r\n\r\n'),
      fc.array(fc.nat(11), { maxLength: 4 }),
    )
    .map(([parts, separator, starts]) =>
      documentOf(parts, {
        separator,
        pageStarts: [...new Set(starts)].filter((at) => at < parts.length).sort((a, b) => a - b),
      }),
    );

  it('gives ascending, trimmed, not empty chunks in range, each in its section, on its page, under its headings', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const { text, blocks, pages } = document;
        let previous = { start: -1, end: 0 };
        for (const { start, end, section, page, headingPath } of chunkDocument(document)) {
          expect(start).toBeGreaterThan(previous.start);
          expect(end).toBeGreaterThan(previous.end);
          expect(end).toBeLessThanOrEqual(text.length);
          const chunk = text.slice(start, end);
          expect(chunk).toBe(chunk.trim());
          expect(chunk).not.toBe('');
          expect([section.start <= start, section.end >= end]).toEqual([true, true]);
          expect(page).toBe((pages.findLast((one) => one.start <= start) ?? pages[0])?.number ?? null);
          const inHeading = blocks.find(
            (block) => block.kind === 'heading' && block.start <= start && start < block.end,
          );
          const crossed = blocks.filter(
            (block) => block.kind === 'heading' && block.start >= section.start && block.end <= section.end,
          );
          if (inHeading) expect(crossed).not.toEqual([]);
          else {
            expect(crossed).toEqual([]);
            const nearest = blocks.findLast((block) => block.kind === 'heading' && block.end <= start);
            expect(headingPath.at(-1)).toBe(nearest?.heading);
          }
          previous = { start, end };
        }
      }),
      { numRuns: 300 },
    );
  });

  it('covers all text but headings, and headings with nothing below them', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const covered = new Uint8Array(document.text.length);
        for (const { start, end } of chunkDocument(document)) covered.fill(1, start, end);
        for (const [at, block] of document.blocks.entries()) {
          const below = document.blocks
            .slice(at + 1)
            .find((next) => next.kind === 'heading' || /\S/.test(document.text.slice(next.start, next.end)));
          const bare = below === undefined || (below.kind === 'heading' && (below.level ?? 1) <= (block.level ?? 1));
          if (block.kind === 'heading' && !bare) continue;
          for (let index = block.start; index < block.end; index++) {
            if (!covered[index] && /\S/.test(document.text.charAt(index)))
              expect.fail(`${index} of ${JSON.stringify(block)} is in no chunk`);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('stays within the largest size unless a single grapheme is larger, and splits no surrogate pair', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        for (const chunk of textsOf(document)) {
          expect(chunk.isWellFormed()).toBe(true);
          if (!chunk.includes('\u0301')) expect(chunk.length).toBeLessThanOrEqual(1500);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives the same chunks every time', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        expect(chunkDocument(document)).toEqual(chunkDocument(structuredClone(document)));
      }),
    );
  });

  it.each<[string, Part[]]>([
    ['prose in one paragraph', [['paragraph', 'The quick brown fox jumps over the dog. '.repeat(60_000)]]],
    ['small paragraphs', Array.from({ length: 60_000 }, (): Part => ['paragraph', 'The fox.'])],
    ['headings only', Array.from({ length: 60_000 }, (_, index): Part => ['heading', index % 2 ? '# A' : '## B'])],
    ['a table', [['table', '| a cell | another cell |\n'.repeat(60_000).trim()]]],
    ['no white space at all', [['paragraph', '漢'.repeat(2_000_000)]]],
  ])('takes a large document of %s', (_name, parts) => {
    expect(chunkDocument(documentOf(parts)).length).toBeGreaterThan(0);
  });
});
