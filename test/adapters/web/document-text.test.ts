import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { documentText } from '../../../adapters/web/document-text.ts';
import { findQuote } from '../../../adapters/web/find-quote.ts';
import { html, renderHtml } from '../../../adapters/web/html.ts';

const show = (text: string, options?: Parameters<typeof documentText>[1]) =>
  renderHtml(html`${documentText(text, options)}`);

/** What a reader sees of markup. */
const words = (markup: string) =>
  markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`')
    .replaceAll('&amp;', '&');

const markOf = (text: string, quote: string) => ({
  start: text.indexOf(quote),
  end: text.indexOf(quote) + quote.length,
});

describe('the text of a document', () => {
  test('cannot turn the order of what is highlighted in it, nor of what stands behind that', () => {
    const text = 'Pay \u202Eonce twice\u202C a year';
    expect(show(text, { mark: markOf(text, 'twice') })).toBe(
      '<p dir="auto">\u2068Pay \u202Eonce \u2069<mark id="quote" tabindex="-1">twice</mark>\u2068\u202C a year\u2069</p>',
    );
  });

  test.each([
    ['headings, one level below the title', '## Leave', '<h3 id="at-0" dir="auto">Leave</h3>'],
    ['paragraphs', 'One\nline', '<p dir="auto">One\nline</p>'],
    ['list items', '- first', '<p class="item item-1" dir="auto"><span class="marker">•</span><span>first</span></p>'],
    [
      'numbered items',
      '2. second',
      '<p class="item item-1" dir="auto"><span class="marker">2.</span><span>second</span></p>',
    ],
    ['code', '```\n# no heading\n```', '<pre tabindex="0"><code># no heading</code></pre>'],
    ['HTML as text', '<img src=x onerror=alert(1)>', '<p dir="auto">&lt;img src=x onerror=alert(1)&gt;</p>'],
    [
      'Markdown inside a line as text',
      '[a](javascript:alert(1)) **b**',
      '<p dir="auto">[a](javascript:alert(1)) **b**</p>',
    ],
  ])('shows %s', (_name, text, expected) => {
    expect(show(text)).toBe(expected);
  });

  test('shows tables with their head, and a pipe in a cell as text', () => {
    const shown = show('| Part | Price |\n| --- | --- |\n| SK\\|1 | 92 |');
    expect(shown).toContain('<thead><tr><th scope="col">Part</th><th scope="col">Price</th></tr></thead>');
    expect(shown).toContain('<tbody><tr><td dir="auto">SK\\|1</td><td dir="auto">92</td></tr></tbody>');
  });

  test('takes only the lines as headings that the parser found to be some', () => {
    const text = '# Title\n\n# not one';
    expect(show(text, { headings: new Set([0]) })).toBe(
      '<h2 id="at-0" dir="auto">Title</h2><p dir="auto"># not one</p>',
    );
  });

  test('marks the quote where it stands, once with the id to go to', () => {
    const text = 'Thirty days of leave.\n\nSick leave is extra.';
    const shown = show(text, { mark: markOf(text, 'days of leave') });
    expect(shown).toContain('Thirty <mark id="quote" tabindex="-1">days of leave</mark>.');
    expect(shown.match(/<mark/g)).toHaveLength(1);
  });

  test('marks a quote that begins in one paragraph and ends in a table', () => {
    const text = 'Prices are net.\n\n| Part | Price |\n| --- | --- |\n| SK-240 | 92 |';
    const shown = show(text, { mark: { start: text.indexOf('net'), end: text.length } });
    expect(words(shown.match(/<mark.*?<\/mark>/gs)?.join(' ') ?? '')).toBe('net. Part Price SK-240 92');
    expect(shown.match(/id="quote"/g)).toHaveLength(1);
  });

  test('loses no character but markers and blanks, wherever the mark lies', () => {
    const line = fc.constantFrom('# Head', 'Some words & <more>', '- item', '| a | b |', '| --- | --- |', '', 'x "y"');
    const place = fc.nat(80);
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), place, place, (lines, a, b) => {
        const text = lines.join('\n');
        const shown = show(text, { mark: { start: Math.min(a, b), end: Math.max(a, b) } });
        const bare = (value: string) => value.replaceAll(/^\| --- \| --- \|$/gm, '').replaceAll(/[\s#•|-]/g, '');
        expect(bare(words(shown))).toBe(bare(text));
      }),
    );
  });
});

describe('finding a quote in a newer version', () => {
  const text = 'Leave: thirty days.\n\nThirty  days\nof leave in a year. Then thirty days of leave.';
  test.each([
    ['where blanks and line ends differ', 'Thirty days of leave', 0, 'Thirty  days\nof leave'],
    ['nearest to where it was', 'thirty days', 60, 'thirty days'],
    ['with characters that mean something in a pattern', 'year. Then', 0, 'year. Then'],
  ])('finds it %s', (_name, quote, near, expected) => {
    const found = findQuote(text, quote, near);
    expect(found && text.slice(found.start, found.end)).toBe(expected);
  });

  test('takes the occurrence nearest to where it was', () => {
    expect(findQuote(text, 'thirty days', 60)?.start).toBe(text.lastIndexOf('thirty days'));
    expect(findQuote(text, 'thirty days', 0)?.start).toBe(text.indexOf('thirty days'));
  });

  test.each(['forty days', '', '   '])('finds nothing for "%s"', (quote) => {
    expect(findQuote(text, quote, 0)).toBeNull();
  });
});
