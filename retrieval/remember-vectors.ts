// Vectors of what is asked and compared again and again: a question is embedded for the search and for the answerer, and
// the sentences of a much read document come with every question about it. The seven short texts of an answer took 200 of
// its 415 ms of processor time with the built-in embedder, 99 questions of the demo company one after the other.
import { createHash } from 'node:crypto';
import type { Clock, Embedder } from './ports.ts';

/** Texts kept in each of two generations: 512 dimensions of 8 bytes each make 8 MB of 2,000. */
const GENERATION_TEXTS = 2_000;
/** What is forgotten must be gone here too: a vector says something of its text. */
const GENERATION_MS = 5 * 60_000;

/**
 * The same embedder, which gives the vectors of what it embedded as a question again, for ten minutes at the most. It keeps
 * digests and no texts. Documents are embedded once each and pass through.
 */
export function rememberVectors(embedder: Embedder, clock: Clock): Embedder {
  const generation = () => ({ vectors: new Map<string, number[]>(), begunAt: clock() });
  let recent = generation();
  let older = generation();
  const dropOld = () => {
    if (recent.vectors.size >= GENERATION_TEXTS || clock() - recent.begunAt >= GENERATION_MS) {
      older = recent;
      recent = generation();
    }
    if (clock() - older.begunAt >= 2 * GENERATION_MS) older = generation();
  };
  return {
    id: embedder.id,
    dimensions: embedder.dimensions,
    async embed(texts, kind) {
      if (kind === 'document') return embedder.embed(texts, kind);
      dropOld();
      const wanted = texts.map((text) => ({ text, key: digestOf(text) }));
      const known = wanted.map(({ key }) => recent.vectors.get(key) ?? older.vectors.get(key));
      const missing = wanted.filter((_, index) => !known[index]);
      const anew = missing.map(({ text }) => text);
      const made = anew.length === 0 ? [] : await embedder.embed(anew, kind);
      for (const [index, { key }] of missing.entries()) {
        const vector = made[index];
        if (vector) recent.vectors.set(key, vector);
      }
      let next = 0;
      return known.map((vector) => vector ?? made[next++] ?? []);
    },
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
