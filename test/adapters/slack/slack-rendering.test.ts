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
  url: 'https://v.example/documents/1',
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

describe('a reply', () => {
  test('is one message with the text, then the quotes, sources, label and buttons', () => {
    const [text, ...others] = shown({ quotes: [quote(1, 'thirty days')] });
    expect(others).toEqual([]);
    expect(text).toMatch(/^Said \[1\]\.\n\[1\] Document 1 › A › B\nthirty days\nupload: .*\nWritten by AI\n.*Helpful/s);
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
