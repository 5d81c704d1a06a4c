import { dotProduct } from '../retrieval/dot-product.ts';
import type { Embedder } from '../retrieval/ports.ts';
import type { Piece } from './chunk-pieces.ts';
import { embedAll } from './embed-batches.ts';

/**
 * Where the subject changes: the starts of sentences whose vector has a cosine below `similarity` to that of the sentence
 * before, within one section. Sentences that the embedder fails on stay with their neighbours.
 * @param sections the pieces of each section, ascending; only neighbouring sentences are compared
 * @returns offsets into the document's text, at which a chunk must begin
 */
export async function semanticCuts(
  text: string,
  sections: readonly (readonly Piece[])[],
  { embedder, similarity }: { embedder: Embedder; similarity: number },
): Promise<ReadonlySet<number>> {
  const pairs = sections.flatMap((pieces) =>
    pieces.slice(1).flatMap((piece, index) => {
      const before = pieces[index];
      return before?.kind === 'sentence' && piece.kind === 'sentence' ? [{ before, piece }] : [];
    }),
  );
  const sentences = [...new Set(pairs.flatMap(({ before, piece }) => [before, piece]))];
  const vectors = await embedAll(
    embedder,
    sentences.map(({ start, end }) => text.slice(start, end)),
  );
  const vectorOf = new Map(sentences.map((sentence, index) => [sentence, vectors[index]]));
  const cuts = pairs.filter(({ before, piece }) => {
    const [a, b] = [vectorOf.get(before), vectorOf.get(piece)];
    return a && b && dotProduct(a, b) < similarity;
  });
  return new Set(cuts.map(({ piece }) => piece.start));
}
