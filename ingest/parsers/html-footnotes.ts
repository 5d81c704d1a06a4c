// Footnotes of HTML as Word (mammoth), Google Docs, Confluence, pandoc and wikis write them: a raised link to an anchor.
import { findElements, isElement, type MarkupElement, type MarkupNode, rawText } from './markup-tree.ts';

/** The footnotes of a page: label by the id of the definition. */
export type Footnotes = ReadonlyMap<string, string>;

const LABEL = /^\[?\s*([\p{L}\p{N}*†‡§]{1,12})\s*\]?$/u;
// Google Docs exports comments as footnotes of this name. They are talk about the document, not the document.
const COMMENT = /^cmnt\d+$/;

/** Finds each raised link whose target is on the page. */
export function findFootnotes(root: MarkupElement): Footnotes {
  const ids = new Set(findElements(root, (element) => anchorId(element) !== null).map(anchorId));
  const footnotes = new Map<string, string>();
  for (const raised of findElements(root, isReferenceMark)) {
    for (const link of raised.name === 'a' ? [raised] : findElements(raised, (element) => element.name === 'a')) {
      const target = linkTarget(link);
      const label = LABEL.exec(rawText(link).trim())?.[1];
      if (target && label && ids.has(target) && !COMMENT.test(target)) footnotes.set(target, label);
    }
  }
  return footnotes;
}

function isReferenceMark(element: MarkupElement): boolean {
  if (element.name === 'sup') return true;
  const { role, class: classes = '' } = element.attributes;
  return element.name === 'a' && (role === 'doc-noteref' || /\bfootnote-?ref\b/.test(classes));
}

function anchorId(element: MarkupElement): string | null {
  return element.attributes.id ?? (element.name === 'a' ? (element.attributes.name ?? null) : null);
}

/** The id that a link on the same page points to, else null. */
export function linkTarget(link: MarkupElement): string | null {
  const { href } = link.attributes;
  return href?.startsWith('#') && href.length > 1 ? href.slice(1) : null;
}

/** The label of the footnote that the element defines, else null: its id, or the id of an anchor at its beginning. */
export function definedFootnote(element: MarkupElement, footnotes: Footnotes): string | null {
  if (footnotes.size === 0) return null;
  for (let node: MarkupNode | undefined = element; isElement(node); node = firstContent(node)) {
    const label = footnotes.get(anchorId(node) ?? '');
    if (label !== undefined) return label;
  }
  return null;
}

function firstContent(element: MarkupElement): MarkupNode | undefined {
  return element.children.find((child) => typeof child !== 'string' || child.trim() !== '');
}

/** A link from a footnote back to the text, such as `↑`, `^` or `[1]`. */
export function isBackLink(link: MarkupElement): boolean {
  return link.name === 'a' && linkTarget(link) !== null && rawText(link).trim().length <= 4;
}

/** Whether the element is a comment of a Google Docs export, or the mark in the text that points to one. */
export function isComment(element: MarkupElement): boolean {
  if (element.name === 'a') return COMMENT.test(linkTarget(element) ?? '');
  if (element.name !== 'p' && element.name !== 'div') return false;
  const anchors = findElements(element, (child) => child.name === 'a').map((child) => child.attributes.id ?? '');
  return anchors.some((id) => COMMENT.test(id));
}
