import { describe, expect, test } from 'vitest';
import { parseHtml, parseXml } from '../../ingest/parsers/parse-html.ts';
import { expectInvariants } from './fixtures/document-invariants.ts';

describe('HTML becomes the words of its reader', () => {
  test.each([
    ['text that looks like a tag', '<p>use &lt;b&gt; or a &lt; b &amp; c</p>', 'use <b> or a < b & c'],
    ['text that looks like Markdown', '<p># 1 *a* _b_ [c](d) | e</p>', '# 1 *a* _b_ [c](d) | e'],
    ['white space', '<p>\n  a\n  <b>b</b>&nbsp; c </p>', 'a b c'],
    ['a break', '<p>a<br/>b</p>', 'a\nb'],
    [
      'scripts and hidden parts',
      '<p>a<script>x</script><span hidden>y</span></p><div style="color:red; display: none">z</div>',
      'a',
    ],
    ['a menu', '<nav><a href="/">Home</a></nav><p>a</p>', 'a'],
    ['an image', '<p>see <img src="p.png" alt="the plan"></p>', 'see the plan'],
    ['a power', '<p>10<sup>6</sup> m<sup>2</sup></p>', '10⁶ m2'],
    ['inline elements around blocks', '<b><p>a</p><p>b</p></b>', 'a\n\nb'],
    ['text between blocks', 'a<p>b</p>c', 'a\n\nb\n\nc'],
    ['a nested list', '<ul><li>a<ol start=3><li>b<li>c</ol></li></ul>', '- a\n  3. b\n  4. c'],
    ['a list in a list', '<ul><li>a</li><ul><li>b</li></ul></ul>', '- a\n  - b'],
    ['a definition list', '<dl><dt>SLA</dt><dd>four hours</dd></dl>', 'SLA\nfour hours'],
    [
      'code',
      '<pre><code class="language-js">if (a &lt; b) {\n  c();\n}</code></pre>',
      '```js\nif (a < b) {\n  c();\n}\n```',
    ],
    ['details', '<details><summary>More</summary><p>a</p></details>', 'More\n\na'],
    ['a frame table', '<table><tr><td><h2>A</h2><p>b</p></td></tr></table>', '## A\n\nb'],
  ])('%s', (_, html, text) => {
    const document = parseHtml(html);
    expect(document.text).toBe(text);
    expectInvariants(document);
  });

  test('a table has its caption before it, spans filled, and blocks in cells on one line', () => {
    const { text } = parseHtml(
      '<table><caption>Rates</caption><thead><tr><th>Grade<th colspan=2>Pay</thead>' +
        '<tr><td rowspan=2>A<td>1|2<td><ul><li>x<li>y</ul><tr><td>3<td><p>p</p><p>q</p></table>',
    );
    expect(text).toBe('Rates\n\n| Grade | Pay |  |\n| --- | --- | --- |\n| A | 1\\|2 | - x - y |\n| A | 3 | p q |');
  });

  test.each([
    [
      'Word',
      'a<sup><a href="#footnote-1" id="footnote-ref-1">[1]</a></sup><ol><li id="footnote-1"><p>note <a href="#footnote-ref-1">↑</a></p></li></ol>',
    ],
    [
      'Google Docs',
      '<p>a<sup><a href="#ftnt1" id="ftnt_ref1">[1]</a></sup></p><div><p><a href="#ftnt_ref1" id="ftnt1">[1]</a><span>&nbsp;note</span></p></div>',
    ],
    [
      'pandoc',
      '<p>a<a href="#fn1" id="fnref1" role="doc-noteref"><sup>1</sup></a></p><section><ol><li id="fn1"><p>note<a href="#fnref1">↩︎</a></p></li></ol></section>',
    ],
  ])('footnotes as %s writes them', (_, html) => {
    expect(parseHtml(html).text).toBe('a[^1]\n\n[^1]: note');
  });

  test('comments of a Google Docs export are not the document', () => {
    const { text } = parseHtml(
      '<p>a<sup><a href="#cmnt1" id="cmnt_ref1">[a]</a></sup></p><div><p><a href="#cmnt_ref1" id="cmnt1">[a]</a>really?</p></div>',
    );
    expect(text).toBe('a');
  });

  test('nested lists of a Google Docs export, which stand side by side, are nested', () => {
    const { text } = parseHtml(
      '<ul class="lst-kix_a-0 start"><li>a</li></ul><ul class="lst-kix_a-1"><li>b</li></ul><ul class="lst-kix_a-0"><li>c</li></ul>',
    );
    expect(text).toBe('- a\n  - b\n\n- c');
  });

  test('a code block of a Google Docs export keeps its lines', () => {
    expect(parseHtml('<p>&#60419;if x:</p><p>&nbsp; y()&#60418;</p><p>z</p>').text).toBe('```\nif x:\n  y()\n```\n\nz');
  });

  test('the title and the meta elements are read', () => {
    const document = parseHtml(
      '<head><title>Leave\n policy</title><meta name="Author" content="HR"></head><h1>Other</h1>',
    );
    expect(document.title).toBe('Leave policy');
    expect(document.properties).toEqual({ author: 'HR' });
  });

  test('of a page with one main element, that is the document', () => {
    const main = `<main><h1>Leave</h1><p>${'Words of the page. '.repeat(10)}</p></main>`;
    expect(parseHtml(`<div>Sign in</div>${main}<div>Imprint</div>`).text).not.toMatch(/Sign in|Imprint/);
    expect(parseHtml(`<p>${'Words outside. '.repeat(50)}</p>${main}`).text).toContain('Words outside');
  });

  test('twenty thousand nested elements neither hang nor crash', () => {
    expect(parseHtml(`${'<div>'.repeat(20_000)}deep`).text).toBe('deep');
  });
});

describe('Confluence storage format', () => {
  const macro = (name: string, body: string): string =>
    `<ac:structured-macro ac:name="${name}">${body}</ac:structured-macro>`;
  const rich = (html: string): string => `<ac:rich-text-body>${html}</ac:rich-text-body>`;
  const parameter = (name: string, value: string): string => `<ac:parameter ac:name="${name}">${value}</ac:parameter>`;
  test.each([
    ['a panel with a title', macro('panel', parameter('title', 'Note') + rich('<p>a&nbsp;b</p>')), 'Note\n\na b'],
    ['an expander', macro('expand', parameter('title', 'More') + rich('<ul><li>a</li></ul>')), 'More\n\n- a'],
    [
      'code',
      macro(
        'code',
        `${parameter('language', 'py')}<ac:plain-text-body><![CDATA[if a < b:\n  <c>]]></ac:plain-text-body>`,
      ),
      '```py\nif a < b:\n  <c>\n```',
    ],
    [
      'a task list',
      '<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status><ac:task-body>a</ac:task-body></ac:task></ac:task-list>',
      '- [x] a',
    ],
    ['a page link', '<p>see <ac:link><ri:page ri:content-title="Leave" /></ac:link></p>', 'see Leave'],
    [
      'a link with a body',
      '<p>see <ac:link><ri:page ri:content-title="X" /><ac:plain-text-link-body><![CDATA[this]]></ac:plain-text-link-body></ac:link></p>',
      'see this',
    ],
    [
      'a status',
      `<p>It is ${macro('status', parameter('colour', 'Red') + parameter('title', 'BLOCKED'))}.</p>`,
      'It is BLOCKED.',
    ],
    ['a date', '<p>until <time datetime="2025-01-31" /></p>', 'until 2025-01-31'],
    [
      'a picture in a line',
      '<p>the <ac:image ac:alt="plan"><ri:attachment ri:filename="p.png" /></ac:image> shows</p>',
      'the plan shows',
    ],
    ['a mention', '<p>ask <ac:link><ri:user ri:account-id="5b10" /></ac:link>now</p>', 'ask now'],
    [
      'columns',
      '<ac:layout><ac:layout-section><ac:layout-cell><p>a</p></ac:layout-cell><ac:layout-cell><p>b</p></ac:layout-cell></ac:layout-section></ac:layout>',
      'a\n\nb',
    ],
  ])('%s', (_, xml, text) => {
    expect(parseXml(xml).text).toBe(text);
  });

  test.each(['toc', 'children', 'include', 'excerpt-include', 'recently-updated', 'html'])(
    'the dynamic macro %s is left out',
    (name) => {
      const body =
        name === 'html' ? '<ac:plain-text-body><![CDATA[<b>x</b>]]></ac:plain-text-body>' : parameter('page', 'Other');
      expect(parseXml(`<p>a</p>${macro(name, body)}`).text).toBe('a');
    },
  );
});

describe('XML', () => {
  test('of any vocabulary is the text of its elements', () => {
    expect(parseXml('<?xml version="1.0"?><policy><Name>Leave</Name><rule>20 days</rule></policy>').text).toBe(
      'Leave\n\n20 days',
    );
  });

  test('entities of a DTD are never expanded', () => {
    const levels = Array.from({ length: 12 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`);
    const { text } = parseXml(`<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">${levels.join('')}]><x>a &l12;</x>`);
    expect(text.length).toBeLessThan(2000);
  });
});
