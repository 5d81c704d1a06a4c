// Section titles that are neither tagged nor larger: "4. Definitions" alone on its line, numbered through the document.
import { headingBlock } from '../markdown-blocks.ts';
import type { PdfBlock } from './pdf-pages.ts';

// One or two such lines may be a list that was torn apart; three in sequence are sections.
const MIN_SECTIONS = 3;
const SECTION = /^(\d{1,2})\. (\S.{0,98}[^.;:,!?])$/;

/** The blocks with lone numbered lines as headings, when they count up from 1 and the document has no other headings. */
export function numberedSections(blocks: readonly PdfBlock[]): PdfBlock[] {
  if (blocks.some((block) => block.kind === 'heading')) return [...blocks];
  const numbers = blocks.flatMap((block) => sectionNumber(block) ?? []);
  const isSequence = numbers.every((number, index) => number === index + 1);
  if (numbers.length < MIN_SECTIONS || !isSequence) return [...blocks];
  return blocks.map((block) =>
    sectionNumber(block) === null
      ? block
      : { ...block, ...headingBlock(1, block.text), pageStarts: block.pageStarts ?? [] },
  );
}

function sectionNumber(block: PdfBlock): number | null {
  const match = block.kind === 'list' ? SECTION.exec(block.text) : null;
  return match ? Number(match[1]) : null;
}
