// Markdown (CommonMark, GFM tables, task lists, footnotes, front matter) to the canonical blocks.
import type { Definition, FootnoteDefinition, List, ListItem as MarkdownListItem, RootContent, Table } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { codeBlock, headingBlock, type ListItem, listBlock, paragraphBlock, tableBlock } from './markdown-blocks.ts';
import { inlineText } from './markdown-inline.ts';
import { splitMarkdown } from './markdown-split.ts';
import type { DraftBlock } from './parsers/build-document.ts';
import { htmlToBlocks } from './parsers/html-to-blocks.ts';

/** The blocks of a Markdown text, and its front matter as written. */
export interface MarkdownContent {
  readonly blocks: readonly DraftBlock[];
  readonly frontMatter: { readonly language: 'yaml' | 'toml'; readonly source: string } | null;
}

/** Reads Markdown. Raw HTML is reduced to its words; emphasis, link targets and comments are dropped. */
export function markdownToBlocks(markdown: string): MarkdownContent {
  const blocks: DraftBlock[] = [];
  let frontMatter: MarkdownContent['frontMatter'] = null;
  splitMarkdown(markdown).forEach((part, index) => {
    const marks = index === 0 ? (['yaml', 'toml'] as const) : [];
    const tree = fromMarkdown(part, {
      extensions: [gfm(), frontmatter([...marks])],
      mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown([...marks])],
    });
    const first = tree.children[0] as RootContent | { type: 'toml'; value: string } | undefined;
    if (first && (first.type === 'yaml' || first.type === 'toml')) {
      frontMatter = { language: first.type, source: first.value };
    }
    blocks.push(...flow(tree.children));
  });
  return { blocks, frontMatter };
}

type FlowNode = RootContent | Definition | FootnoteDefinition;

function flow(nodes: readonly FlowNode[]): DraftBlock[] {
  const blocks: DraftBlock[] = [];
  for (let index = 0; index < nodes.length; index += 1) {
    const node = nodes[index];
    if (node?.type !== 'html') {
      if (node) blocks.push(...flowNode(node));
      continue;
    }
    // A blank line ends an HTML block in Markdown but not in the author's mind: neighbours belong together.
    let html = node.value;
    for (let next = nodes[index + 1]; next?.type === 'html'; next = nodes[index + 1]) {
      html += `\n\n${next.value}`;
      index += 1;
    }
    blocks.push(...htmlToBlocks(html));
  }
  return blocks;
}

function flowNode(node: FlowNode): DraftBlock[] {
  switch (node.type) {
    case 'heading':
      return [headingBlock(node.depth, inlineText(node.children))];
    case 'paragraph':
      return [paragraphBlock(inlineText(node.children))];
    case 'code':
      return [codeBlock(node.value, node.lang ?? '')];
    case 'list':
      return [list(node)];
    case 'table':
      return [tableBlock(tableRows(node))];
    case 'blockquote':
      return flow(node.children);
    case 'footnoteDefinition':
      return [
        paragraphBlock(
          `[^${node.label ?? node.identifier}]: ${flow(node.children)
            .map((block) => block.text)
            .join('\n')}`,
        ),
      ];
    default:
      return [];
  }
}

function list(node: List): DraftBlock {
  return listBlock(node.children.map(listItem), node.ordered ? (node.start ?? 1) : undefined);
}

function listItem(node: MarkdownListItem): ListItem {
  const text = flow(node.children).map((block) => block.text);
  const item = {
    text: text.join('\n'),
    nestedOnly: node.children.length > 0 && node.children.every((child) => child.type === 'list'),
  };
  return typeof node.checked === 'boolean' ? { ...item, checked: node.checked } : item;
}

function tableRows(node: Table): string[][] {
  return node.children.map((row) => row.children.map((cell) => inlineText(cell.children)));
}
