// HTML, Confluence storage format and XML as a small tree: entities of a DTD are never expanded, depth is bounded.
import { Parser } from 'htmlparser2';

/** An element; names are lower case in HTML and storage format, as written in XML. */
export interface MarkupElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: MarkupNode[];
}

/** An element or a piece of text. */
export type MarkupNode = MarkupElement | string;

/** `storage` is Confluence's: HTML with `<x/>` and CDATA. */
export type MarkupDialect = 'html' | 'storage' | 'xml';

// Every walk over the tree is recursive; no honest page nests deeper than a few dozen elements.
const MAX_DEPTH = 200;

/** The tree of `source` under a nameless root. Broken markup is repaired as browsers do; elements too deep are flattened. */
export function parseMarkup(source: string, dialect: MarkupDialect): MarkupElement {
  const root: MarkupElement = { name: '', attributes: {}, children: [] };
  const stack: MarkupElement[] = [root];
  let tooDeep = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        const element: MarkupElement = { name, attributes, children: [] };
        (stack.at(-1) ?? root).children.push(element);
        if (stack.length < MAX_DEPTH) stack.push(element);
        else tooDeep += 1;
      },
      ontext(text) {
        const siblings = (stack.at(-1) ?? root).children;
        const last = siblings.at(-1);
        if (typeof last === 'string') siblings[siblings.length - 1] = last + text;
        else siblings.push(text);
      },
      onclosetag() {
        if (tooDeep > 0) tooDeep -= 1;
        else if (stack.length > 1) stack.pop();
      },
    },
    {
      xmlMode: dialect === 'xml',
      decodeEntities: true,
      recognizeSelfClosing: dialect !== 'html',
      recognizeCDATA: dialect !== 'html',
    },
  );
  parser.end(source);
  return root;
}

/** Whether a node is an element, of one of `names` if any are given. */
export function isElement(node: MarkupNode | undefined, ...names: string[]): node is MarkupElement {
  return node !== undefined && typeof node !== 'string' && (names.length === 0 || names.includes(node.name));
}

/** The child elements, of `name` if given. */
export function childElements(element: MarkupElement, name?: string): MarkupElement[] {
  return element.children.filter(
    (child) => isElement(child) && (name === undefined || child.name === name),
  ) as MarkupElement[];
}

/** All elements below in document order for which `matches` holds. */
export function findElements(element: MarkupElement, matches: (element: MarkupElement) => boolean): MarkupElement[] {
  const found: MarkupElement[] = [];
  const visit = (node: MarkupNode): void => {
    if (typeof node === 'string') return;
    if (matches(node)) found.push(node);
    node.children.forEach(visit);
  };
  element.children.forEach(visit);
  return found;
}

/** The text of a node as it stands, white space included; a `<br>` is `\n`. */
export function rawText(node: MarkupNode): string {
  if (typeof node === 'string') return node;
  return node.name === 'br' ? '\n' : node.children.map(rawText).join('');
}

/** Whether the element has `className` among its classes. */
export function hasClass(element: MarkupElement, className: string): boolean {
  return (element.attributes.class ?? '').split(/\s+/).includes(className);
}
