// Inline Markdown as plain words: what a reader sees, without marks and targets.
import type { PhrasingContent } from 'mdast';

// Tags whose content a reader never sees.
const INVISIBLE_TAG = /^<(script|style|template|noscript)\b/i;
// A block element inside a line separates words.
const BLOCK_TAG = /^<\/?(?:p|div|li|ul|ol|td|th|tr|table|h[1-6]|dd|dt|section|summary|details|hr)\b/i;

/** The words of inline nodes. A soft line end is a space, a hard break `\n`, a footnote's reference `[^label]`. */
export function inlineText(nodes: readonly PhrasingContent[]): string {
  let text = '';
  let hiddenUntil: string | null = null;
  for (const node of nodes) {
    if (hiddenUntil) {
      if (node.type === 'html' && node.value.toLowerCase().startsWith(hiddenUntil)) hiddenUntil = null;
      continue;
    }
    if (node.type === 'html') {
      const tag = INVISIBLE_TAG.exec(node.value)?.[1];
      if (tag && !node.value.endsWith('/>')) hiddenUntil = `</${tag.toLowerCase()}`;
      else text += inlineHtml(node.value);
    } else {
      text += nodeText(node);
    }
  }
  return text;
}

function inlineHtml(tag: string): string {
  if (/^<br\b/i.test(tag)) return '\n';
  if (/^<img\b/i.test(tag)) return /\balt\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag)?.slice(1).find(Boolean) ?? '';
  return BLOCK_TAG.test(tag) ? ' ' : '';
}

function nodeText(node: Exclude<PhrasingContent, { type: 'html' }>): string {
  switch (node.type) {
    case 'text':
      return node.value.replace(/[ \t]*\r?\n[ \t]*/g, ' ');
    case 'inlineCode':
      return node.value;
    case 'break':
      return '\n';
    case 'image':
    case 'imageReference':
      return node.alt ?? '';
    case 'footnoteReference':
      return `[^${node.label ?? node.identifier}]`;
    default:
      return 'children' in node ? inlineText(node.children) : '';
  }
}
