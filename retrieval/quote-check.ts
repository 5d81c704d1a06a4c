// Promise 2: what is not in the document is not said. Whatever a model claims to quote is looked up here.

import { toWholeUnits } from './grow-quote.ts';
import type { Chunk, Citation, Span } from './model.ts';
import type { ModelAnswer } from './ports.ts';
import { type Unit, unitsOf } from './sentence-score-units.ts';

/**
 * Shortest quote that counts, in UTF-16 code units after trimming, a run of white space counting as one. Shorter ones
 * occur in nearly every text and prove nothing. The bound is the product's promise, stated in `ModelAnswer`.
 */
export const MIN_QUOTE_CHARACTERS = 12;

/** What is left of a model's citations when each has been looked up. */
export interface CheckedQuotes {
  /** In the model's order, each place once; `quote` is the document's own text at `start..end`. */
  readonly citations: readonly Citation[];
  /** Quotes that do not occur in the chunk they name, or are too short; as the model wrote them, each once. */
  readonly rejectedQuotes: readonly string[];
  /** Citations dropped because their chunk was not among the context. */
  readonly unknownChunks: number;
}

interface NormalisedText {
  readonly text: string;
  /** `starts[i]`: where the character `text[i]` begins in the original, in UTF-16 code units. */
  readonly starts: readonly number[];
  /** `ends[i]`: where it ends; further on than `starts[i] + 1` for a run of white space. */
  readonly ends: readonly number[];
}

const WHITE_SPACE = /\s/u;
const QUOTATION_MARK = /\p{Quotation_Mark}/u;

/**
 * White space (runs become one blank) and quotation marks (all become one), and nothing more: models change these two
 * when they write JSON. A changed dash or ellipsis may be a changed range or an omission, so it makes another quote.
 * Single and double marks are one class because a model turns inner double quotes into single ones to avoid escapes.
 */
function normalise(original: string): NormalisedText {
  const characters: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (let index = 0; index < original.length; index++) {
    const character = original.charAt(index);
    if (!WHITE_SPACE.test(character)) {
      characters.push(QUOTATION_MARK.test(character) ? '"' : character);
    } else if (characters.length > 0 && characters[characters.length - 1] === ' ') {
      ends[ends.length - 1] = index + 1;
      continue;
    } else {
      characters.push(' ');
    }
    starts.push(index);
    ends.push(index + 1);
  }
  return { text: characters.join(''), starts, ends };
}

/** Whether the place between `text[index - 1]` and `text[index]` lies inside a surrogate pair. */
function splitsSurrogatePair(text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  const after = text.charCodeAt(index);
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}

/**
 * First place of a quote in a text, equal but for white space and the kind of quotation marks, or null: offsets into
 * `chunkText` in UTF-16 code units. What is shown is `chunkText.slice(start, end)`, never the model's spelling.
 * Null too for a quote below `MIN_QUOTE_CHARACTERS`. Time is linear (the engine's search is Boyer-Moore).
 */
export function locateQuote(quote: string, chunkText: string): Span | null {
  return locateIn(normalise(chunkText), quote, chunkText);
}

function locateIn(searched: NormalisedText, quote: string, chunkText: string): Span | null {
  const wanted = normalise(quote.trim()).text;
  if (wanted.length < MIN_QUOTE_CHARACTERS) return null;
  for (let at = searched.text.indexOf(wanted); at !== -1; at = searched.text.indexOf(wanted, at + 1)) {
    const start = searched.starts[at];
    const end = searched.ends[at + wanted.length - 1];
    if (start === undefined || end === undefined) return null;
    if (!splitsSurrogatePair(chunkText, start) && !splitsSurrogatePair(chunkText, end)) return { start, end };
  }
  return null;
}

/** A citation of `text.slice(span.start, span.end)` of a chunk; the offsets become the document's. */
function citationOf(chunk: Chunk, span: Span): Citation {
  return {
    documentId: chunk.documentId,
    documentVersion: chunk.documentVersion,
    uri: chunk.uri,
    title: chunk.title,
    headingPath: chunk.headingPath,
    ...(chunk.page === null ? {} : { page: chunk.page }),
    chunkId: chunk.chunkId,
    quote: chunk.text.slice(span.start, span.end),
    start: chunk.start + span.start,
    end: chunk.start + span.end,
  };
}

/**
 * Looks up every quote of a model's answer in the chunk that it names. Located quotes are shown in the document's own
 * characters, grown to whole sentences, items or rows at both ends. It never throws: what cannot be checked is rejected or counted.
 */
export function checkQuotes(modelAnswer: Pick<ModelAnswer, 'citations'>, context: readonly Chunk[]): CheckedQuotes {
  const chunks = new Map(context.map((chunk) => [chunk.chunkId, chunk]));
  // Once a chunk, not once a citation.
  const read = new Map<Chunk, { searched: NormalisedText; units: readonly Unit[] }>();
  const citations = new Map<string, Citation>();
  const rejectedQuotes = new Set<string>();
  let unknownChunks = 0;
  for (const { chunkId, quote } of modelAnswer.citations) {
    const chunk = chunks.get(chunkId);
    if (chunk === undefined) {
      unknownChunks++;
      continue;
    }
    const { searched, units } = read.get(chunk) ?? { searched: normalise(chunk.text), units: unitsOf(chunk.text) };
    read.set(chunk, { searched, units });
    const span = locateIn(searched, quote, chunk.text);
    if (span === null) {
      rejectedQuotes.add(quote);
      continue;
    }
    const citation = citationOf(chunk, toWholeUnits(span, units));
    const place = `${citation.documentId} ${citation.start} ${citation.end}`;
    if (!citations.has(place)) citations.set(place, citation);
  }
  return { citations: [...citations.values()], rejectedQuotes: [...rejectedQuotes], unknownChunks };
}
