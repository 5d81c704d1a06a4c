// How much of the gold spans some stretches of a document cover. Counted in characters other than white space, since parsers
// set line breaks and blank lines their own way.
import type { GoldSpan } from './dataset.ts';

/** A stretch of a document as the product has it; `start` is its offset in the parsed text, near that in the original. */
export interface Stretch {
  readonly textId: string;
  readonly text: string;
  readonly start: number;
}

/** Finds stretches in the texts of a set. */
export interface SpanCoverage {
  /** Share of the gold spans' characters that the stretches cover together, 0…1. */
  share(gold: readonly GoldSpan[], stretches: readonly Stretch[]): number;
}

interface BareText {
  readonly text: string;
  /** For each offset of the original, the number of characters before it that are no white space. */
  readonly before: Uint32Array;
}

/** Makes a measure over the texts by id; what it works out of a text is kept. */
export function createSpanCoverage(textOf: (textId: string) => string): SpanCoverage {
  const bareTexts = new Map<string, BareText>();
  const bareOf = (textId: string): BareText => {
    const known = bareTexts.get(textId) ?? stripWhiteSpace(textOf(textId));
    bareTexts.set(textId, known);
    return known;
  };
  return {
    share(gold, stretches) {
      let total = 0;
      let covered = 0;
      for (const { textId, start, end } of gold) {
        const bare = bareOf(textId);
        const [from, to] = [bare.before[start] ?? 0, bare.before[end] ?? 0];
        const marked = new Uint8Array(to - from);
        for (const stretch of stretches) {
          if (stretch.textId !== textId) continue;
          const place = locate(bare, stretch);
          if (place) marked.fill(1, Math.max(0, place.start - from), Math.max(0, place.end - from));
        }
        total += marked.length;
        covered += marked.reduce((sum, mark) => sum + mark, 0);
      }
      return total === 0 ? 0 : covered / total;
    },
  };
}

function stripWhiteSpace(text: string): BareText {
  const before = new Uint32Array(text.length + 1);
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    before[index] = count;
    if (!/\s/.test(text.charAt(index))) count += 1;
  }
  before[text.length] = count;
  return { text: text.replace(/\s/g, ''), before };
}

// Of several places with the same words, the one nearest to where the parsed text has them.
function locate(bare: BareText, { text, start }: Stretch): { start: number; end: number } | undefined {
  const sought = text.replace(/\s/g, '');
  if (sought === '') return undefined;
  const hint = bare.before[Math.min(start, bare.before.length - 1)] ?? 0;
  const after = bare.text.indexOf(sought, hint);
  const before = bare.text.lastIndexOf(sought, hint);
  const places = [after, before].filter((place) => place >= 0);
  const nearest = places.sort((a, b) => Math.abs(a - hint) - Math.abs(b - hint))[0];
  return nearest === undefined ? undefined : { start: nearest, end: nearest + sought.length };
}
