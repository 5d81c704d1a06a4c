import { PROBE_TEXT } from '../../retrieval/probe-text.ts';
import { malformedAnswer } from './exchange.ts';

/**
 * Embeds the texts that have something in them and brings all vectors to length 1. A blank text, which providers refuse, has
 * the vector (1, 0, 0, …). All have as many numbers as the embedder says, else as the first one has.
 * @throws ProviderError `provider_answer_malformed` for a missing vector, one of another size, one that points nowhere, or
 * anything in it that is no finite number.
 */
export async function unitVectors(
  embedder: { readonly id: string; readonly dimensions: number | null },
  texts: readonly string[],
  embed: (texts: readonly string[]) => Promise<readonly (readonly number[])[]>,
): Promise<number[][]> {
  const written = texts.filter((text) => text.trim() !== '');
  // Of nothing but blank texts only another one tells the size.
  const asked = written.length === 0 && texts.length > 0 && embedder.dimensions === null ? [PROBE_TEXT] : written;
  const vectors = asked.length > 0 ? await embed(asked) : [];
  const dimensions = embedder.dimensions ?? vectors[0]?.length ?? 0;
  let next = 0;
  return texts.map((text) => {
    if (text.trim() === '') return Array.from({ length: dimensions }, (_, index) => (index === 0 ? 1 : 0));
    const vector = vectors[next++] ?? [];
    // JSON has no NaN: servers write null in its place, which would count as 0 below.
    const length = vector.every(Number.isFinite) ? Math.hypot(...vector) : 0;
    if (vector.length !== dimensions || !(length > 0 && Number.isFinite(length)))
      throw malformedAnswer({ id: embedder.id, task: 'embedding' });
    return vector.map((value) => value / length);
  });
}
