// Code blocks of Google Docs: paragraphs between two private-use characters.
import { codeBlock } from '../markdown-blocks.ts';
import type { DraftBlock } from './build-document.ts';

// The characters that Google Docs puts before and after a code block (seen in its HTML exports).
const CODE_START = '\uec03';
const CODE_END = '\uec02';

/** Joins the paragraphs of each Google Docs code block to one block; other blocks stay as they are. */
export function joinGoogleCode(blocks: readonly DraftBlock[]): DraftBlock[] {
  const joined: DraftBlock[] = [];
  let code: string[] | null = null;
  for (const block of blocks) {
    if (!code && !block.text.includes(CODE_START)) {
      joined.push(
        block.kind === 'paragraph' || block.kind === 'heading' ? { ...block, text: singleSpaced(block.text) } : block,
      );
      continue;
    }
    code ??= [];
    code.push(block.text);
    if (block.text.includes(CODE_END)) {
      joined.push(codeOf(code));
      code = null;
    }
  }
  // An end that never comes must not turn the rest of a document into code.
  return code
    ? [...joined, ...code.map((text): DraftBlock => ({ kind: 'paragraph', text: withoutMarks(text) }))]
    : joined;
}

function codeOf(lines: readonly string[]): DraftBlock {
  return codeBlock(withoutMarks(lines.join('\n')).replaceAll('\u00a0', ' '));
}

// No-break spaces are used for layout in exports and pasted pages.
function singleSpaced(text: string): string {
  return text.replaceAll(CODE_END, '').replace(/[ \u00a0]+/g, ' ');
}

function withoutMarks(text: string): string {
  return text.replaceAll(CODE_START, '').replaceAll(CODE_END, '');
}
