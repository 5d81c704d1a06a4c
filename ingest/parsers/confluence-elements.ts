// Confluence storage format (ac: and ri: elements) rewritten to HTML. Nothing is fetched: includes and lists that
// Confluence fills in when it shows a page have no words of their own.
import { childElements, isElement, type MarkupElement, type MarkupNode, rawText } from './markup-tree.ts';

const STORAGE_ELEMENT = /<(?:ac|ri):[a-z]/;

/** Whether `source` has elements of the storage format. */
export function isStorageFormat(source: string): boolean {
  return STORAGE_ELEMENT.test(source);
}

/** The tree with every ac: and ri: element replaced by HTML or dropped. */
export function confluenceToHtml(element: MarkupElement): MarkupElement {
  const isLine = LINES.has(element.name);
  return { ...element, children: element.children.flatMap((child) => (isLine ? inLine(child) : convert(child))) };
}

const LINES = new Set('p h1 h2 h3 h4 h5 h6 span a strong em u s b i'.split(' '));

// A picture in a line of text stays in it; elsewhere it is a block.
function inLine(node: MarkupNode): MarkupNode[] {
  return isElement(node, 'ac:image') ? imageText(node) : convert(node);
}

function convert(node: MarkupNode): MarkupNode[] {
  if (typeof node === 'string') return [node];
  if (!/^(?:ac|ri|at):/.test(node.name)) return [confluenceToHtml(node)];
  switch (node.name) {
    case 'ac:structured-macro':
    case 'ac:macro':
      return macro(node);
    case 'ac:link':
      return [link(node)];
    case 'ac:image':
      return [html('p', imageText(node))];
    case 'ac:emoticon':
      return [emoticon(node)];
    case 'ac:task-list':
      return [html('ul', childElements(node, 'ac:task').map(task))];
    case 'ac:inline-comment-marker':
    case 'ac:link-body':
    case 'ac:adf-content':
      return node.children.flatMap(convert);
    case 'ac:adf-extension':
      return adfExtension(node);
    case 'ac:layout':
    case 'ac:layout-section':
    case 'ac:layout-cell':
    case 'ac:rich-text-body':
    case 'ac:adf-fallback':
    case 'ac:adf-node':
      return [html('div', node.children.flatMap(convert))];
    default:
      return [];
  }
}

function html(name: string, children: MarkupNode[], attributes: Record<string, string> = {}): MarkupElement {
  return { name, attributes, children };
}

function parameter(macroElement: MarkupElement, name: string): string {
  const found = childElements(macroElement, 'ac:parameter').find((child) => child.attributes['ac:name'] === name);
  return found ? rawText(found).trim() : '';
}

function macro(element: MarkupElement): MarkupNode[] {
  const name = (element.attributes['ac:name'] ?? '').toLowerCase();
  const title = parameter(element, 'title');
  if (name === 'anchor') return [html('a', [], { id: parameter(element, '') })];
  if (name === 'status') return [title];
  if (name === 'jira') return [parameter(element, 'key')];
  // Raw HTML and styles are instructions to the browser, not text.
  if (name === 'html' || name === 'style') return [];
  const heading = title === '' ? [] : [html('p', [title])];
  const rich = childElements(element, 'ac:rich-text-body');
  if (rich.length > 0) return [html('div', [...heading, ...rich.flatMap((body) => body.children.flatMap(convert))])];
  const [plain] = childElements(element, 'ac:plain-text-body');
  if (plain) return plainBody(name, rawText(plain), parameter(element, 'language'), heading);
  // Formulas are written in a parameter by the common apps.
  return [parameter(element, 'body')];
}

function plainBody(name: string, text: string, language: string, heading: MarkupNode[]): MarkupNode[] {
  if (name.endsWith('inline')) return [text];
  const known = language === 'none' || language === 'text' ? '' : language;
  return [...heading, html('pre', [text], known ? { class: `language-${known.replace(/\s+/g, '')}` } : {})];
}

function link(element: MarkupElement): MarkupElement {
  const target = element.attributes['ac:anchor'];
  const attributes: Record<string, string> = target ? { href: `#${target}` } : {};
  const body = element.children.find((child) => isElement(child, 'ac:link-body', 'ac:plain-text-link-body'));
  if (isElement(body)) return html('a', body.children.flatMap(convert), attributes);
  const names = childElements(element).map(
    (child) =>
      child.attributes['ri:content-title'] ?? child.attributes['ri:filename'] ?? child.attributes['ri:value'] ?? '',
  );
  return html('a', [names.find((name) => name !== '') ?? ''], attributes);
}

function imageText(element: MarkupElement): MarkupNode[] {
  const alt = (element.attributes['ac:alt'] ?? '').trim();
  const captions = childElements(element, 'ac:caption').flatMap((caption) => caption.children.flatMap(convert));
  const same = captions.map(rawText).join('').trim() === alt;
  return same ? captions : [alt, ...(captions.length > 0 ? [html('br', []), ...captions] : [])];
}

function emoticon(element: MarkupElement): string {
  const fallback = element.attributes['ac:emoji-fallback'] ?? '';
  return /^:[\w+-]+:$/.test(fallback) ? '' : fallback;
}

function task(element: MarkupElement): MarkupElement {
  const status = childElements(element, 'ac:task-status').map(rawText).join('').trim();
  const body = childElements(element, 'ac:task-body').flatMap((child) => child.children.flatMap(convert));
  return html('li', body, { 'data-checked': String(status === 'complete') });
}

// An extension has its content twice, as a node and as a fallback for older readers.
function adfExtension(element: MarkupElement): MarkupNode[] {
  const nodes = childElements(element, 'ac:adf-node');
  return [
    html(
      'div',
      (nodes.length > 0 ? nodes : childElements(element, 'ac:adf-fallback')).flatMap((node) => convert(node)),
    ),
  ];
}
