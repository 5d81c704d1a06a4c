// Pages put together: a sentence that runs over a page's end becomes one paragraph again.
import type { DraftBlock } from './build-document.ts';
import { joinText, type KnownWords } from './pdf-join.ts';

/** All blocks in order, each page's first block marked; `pages[0]` is page 1. */
export function joinPages(pages: readonly (readonly DraftBlock[])[], words: KnownWords): DraftBlock[] {
  const blocks: DraftBlock[] = [];
  pages.forEach((page, index) => {
    const [first, ...rest] = page;
    if (!first) return;
    const last = blocks.at(-1);
    if (last && runsOver(last, first)) {
      const text = joinText(last.text, first.text, words);
      const pageStart = { number: index + 1, at: text.length - first.text.length };
      blocks[blocks.length - 1] = { ...last, text, pageStarts: [...(last.pageStarts ?? []), pageStart] };
    } else {
      blocks.push({ ...first, pageStarts: [{ number: index + 1, at: 0 }] });
    }
    blocks.push(...rest);
  });
  return blocks;
}

// Only what is certain: no end of a sentence before the break, a small letter after it.
function runsOver(last: DraftBlock, first: DraftBlock): boolean {
  if (last.kind !== 'paragraph' || first.kind !== 'paragraph') return false;
  return /[\p{L}\p{N},;\-\u00ad]$/u.test(last.text) && last.text.length > 40 && /^\p{Ll}/u.test(first.text);
}
