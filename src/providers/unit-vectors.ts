import { malformedAnswer } from './exchange.ts';

/**
 * Embeds the texts that have something in them and brings all vectors to length 1. A blank text, which providers refuse, has
 * the vector (1, 0, 0, …).
 * @throws ProviderError `provider_answer_malformed` for a missing vector, one of another size, or one that points nowhere.
 */
export async function unitVectors(
  embedder: { readonly id: string; readonly dimensions: number },
  texts: readonly string[],
  embed: (texts: readonly string[]) => Promise<readonly (readonly number[])[]>,
): Promise<number[][]> {
  const written = texts.filter((text) => text.trim() !== '');
  const vectors = written.length > 0 ? await embed(written) : [];
  let next = 0;
  return texts.map((text) => {
    if (text.trim() === '') return Array.from({ length: embedder.dimensions }, (_, index) => (index === 0 ? 1 : 0));
    const vector = vectors[next++] ?? [];
    const length = Math.hypot(...vector);
    if (vector.length !== embedder.dimensions || !(length > 0 && Number.isFinite(length))) {
      throw malformedAnswer(embedder);
    }
    return vector.map((value) => value / length);
  });
}
