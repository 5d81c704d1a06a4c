import { createHash } from 'node:crypto';
import type { Embedder } from '../../retrieval/ports.ts';

const DIMENSIONS = 16;

/** A deterministic embedder: words hashed into a few dimensions. Texts that share words are near each other. */
export function createWordEmbedder(id = 'test:words@1'): Embedder {
  return { id, dimensions: DIMENSIONS, embed: async (texts) => texts.map(embedWords) };
}

function embedWords(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0.01);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const slot = createHash('md5').update(word).digest().readUInt8(0) % DIMENSIONS;
    vector[slot] = (vector[slot] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
