import { loadSections } from './load-chunks.ts';
import type { RankedChunk, VisibleTo } from './model.ts';
import type { ContextChunk, Database } from './ports.ts';

/** Small chunks were found; each goes to the answer model with its parent section around it. */
export async function buildContext(
  database: Database,
  visibleTo: VisibleTo,
  ranked: readonly RankedChunk[],
): Promise<ContextChunk[]> {
  if (ranked.length === 0) return [];
  const sections = await database.read(visibleTo, (query) => loadSections(query, visibleTo, ranked));
  return ranked.map((chunk) => ({ ...chunk, sectionText: sections.get(chunk.chunkId) ?? chunk.text }));
}
