import { dotProduct } from '../retrieval/dot-product.ts';
import type { Embedder } from '../retrieval/ports.ts';
import type { Piece } from './chunk-pieces.ts';
import { type EmbedAllOptions, embedAll } from './embed-batches.ts';

// A third of what a window holds at the most (1,500 characters). With the built-in embedder nearly all neighbours are below
// 0.75, so that without a least length a chunk is a sentence. 60 questions of clapnq over 40 of its texts, and 100 of
// brandonstarxel/chunking_evaluation, at 0.75:
//                                            windows alone   cuts of any length   at least 500
//   clapnq: chunks                                      44                  244             49
//   clapnq: gold sentence quoted                     0.969                0.839          0.969
//   clapnq: nDCG@10                                  0.991                1.000          0.991
//   chunking_evaluation: chunks                      1,252                    –          2,235
//   chunking_evaluation: quotes in 5 chunks          0.965                    –          0.806
const LEAST_CHARS = 500;

/** What cuts are made by, and how long the embedder is waited for. */
export interface SemanticCutOptions extends Pick<EmbedAllOptions, 'retries' | 'onAway'> {
  readonly embedder: Embedder;
  /** Cosine of neighbouring sentences below which the subject has changed, 0…1. */
  readonly similarity: number;
  /** No cut leaves less than this before or after it, in UTF-16 code units. */
  readonly leastChars?: number;
}

/**
 * Where the subject changes: the starts of sentences whose vector has a cosine below `similarity` to that of the sentence
 * before, within one section, at least `leastChars` after the cut before and before the section's end. Sentences that the
 * embedder fails on stay with their neighbours.
 * @param sections the pieces of each section, ascending; only neighbouring sentences are compared
 * @returns offsets into the document's text, at which a chunk must begin
 */
export async function semanticCuts(
  text: string,
  sections: readonly (readonly Piece[])[],
  { embedder, similarity, leastChars = LEAST_CHARS, ...waiting }: SemanticCutOptions,
): Promise<ReadonlySet<number>> {
  const candidates = sections.map((pieces) => sentencePairs(pieces, leastChars));
  const sentences = [...new Set(candidates.flat().flatMap(({ before, piece }) => [before, piece]))];
  const vectors = await embedAll(
    embedder,
    sentences.map(({ start, end }) => text.slice(start, end)),
    waiting,
  );
  const vectorOf = new Map(sentences.map((sentence, index) => [sentence, vectors[index]]));
  const changes = ({ before, piece }: SentencePair) => {
    const [a, b] = [vectorOf.get(before), vectorOf.get(piece)];
    return a && b && dotProduct(a, b) < similarity;
  };
  const cuts = new Set<number>();
  for (const [index, pairs] of candidates.entries()) {
    let begun = sections[index]?.[0]?.start ?? 0;
    for (const pair of pairs) {
      if (pair.piece.start - begun < leastChars || !changes(pair)) continue;
      begun = pair.piece.start;
      cuts.add(begun);
    }
  }
  return cuts;
}

interface SentencePair {
  readonly before: Piece;
  readonly piece: Piece;
}

/** Neighbouring sentences of a section between which there is text enough on both sides for a cut. */
function sentencePairs(pieces: readonly Piece[], leastChars: number): SentencePair[] {
  const start = pieces[0]?.start ?? 0;
  const end = pieces.at(-1)?.end ?? 0;
  return pieces.slice(1).flatMap((piece, index) => {
    const before = pieces[index];
    const bothLong = piece.start - start >= leastChars && end - piece.start >= leastChars;
    return bothLong && before?.kind === 'sentence' && piece.kind === 'sentence' ? [{ before, piece }] : [];
  });
}
