// HTML, and what is rewritten to HTML (DOCX, Confluence storage format), to the canonical blocks.
// Done on the tree, not by way of Markdown source: there `&lt;b&gt;` would come back as a tag and be lost.
import { codeBlock, headingBlock, indentLines, type ListItem, listBlock, paragraphBlock } from '../markdown-blocks.ts';
import type { DraftBlock } from './build-document.ts';
import { hasWord } from './build-document.ts';
import { confluenceToHtml, isStorageFormat } from './confluence-elements.ts';
import { joinGoogleCode } from './google-code.ts';
import { codeLanguage, googleListDepth, headingLevel, isHidden, isInline, mainContent } from './html-elements.ts';
import { definedFootnote, findFootnotes, isComment } from './html-footnotes.ts';
import { type InlineContext, inlineHtmlText } from './html-inline.ts';
import { htmlTable } from './html-table.ts';
import { isElement, type MarkupElement, type MarkupNode, parseMarkup, rawText } from './markup-tree.ts';

/** The blocks of a page's visible content, given as source. Confluence storage format is recognised by its elements. */
export function htmlToBlocks(source: string): DraftBlock[] {
  return treeToBlocks(parseMarkup(source, isStorageFormat(source) ? 'storage' : 'html'));
}

/** The same for a tree; Confluence's elements are rewritten first. */
export function treeToBlocks(root: MarkupElement): DraftBlock[] {
  const page = confluenceToHtml(root);
  return joinGoogleCode(flowBlocks(mainContent(page).children, { footnotes: findFootnotes(page) }));
}

// The blocks of a sequence of nodes; text between block elements becomes paragraphs.
function flowBlocks(nodes: readonly MarkupNode[], context: InlineContext): DraftBlock[] {
  const blocks: DraftBlock[] = [];
  let line: MarkupNode[] = [];
  const endLine = (): void => {
    const text = inlineHtmlText(line, context);
    if (text.trim() !== '') blocks.push(paragraphBlock(text));
    line = [];
  };
  for (const node of nodes) {
    if (isInline(node)) {
      line.push(node);
    } else if (isElement(node)) {
      endLine();
      appendBlocks(blocks, node, context);
    }
  }
  endLine();
  return blocks;
}

function appendBlocks(blocks: DraftBlock[], element: MarkupElement, context: InlineContext): void {
  const depth = googleListDepth(element);
  const last = blocks.at(-1);
  for (const block of elementBlocks(element, context)) {
    // A nested list of a Google Docs export stands beside the list it belongs to.
    if (depth > 0 && block.kind === 'list' && last?.kind === 'list' && blocks.at(-1) === last) {
      blocks[blocks.length - 1] = { kind: 'list', text: `${last.text}\n${indentLines(block.text, 2 * depth)}` };
    } else {
      blocks.push(block);
    }
  }
}

function elementBlocks(element: MarkupElement, context: InlineContext): DraftBlock[] {
  if (isComment(element)) return [];
  const level = headingLevel(element);
  if (level !== null) return heading(element, level, context);
  const label = context.inDefinition ? null : definedFootnote(element, context.footnotes);
  if (label !== null && (element.name === 'p' || element.name === 'li')) return [footnote(element, label, context)];
  switch (element.name) {
    case 'pre':
      return [codeBlock(rawText(element).replaceAll('\u00a0', ' '), codeLanguage(element))];
    case 'ul':
    case 'ol':
    case 'menu':
    case 'dir':
      return list(element, context);
    case 'dl':
      return definitionList(element, context);
    case 'table':
      return htmlTable(element, context, flowBlocks);
    default:
      return flowBlocks(element.children, context);
  }
}

// A heading that wraps blocks (an accordion, a layout) keeps them; an ordinary one is a line.
function heading(element: MarkupElement, level: number, context: InlineContext): DraftBlock[] {
  if (element.children.every(isInline)) return [headingBlock(level, inlineHtmlText(element.children, context))];
  const [first, ...rest] = flowBlocks(element.children, context);
  return first ? [first.kind === 'paragraph' ? headingBlock(level, first.text) : first, ...rest] : [];
}

function footnote(element: MarkupElement, label: string, context: InlineContext): DraftBlock {
  const blocks = flowBlocks(element.children, { ...context, inDefinition: true });
  const text = blocks.map((block) => block.text.trim()).join('\n');
  return paragraphBlock(`[^${label}]: ${text.trim()}`);
}

function list(element: MarkupElement, context: InlineContext): DraftBlock[] {
  const items: ListItem[] = [];
  const footnotes: DraftBlock[] = [];
  for (const child of element.children) {
    if (!isElement(child) || isHidden(child)) {
      if (!isElement(child) && child.trim()) items.push({ text: child.trim() });
      continue;
    }
    const label = definedFootnote(child, context.footnotes);
    if (child.name === 'li' && label !== null) footnotes.push(footnote(child, label, context));
    else items.push(listItem(child, context));
  }
  const start = element.name === 'ol' ? Number.parseInt(element.attributes.start ?? '1', 10) || 1 : undefined;
  return [listBlock(items, start), ...footnotes].filter((block) => block.text !== '');
}

function listItem(element: MarkupElement, context: InlineContext): ListItem {
  // A list that stands directly in a list belongs to the item before it.
  const nodes = element.name === 'li' ? element.children : [element];
  const blocks = flowBlocks(nodes, context);
  const text = blocks.map((block) => block.text).join('\n');
  const nestedOnly = blocks.length > 0 && blocks.every((block) => block.kind === 'list');
  const done = element.attributes['data-checked'];
  return done === undefined ? { text, nestedOnly } : { text, nestedOnly, checked: done === 'true' };
}

// A term and its explanation are read together, so they are one paragraph when both are plain.
function definitionList(element: MarkupElement, context: InlineContext): DraftBlock[] {
  const blocks: DraftBlock[] = [];
  let term: DraftBlock | null = null;
  for (const child of element.children) {
    if (!isElement(child)) continue;
    const content = flowBlocks(child.name === 'div' ? [] : child.children, context);
    if (child.name === 'div') {
      blocks.push(...definitionList(child, context));
    } else if (child.name === 'dd' && term && content[0]?.kind === 'paragraph') {
      blocks.push({ kind: 'paragraph', text: `${blocks.pop()?.text}\n${content[0].text}` }, ...content.slice(1));
    } else {
      blocks.push(...content);
    }
    const last = blocks.at(-1);
    term = child.name === 'dt' && last?.kind === 'paragraph' && hasWord(last.text) ? last : null;
  }
  return blocks;
}
