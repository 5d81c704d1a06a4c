// What the elements of HTML mean for text: which are lines, which are hidden.
import { hasClass, isElement, type MarkupElement, type MarkupNode } from './markup-tree.ts';

const INLINE = new Set(
  (
    'a abbr acronym b bdi bdo big br cite code data del dfn em font i img input ins kbd label mark nobr output picture q ' +
    'rb ruby s samp small source span strike strong sub sup time tt u var wbr'
  ).split(' '),
);

// Not content: programs, media, forms' machinery, and the way round a site.
const DROPPED = new Set(
  (
    'script style template noscript head title meta link base iframe frame frameset object embed applet canvas video audio ' +
    'svg map area nav select option datalist textarea button progress meter dialog rt rp colgroup col annotation annotation-xml'
  ).split(' '),
);

const HIDING_STYLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|rem|%)?\s*(?:;|!|$))/i;

/** Whether a reader of the page does not see the element: text hidden in a page is no evidence, and often an attack. */
export function isHidden(element: MarkupElement): boolean {
  if (DROPPED.has(element.name)) return true;
  const { hidden, style, role } = element.attributes;
  if (hidden !== undefined && hidden !== 'until-found') return true;
  if (role === 'navigation') return true;
  return style !== undefined && HIDING_STYLE.test(style);
}

/** Whether the node belongs to a line of text, with all it contains. */
export function isInline(node: MarkupNode): boolean {
  if (typeof node === 'string') return true;
  if (isHidden(node)) return true;
  return INLINE.has(node.name) && node.children.every(isInline);
}

/** The element that holds the page's own content: its only `<main>`, when that has most of the text, else `root`. */
export function mainContent(root: MarkupElement): MarkupElement {
  const mains: MarkupElement[] = [];
  const visit = (node: MarkupNode): number => {
    if (typeof node === 'string') return node.trim().length;
    if (isHidden(node)) return 0;
    if (node.name === 'main' || node.attributes.role === 'main') mains.push(node);
    return node.children.reduce((length, child) => length + visit(child), 0);
  };
  const total = visit(root);
  const [only] = mains;
  return only && mains.length === 1 && visit(only) * 2 > total ? only : root;
}

/** The language of a code block by the usual class names, else ''. */
export function codeLanguage(pre: MarkupElement): string {
  for (const element of [pre, ...pre.children.filter((child) => isElement(child, 'code'))] as MarkupElement[]) {
    const match = /(?:^|\s)(?:language|lang|highlight-source|brush:)-?\s?([\w+#.-]+)/.exec(
      element.attributes.class ?? '',
    );
    if (match?.[1]) return match[1];
  }
  return '';
}

/** The depth of a list of a Google Docs export, which writes nested lists one after the other: 0 for a top list. */
export function googleListDepth(list: MarkupElement): number {
  return Number(/(?:^|\s)lst-kix_\w+-(\d)(?:\s|$)/.exec(list.attributes.class ?? '')?.[1] ?? 0);
}

/** 1 to 6 of a heading, else null. The title line of a Google Docs export is its first heading. */
export function headingLevel(element: MarkupElement): number | null {
  const match = /^h([1-6])$/.exec(element.name);
  if (match) return Number(match[1]);
  return element.name === 'p' && hasClass(element, 'title') ? 1 : null;
}
