import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../../adapters/reply.ts';
import { escapeMrkdwn, plainText } from '../../../adapters/slack/escape-mrkdwn.ts';
import { cutText, markdownToRichText } from '../../../adapters/slack/markdown-to-rich-text.ts';
import { renderReply } from '../../../adapters/slack/render-reply.ts';
import { blocksFault, liveMarkup, messageFault, visibleText } from '../../helpers/slack-block-check.ts';

const reply = (given: Partial<Reply>): Reply => ({
  kind: 'answer',
  answerId: 'a-1',
  text: 'Said [1].',
  bareQuotes: false,
  quotes: [],
  sources: ['upload: updated just now, permissions checked just now'],
  note: null,
  label: 'Written by AI',
  offerPrivate: false,
  ...given,
});
const quote = (number: number, text: string) => ({
  number,
  quote: text,
  title: `Document ${number}`,
  headingPath: ['A', 'B'],
  page: null,
  url: 'https://v.example/documents/1',
  linkLabel: null,
});
const render = (given: Partial<Reply>) => renderReply(reply(given), { feedback: true, postable: false });
const shown = (given: Partial<Reply>) => render(given).map(({ blocks }) => visibleText(blocks));

describe('what a person typed', () => {
  test.each([
    ['<@U0BOT> How?', 'How?'],
    ['How <@U0BOT|verbatim> now', 'How now'],
    ['a &lt;b&gt; &amp; c', 'a <b> & c'],
    ['&amp;lt;', '&lt;'],
    ['<!channel> hi <!here>', 'hi'],
    ['ask <@U1|ann> in <#C1|general>', 'ask @ann in #general'],
    ['see <https://x.example/a|the page> or <https://y.example>', 'see the page or https://y.example'],
    ['<!subteam^S1|@support> help', '@support help'],
    ['<@U0BOT>', ''],
  ])('%s becomes %s', (text, plain) => {
    expect(plainText(text, 'U0BOT')).toBe(plain);
  });
});

describe('escaping', () => {
  test('leaves nothing that Slack acts on, whatever the text', () => {
    fc.assert(fc.property(fc.string(), (text) => liveMarkup(escapeMrkdwn(text)) === null));
  });
});

describe('Markdown', () => {
  const elements = (markdown: string) => markdownToRichText(markdown).flatMap((block) => block.elements);

  test.each([
    ['emphasis', 'a **bold** _word_ and `code`', 'a bold word and code'],
    ['a list', '- one\n- two\n  - inner', 'one\ntwo\ninner\n'],
    ['a link without its target', '[click](javascript:alert(1))', 'click'],
    ['code as it is', '```\n<!channel>\n```', '<!channel>'],
    ['HTML as it is', '<b onclick="x">hi</b>', '<b onclick="x">hi</b>'],
  ])('%s', (_, markdown, text) => {
    expect(visibleText(elements(markdown)).trim()).toBe(text.trim());
  });

  test('a table keeps its columns', () => {
    expect(visibleText(elements('| Name | Days |\n|---|---|\n| Leave | 30 |\n| Sick | 5 |')).trim()).toBe(
      ['Name  │ Days', '──────┼─────', 'Leave │ 30', 'Sick  │ 5'].join('\n'),
    );
  });

  test.each([
    ['an item', '- item\n\n  | a | b |\n  |---|---|\n  | 1 | 2 |'],
    ['a quote', '> | a | b |\n> |---|---|\n> | 1 | 2 |'],
  ])('a table in %s keeps its rows', (_, markdown) => {
    expect(visibleText(elements(markdown))).toContain('a │ b\n──┼──\n1 │ 2');
  });

  test('an ordered list that begins elsewhere keeps its numbers', () => {
    expect(elements('3. three\n4. four')).toMatchObject([{ offset: 2 }, { offset: 3 }]);
  });
});

describe('cutting', () => {
  test('loses nothing, keeps the limit and never cuts a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 4, max: 50 }), (text, limit) => {
        const pieces = cutText(text, limit);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces)
          expect(piece.length <= limit && piece.isWellFormed() === text.isWellFormed()).toBe(true);
      }),
    );
  });
});

const numbersOf = (length: number) => Array.from({ length }, (_, index) => index + 1);

function found(value: unknown, type: string): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap((item) => found(item, type));
  if (value === null || typeof value !== 'object') return [];
  const item = value as Record<string, unknown>;
  return [...(item.type === type ? [item] : []), ...found(item.elements, type)];
}
const quotesOf = (message: { blocks: unknown } | undefined) =>
  found(message?.blocks, 'rich_text_quote').map(visibleText);
const linksOf = (blocks: unknown) => found(blocks, 'link').map(({ url, text }) => ({ url, text }));

describe('a reply', () => {
  test('is one message with the text, then the quotes, sources, label and buttons', () => {
    const [text, ...others] = shown({ quotes: [quote(1, 'thirty days')] });
    expect(others).toEqual([]);
    expect(text).toMatch(/^Said \[1\]\.\n\[1\] Document 1 › A › B\nthirty days\nupload: .*\nWritten by AI\n.*Helpful/s);
  });

  test('names the page of a quote from a paged document', () => {
    const [text] = shown({ quotes: [{ ...quote(1, 'thirty days'), page: 12 }] });
    expect(text).toContain('[1] Document 1 › A › B, page 12\nthirty days');
  });

  test('shows bare quotes once', () => {
    const [text] = shown({ text: 'thirty days [1]', bareQuotes: true, quotes: [quote(1, 'thirty days')] });
    expect(text?.split('thirty days')).toHaveLength(2);
  });

  test('over the limits is several messages, each claim beside its quotes', () => {
    const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
    const text = numbers.map((number) => `Claim ${number} [${number}]. ${'word '.repeat(100)}`).join('\n\n');
    const pages = shown({
      text,
      quotes: numbers.map((number) => quote(number, `evidence ${number} ${'q '.repeat(700)}`)),
    });
    expect(pages.length).toBeGreaterThan(1);
    for (const number of numbers) {
      const page = pages.find((candidate) => candidate.includes(`Claim ${number} [`));
      expect(page).toContain(`evidence ${number} `);
    }
  });

  test('of one paragraph with too many quotes is cut between its claims, each beside its quote as a quote', () => {
    const numbers = Array.from({ length: 14 }, (_, index) => index + 1);
    const messages = render({
      text: numbers.map((number) => `Claim **${number}** is so [${number}].`).join(' '),
      quotes: numbers.map((number) => quote(number, `evidence ${number} ${'q '.repeat(700)}`)),
    });
    expect(messages.length).toBeGreaterThan(1);
    for (const number of numbers) {
      const page = messages.find(({ blocks }) => visibleText(blocks).includes(`Claim ${number} is so [${number}]`));
      expect(quotesOf(page)).toContainEqual(expect.stringContaining(`evidence ${number} q`));
    }
    for (const page of messages) for (const text of quotesOf(page)) expect(text).not.toMatch(/Claim|\*\*|\[\d+\]/);
  });

  test('of one claim with too many quotes says it again above the rest of them', () => {
    const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
    const messages = render({
      text: `It is so ${numbers.map((number) => `[${number}]`).join('')}.`,
      quotes: numbers.map((number) => quote(number, `evidence ${number} ${'q '.repeat(1_000)}`)),
    });
    expect(messages.length).toBeGreaterThan(2);
    for (const page of messages) {
      expect(visibleText(page.blocks)).toMatch(/^It is so \[1\]/);
      expect(quotesOf(page).length).toBeGreaterThan(0);
    }
  });

  test.each([
    ['a list', numbersOf(40).map((number) => `${number}. item ${number} ${'x '.repeat(200)}`), '\n', 'rich_text_list'],
    [
      'a table',
      ['| Name | Text |', '|---|---|', ...numbersOf(60).map((n) => `| row ${n} | ${'x'.repeat(300)} |`)],
      '\n',
      'rich_text_preformatted',
    ],
    [
      'a program',
      ['```', ...numbersOf(60).map((n) => `line ${n} ${'x'.repeat(300)}`), '```'],
      '\n',
      'rich_text_preformatted',
    ],
  ])('of %s of pages stays one in each part', (_, lines, separator, type) => {
    const messages = render({ text: lines.join(separator) });
    expect(messages.length).toBeGreaterThan(1);
    for (const { blocks } of messages) expect(JSON.stringify(blocks[0])).toContain(`"${type}"`);
    for (const line of lines.filter((each) => /\d/.test(each))) {
      const words = /(?:item|row|line) \d+/.exec(line)?.[0] ?? '';
      expect(messages.map(({ blocks }) => visibleText(blocks)).join('')).toContain(`${words} `);
    }
  });

  test('has room for its footer', () => {
    const sources = numbersOf(10).map((number) => `source ${number} ${'s'.repeat(600)}: updated just now`);
    const messages = render({ sources, quotes: [quote(1, 'q '.repeat(5_200))] });
    for (const message of messages) expect(messageFault(message)).toBeNull();
  });

  test('under a title that reads like another address links by the host it leads to', () => {
    const title = 'https://accounts.google.com/login';
    const [message] = render({ quotes: [{ ...quote(1, 'x'), title, linkLabel: 'open (v.example)' }] });
    expect(linksOf(message?.blocks)).toEqual([{ url: 'https://v.example/documents/1', text: 'open (v.example)' }]);
    expect(visibleText(message?.blocks)).toContain(title);
  });

  test('of a quote of pages is cut and complete', () => {
    const long = Array.from({ length: 9_000 }, (_, index) => `w${index}`).join(' ');
    const pages = shown({ bareQuotes: true, quotes: [quote(1, long)] });
    expect(pages.join('').replaceAll(/\s+/g, '')).toContain('w8999');
  });

  test('of anything at all is accepted by Slack and acts on nothing', () => {
    const hostile = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '<!channel>',
        '<@U1>',
        '[x](javascript:1)',
        '# h',
        '- a\n- b',
        '```\ncode',
        '|a|\n|-|\n|b|',
        '&amp;',
        'x'.repeat(20_000),
        '🎉'.repeat(3_000),
      ),
    );
    fc.assert(
      fc.property(
        fc.array(hostile, { maxLength: 6 }),
        fc.array(hostile, { maxLength: 6 }),
        fc.boolean(),
        (texts, quotes, bareQuotes) => {
          const messages = render({
            text: texts.join('\n\n'),
            bareQuotes,
            quotes: quotes.map((text, index) => ({ ...quote(index + 1, text || 'q'), title: text })),
          });
          expect(messages.length).toBeGreaterThan(0);
          for (const message of messages)
            expect([messageFault(message), blocksFault(message.blocks, 50)]).toEqual([null, null]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
