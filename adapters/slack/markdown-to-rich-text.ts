// Markdown to Slack's rich text, in which text is text: no mention, link or entity in it acts, whatever a document or a model
// wrote. Links lose their targets for the same reason; raw HTML is shown as written.
import type { types } from '@slack/bolt';
import type { List, PhrasingContent, Root, RootContent, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { isolated } from '../shown-text.ts';

type Element = types.RichTextBlockElement;
type Inline = types.RichTextElement;
type Style = NonNullable<types.RichTextText['style']>;

// Slack does not document a limit for text in rich text; sections of mrkdwn hold 3,000 characters.
const MAX_ELEMENT_CHARACTERS = 3_000;

/** A Markdown text as its tree, whose positions are offsets into the text. */
export function parseMarkdown(markdown: string): Root {
  return fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** The top-level pieces of a Markdown text, each as rich text and as written. */
export function markdownToRichText(markdown: string): { readonly source: string; readonly elements: Element[] }[] {
  return parseMarkdown(markdown).children.map((node) => {
    const source = markdown.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? markdown.length);
    return { source, elements: block(node, source) };
  });
}

/** Literal text as inline elements, cut where it is too long for one; a style for all of it. */
export function literal(text: string, style?: Style): types.RichTextText[] {
  return cutText(text, MAX_ELEMENT_CHARACTERS).map((part) => ({
    type: 'text',
    text: isolated(part),
    ...(style ? { style } : {}),
  }));
}

/** `text` in pieces of at most `limit` UTF-16 code units, cut at white space where there is some, never inside a character. */
export function cutText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const window = rest.slice(0, limit);
    const space = Math.max(window.lastIndexOf(' '), window.lastIndexOf('\n'));
    let end = space > limit / 2 ? space + 1 : limit;
    if (/[\uD800-\uDBFF]$/.test(rest.slice(0, end))) end -= 1;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  if (rest !== '') pieces.push(rest);
  return pieces;
}

function block(node: RootContent, source: string): Element[] {
  switch (node.type) {
    case 'paragraph':
      return [{ type: 'rich_text_section', elements: inlines(node.children) }];
    case 'heading':
      return [{ type: 'rich_text_section', elements: inlines(node.children, { bold: true }) }];
    case 'list':
      return list(node, 0);
    case 'code':
      return [{ type: 'rich_text_preformatted', elements: literal(node.value || ' ') }];
    case 'blockquote':
      return [{ type: 'rich_text_quote', elements: node.children.flatMap((child, index) => quoted(child, index)) }];
    case 'table':
      return [{ type: 'rich_text_preformatted', elements: literal(alignTable(node)) }];
    case 'thematicBreak':
    case 'definition':
      return [];
    default:
      return [{ type: 'rich_text_section', elements: literal(source) }];
  }
}

function quoted(node: RootContent, index: number): Inline[] {
  return [...(index === 0 ? [] : literal('\n')), ...flow(node)];
}

// A block inside a quote or an item, where Slack has lines only.
function flow(node: RootContent): Inline[] {
  switch (node.type) {
    case 'table':
      return literal(alignTable(node), { code: true });
    case 'code':
      return literal(node.value || ' ', { code: true });
    case 'blockquote':
      return node.children.flatMap(quoted);
    case 'list':
      return node.children.flatMap((item, index) => {
        const mark = node.ordered ? `${(node.start ?? 1) + index}. ` : '• ';
        return [...literal(`${index === 0 ? '' : '\n'}${mark}`), ...item.children.flatMap(quoted)];
      });
    default:
      return 'children' in node ? inlines(node.children as PhrasingContent[]) : literal(textOf(node));
  }
}

// Slack's lists are flat: a nested one follows its item with a deeper indent.
function list(node: List, indent: number): Element[] {
  const style = node.ordered ? 'ordered' : 'bullet';
  return node.children.flatMap((item, index): Element[] => {
    const nested = item.children.filter((child): child is List => child.type === 'list');
    const own = item.children.filter((child) => child.type !== 'list');
    const check = item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : '';
    const elements = [...literal(check), ...own.flatMap(quoted)];
    const offset = (node.start ?? 1) - 1 + index;
    return [
      {
        type: 'rich_text_list',
        style,
        indent,
        ...(node.ordered && offset > 0 ? { offset } : {}),
        elements: [{ type: 'rich_text_section', elements: elements.length > 0 ? elements : literal(' ') }],
      },
      ...nested.flatMap((child) => list(child, Math.min(indent + 1, 8))),
    ];
  });
}

function inlines(nodes: readonly PhrasingContent[], style: Style = {}): Inline[] {
  return nodes.flatMap((node): Inline[] => {
    switch (node.type) {
      case 'text':
        return literal(node.value, styleOrNone(style));
      case 'strong':
        return inlines(node.children, { ...style, bold: true });
      case 'emphasis':
        return inlines(node.children, { ...style, italic: true });
      case 'delete':
        return inlines(node.children, { ...style, strike: true });
      case 'inlineCode':
        return literal(node.value, { ...style, code: true });
      case 'break':
        return literal('\n');
      case 'link':
        return inlines(node.children, style);
      case 'image':
      case 'imageReference':
        return literal(node.alt || 'image', styleOrNone(style));
      case 'footnoteReference':
        return literal(`[^${node.label ?? node.identifier}]`, styleOrNone(style));
      default:
        return 'children' in node
          ? inlines(node.children as PhrasingContent[], style)
          : literal(textOf(node), styleOrNone(style));
    }
  });
}

function styleOrNone(style: Style): Style | undefined {
  return Object.keys(style).length === 0 ? undefined : style;
}

function textOf(node: object): string {
  if ('value' in node && typeof node.value === 'string') return node.value;
  return 'children' in node ? (node.children as object[]).map(textOf).join('') : '';
}

const MAX_COLUMN = 40; // characters; a wider cell keeps its text but no longer widens its column

function alignTable({ children }: Table): string {
  const rows = children.map((row) => row.children.map((cell) => textOf(cell).replaceAll('\n', ' ')));
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.min(MAX_COLUMN, Math.max(1, ...rows.map((row) => [...(row[column] ?? '')].length))),
  );
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => pad(row[column] ?? '', width))
      .join(' │ ')
      .trimEnd();
  const [head = [], ...body] = rows;
  return [line(head), widths.map((width) => '─'.repeat(width)).join('─┼─'), ...body.map(line)].join('\n');
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}
