import { describe, expect, test } from 'vitest';
import { parseMarkdown } from '../../ingest/parsers/parse-markdown.ts';
import { parseText } from '../../ingest/parsers/parse-text.ts';
import { expectInvariants } from './fixtures/document-invariants.ts';

describe('Markdown becomes the words of its reader', () => {
  test.each([
    ['emphasis and strong', 'a *b* __c__ ~~d~~', 'a b c d'],
    ['inline code', 'run `npm ci` now', 'run npm ci now'],
    ['a link', 'see [the *page*](https://x.y/z "t")', 'see the page'],
    ['a reference link', 'see [the page][p]\n\n[p]: https://x.y', 'see the page'],
    ['an autolink', 'see <https://x.y/z>', 'see https://x.y/z'],
    ['an image', '![a plan](p.png)', 'a plan'],
    ['escapes', '1\\. \\*not\\* &amp; \\[x\\]', '1. *not* & [x]'],
    ['a soft line end', 'one\ntwo', 'one two'],
    ['a hard break', 'one  \ntwo\\\nthree', 'one\ntwo\nthree'],
    ['a comment', 'a <!-- hidden --> b', 'a  b'],
    ['inline HTML', 'a <b>c</b><br>d', 'a c\nd'],
    ['an inline script', 'a <script>alert(1)</script> b', 'a  b'],
    ['a quote', '> said\n> so', 'said so'],
    ['a rule', 'a\n\n---\n\nb', 'a\n\nb'],
    ['a setext heading', 'Title\n=====\n\ntext', '# Title\n\ntext'],
    ['a footnote', 'x[^n].\n\n[^n]: the *note*', 'x[^n].\n\n[^n]: the note'],
    ['an empty heading', '#\n\ntext', 'text'],
  ])('%s', (_, markdown, text) => {
    const document = parseMarkdown(markdown);
    expect(document.text).toBe(text);
    expectInvariants(document);
  });

  test('lists keep their numbers, tasks and nesting', () => {
    const { text, blocks } = parseMarkdown('3. c\n4. d\n   - [x] e\n   - [ ] f\n\n     more\n5. g');
    expect(text).toBe('3. c\n4. d\n   - [x] e\n   - [ ] f\n     more\n5. g');
    expect(blocks.map((block) => block.kind)).toEqual(['list']);
  });

  test('a table has one line a row, and pipes in cells are escaped', () => {
    const { text } = parseMarkdown('a | b\n:- | -:\n`x\\|y` | **z**<br>q');
    expect(text).toBe('| a | b |\n| --- | --- |\n| x\\|y | z q |');
  });

  test('code keeps its lines, its language and whatever looks like Markdown', () => {
    const { text, blocks } = parseMarkdown('````ts\n# no *heading*\n\n```\n````');
    expect(text).toBe('````ts\n# no *heading*\n\n```\n````');
    expect(blocks).toEqual([{ kind: 'code', start: 0, end: text.length }]);
  });

  test('raw HTML blocks are read as HTML, even with blank lines inside', () => {
    const html =
      '<table><tr><th>A</th></tr>\n\n<tr><td>1</td></tr></table>\n\n<details><summary>More</summary>\n\ntext\n\n</details>';
    expect(parseMarkdown(html).text).toBe('A\n\n1\n\nMore\n\ntext');
  });

  test.each([
    [
      'YAML',
      '---\nTitle: "Leave: policy"\ntags: [a, b]\neffective_from: 2024-01-01\nowner:\n  team: HR\n---\n# Heading\n\ntext',
    ],
    [
      'TOML',
      '+++\nTitle = "Leave: policy"\ntags = "a, b"\neffective_from = 2024-01-01\nowner.team = "HR"\n+++\n# Heading\n\ntext',
    ],
  ])('%s front matter becomes properties and the title', (_, markdown) => {
    const document = parseMarkdown(markdown);
    expect(document.properties).toMatchObject({ tags: 'a, b', effective_from: '2024-01-01', 'owner.team': 'HR' });
    expect(document.properties.title).toBe('Leave: policy');
    expect(document.title).toBe('Leave: policy');
    expect(document.text).toBe('# Heading\n\ntext');
  });

  test('broken front matter costs nothing but the broken lines', () => {
    const document = parseMarkdown('---\ntitle: Leave: the policy\nx: [\n---\ntext');
    expect(document.title).toBe('Leave: the policy');
    expect(document.text).toBe('text');
  });

  test('the title is the first heading, unless that is a numbered section', () => {
    expect(parseMarkdown('text\n\n## Travel\n\n# Later').title).toBe('Travel');
    expect(parseMarkdown('# 1. Purpose\n\ntext').title).toBeNull();
  });

  test('imports of MDX are left out, and only of MDX', () => {
    const source = "import A from './a'\n\n# Title\n\n<A>text</A>";
    expect(parseMarkdown(source, { mdx: true }).text).toBe('# Title\n\ntext');
    expect(parseMarkdown(source).text).toContain('import A');
  });

  test.each([
    ['a link whose target is a tag', '[leave]({% page "/leave/" %}) now', 'leave now'],
    ['a tag that shows a text', 'ask {% channel "hr" "the HR channel" %}', 'ask the HR channel'],
    ['a pair with a title', '{% alert "Note" %} be careful {% endalert %}', 'Note be careful'],
    ['a comment', 'a{% comment %} secret {% endcomment %}b', 'ab'],
    ['control', '{% if x %}a{% endif %}', 'a'],
    ['code', '`{% raw %}`\n\n```\n{% raw %}\n```', '{% raw %}\n\n```\n{% raw %}\n```'],
  ])('template tags: %s', (_, markdown, text) => {
    expect(parseMarkdown(markdown).text).toBe(text);
  });

  test('a long document is read in parts without a seam', () => {
    const section = `## Part [link][l]\n\n${'word '.repeat(200)}\n\n\`\`\`\n\ncode\n\n\`\`\`\n\n`;
    const { text, blocks } = parseMarkdown(`${section.repeat(1500)}\n[l]: https://x.y\n`);
    expect(blocks).toHaveLength(4500);
    expect(text).not.toContain('[');
  });

  test.each(['>', '- ', '1. '])('a thousand nested %j still give the words', (mark) => {
    expect(parseMarkdown(`${mark.repeat(1000)}deep`).text).toContain('deep');
  });
});

describe('plain text', () => {
  test('keeps its lines and has no title', () => {
    const document = parseText('first\r\nsecond  \r\n \r\n# not a heading\r\n');
    expect(document.text).toBe('first\nsecond\n\n# not a heading');
    expect(document.blocks.map((block) => block.kind)).toEqual(['paragraph', 'paragraph']);
    expect(document.title).toBeNull();
  });
});
