// The words of a line of HTML.

import { isHidden } from './html-elements.ts';
import { type Footnotes, isBackLink, isComment, linkTarget } from './html-footnotes.ts';
import { isElement, type MarkupElement, type MarkupNode, rawText } from './markup-tree.ts';

/** What the inline walk must know of the page. */
export interface InlineContext {
  readonly footnotes: Footnotes;
  /** Inside a footnote's definition: links back to the text are no words. */
  readonly inDefinition?: boolean;
}

const SUPERSCRIPTS: Readonly<Record<string, string>> = {
  '0': '⁰',
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
  '9': '⁹',
  '-': '⁻',
  '−': '⁻',
  '+': '⁺', // biome-ignore format: a table
};

/** The text of inline nodes with runs of white space as one space; `<br>` is `\n`, no-break spaces stay. */
export function inlineHtmlText(nodes: readonly MarkupNode[], context: InlineContext): string {
  let text = '';
  for (const node of nodes) text += nodeText(node, context, text);
  return text.replace(/[ \t\r\f]+/g, ' ').replace(/ ?\n ?/g, '\n');
}

function nodeText(node: MarkupNode, context: InlineContext, before: string): string {
  // A line end in the source is a space; only <br> makes one in the text.
  if (typeof node === 'string') return node.replace(/[ \t\r\n\f]+/g, ' ');
  if (isHidden(node) || isComment(node)) return '';
  switch (node.name) {
    case 'br':
      return '\n';
    case 'img':
      return node.attributes.alt?.trim() ?? '';
    case 'input':
      return checkbox(node);
    case 'q':
      return `“${inlineHtmlText(node.children, context)}”`;
    case 'sup':
      return superscript(node, context, before);
    case 'a':
      return linkText(node, context);
    case 'time':
      return inlineHtmlText(node.children, context).trim() || (node.attributes.datetime ?? '');
    default:
      return inlineHtmlText(node.children, context);
  }
}

function checkbox(input: MarkupElement): string {
  // With a role it is the switch of a menu.
  if (input.attributes.type !== 'checkbox' || input.attributes.role !== undefined) return '';
  return input.attributes.checked === undefined ? '[ ] ' : '[x] ';
}

// `10<sup>6</sup>` read as "106" would be a false quote; a raised word or mark after a word stays as it is.
function superscript(element: MarkupElement, context: InlineContext, before: string): string {
  const text = inlineHtmlText(element.children, context);
  if (/^\s*\[\^[^\]]+\]\s*$/.test(text)) return text.trim();
  if (!/\d$/.test(before) || !/^[-−+]?\d+$/.test(text)) return text;
  return Array.from(text, (digit) => SUPERSCRIPTS[digit] ?? digit).join('');
}

function linkText(link: MarkupElement, context: InlineContext): string {
  const label = context.footnotes.get(linkTarget(link) ?? '');
  if (label !== undefined) return `[^${label}]`;
  if (context.inDefinition && isBackLink(link)) return '';
  if (context.inDefinition && context.footnotes.has(link.attributes.id ?? '') && isElement(link)) {
    return rawText(link).trim().length <= 4 ? '' : inlineHtmlText(link.children, context);
  }
  return inlineHtmlText(link.children, context);
}
