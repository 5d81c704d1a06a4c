// A piece of Markdown that is too long for a message, cut where it is still Markdown afterwards: items, rows, lines, sentences.
import type { RootContent } from 'mdast';
import { parseMarkdown } from './markdown-to-rich-text.ts';

/** A text in parts, any run of which `build` makes into Markdown of its own. */
export interface Division {
  readonly parts: readonly string[];
  readonly build: (parts: readonly string[]) => string;
}

// A sentence ends at its mark with whatever closes it and the numbers of its quotes.
const AFTER_SENTENCE = /(?<=[.!?…。！？]['"”’)]*(?:\s*\[\d+\])*)\s+(?!\[\d+\])/u;

/** Cuts the one top-level piece that `source` is. A single part: it cannot be cut. */
export function divideMarkdown(source: string): Division {
  const [node] = parseMarkdown(source).children;
  const lines = (parts: readonly string[]) => parts.join('\n');
  switch (node?.type) {
    case 'list':
      return { parts: sourcesOf(node.children, source), build: lines };
    case 'blockquote':
      return { parts: source.split('\n'), build: lines };
    case 'table': {
      const [head = '', rule = '', ...rows] = source.split('\n');
      return { parts: rows.length > 0 ? rows : [source], build: (some) => lines([head, rule, ...some]) };
    }
    case 'code': {
      const fence = '`'.repeat(Math.max(3, ...[...node.value.matchAll(/`+/g)].map(([run]) => run.length + 1)));
      return { parts: node.value.split('\n'), build: (some) => lines([fence, ...some, fence]) };
    }
    default:
      return { parts: source.split(AFTER_SENTENCE), build: (some) => some.join(' ') };
  }
}

function sourcesOf(nodes: readonly { readonly position?: RootContent['position'] }[], source: string): string[] {
  return nodes.map(({ position }) => source.slice(position?.start.offset ?? 0, position?.end.offset ?? source.length));
}
