// Markdown of static sites (Jekyll, Hugo's Liquid, Eleventy) has template tags `{% … %}`. A reader of the site never sees
// them, and in a link's target they keep Markdown from seeing the link.

const TAG = /\{%-?\s*(\w+)((?:"[^"\n]*"|'[^'\n]*'|[^%"']|%(?!\})){0,2000})-?%\}/g;
const COMMENT = /\{%-?\s*comment\s*-?%\}[\s\S]*?\{%-?\s*endcomment\s*-?%\}/g;
const TARGET = /\]\(\s*[^()\s{]*\{%[^{}]*%\}[^()\s]*\s*\)/g;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

// Tags of Liquid and Nunjucks that control or load and show nothing themselves.
const SILENT = new Set(
  (
    'if elsif else elif unless case when for break continue cycle tablerow assign set capture increment decrement include ' +
    'include_relative render import from extends block macro layout raw verbatim comment filter call autoescape'
  ).split(' '),
);

/**
 * `markdown` without template tags, code left as it is. Of a tag that shows something, what it is given to show remains: the
 * last string of `{% link "/x" "Text" %}`, the first of a pair such as `{% alert "Title" %}…{% endalert %}`.
 */
export function withoutTemplateTags(markdown: string): string {
  if (!markdown.includes('{%')) return markdown;
  const pairs = new Set(Array.from(markdown.matchAll(/\{%-?\s*end(\w+)/g), (match) => match[1] ?? ''));
  return splitAtFences(markdown)
    .map((part) => (FENCE.test(part) ? part : proseWithoutTags(part, pairs)))
    .join('\n');
}

// Prose and fenced code by turns; a part of code begins with its fence.
function splitAtFences(markdown: string): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let fence: string | null = null;
  for (const line of markdown.split('\n')) {
    const mark: string | undefined = FENCE.exec(line)?.[1];
    if (mark && fence === null) {
      parts.push(part.join('\n'));
      part = [];
      fence = mark;
    }
    const closes = mark !== undefined && fence !== null && part.length > 0 && mark.startsWith(fence);
    part.push(line);
    if (closes) {
      parts.push(part.join('\n'));
      part = [];
      fence = null;
    }
  }
  // A document that begins with a fence has an empty part before it, which must not become a line.
  const all = [...parts, part.join('\n')];
  return all[0] === '' ? all.slice(1) : all;
}

function proseWithoutTags(prose: string, pairs: ReadonlySet<string>): string {
  const text = prose.replace(COMMENT, '').replace(TARGET, '](#)');
  // Odd parts are inline code.
  const parts = text.split(/(`+[^`\n]+`+)/);
  return parts
    .map((part, index) =>
      index % 2 === 1 ? part : part.replace(TAG, (_, name: string, rest: string) => shown(name, rest, pairs)),
    )
    .join('');
}

function shown(name: string, rest: string, pairs: ReadonlySet<string>): string {
  if (SILENT.has(name) || name.startsWith('end')) return '';
  const strings = Array.from(rest.matchAll(/"([^"]*)"|'([^']*)'/g), (match) => match[1] ?? match[2] ?? '');
  return (pairs.has(name) ? strings[0] : strings.at(-1)) ?? '';
}
