// HTML pages, Google Docs exports, Confluence storage format and XML.
import type { ParsedDocument } from '../parsed-document.ts';
import { buildDocument } from './build-document.ts';
import { isStorageFormat } from './confluence-elements.ts';
import { treeToBlocks } from './html-to-blocks.ts';
import { findElements, type MarkupElement, parseMarkup, rawText } from './markup-tree.ts';

/** Reads an HTML page or a page of Confluence storage format: its visible content. `<meta name>` become properties. */
export function parseHtml(source: string): ParsedDocument {
  const root = parseMarkup(source, isStorageFormat(source) ? 'storage' : 'html');
  const blocks = treeToBlocks(root);
  const title = findElements(root, (element) => element.name === 'title')
    .map(rawText)
    .find((text) => text.trim() !== '');
  const properties = metaProperties(root);
  return buildDocument(title ? { title, blocks, properties } : { blocks, properties });
}

/** Reads XML: storage format and XHTML as pages, any other vocabulary as the text of its elements. */
export function parseXml(source: string): ParsedDocument {
  if (isStorageFormat(source) || /<(?:html|body|p|div|table|h[1-6])[\s>]/i.test(source)) return parseHtml(source);
  return buildDocument({ title: null, blocks: treeToBlocks(parseMarkup(source, 'xml')) });
}

function metaProperties(root: MarkupElement): Record<string, string> {
  const properties: [string, string][] = [];
  for (const { attributes } of findElements(root, (element) => element.name === 'meta')) {
    const name = attributes.name ?? attributes.property ?? attributes.itemprop;
    if (name && attributes.content && !/^(?:viewport|generator|robots|theme-color)$/i.test(name)) {
      properties.push([name, attributes.content]);
    }
  }
  return Object.fromEntries(properties);
}
