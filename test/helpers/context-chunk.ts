import type { ContextChunk } from '../../retrieval/ports.ts';

/** A context chunk of a document of its own, `text` between `before` and `after` of its section. */
export function contextChunk(
  chunkId: string,
  text: string,
  { before = '', after = '', ...rest }: { before?: string; after?: string } & Partial<ContextChunk> = {},
): ContextChunk {
  const sectionText = before + text + after;
  return {
    chunkId,
    documentId: `document-${chunkId}`,
    documentVersion: 1,
    sourceId: 'upload',
    uri: `upload://${chunkId}`,
    title: `Title of ${chunkId}`,
    headingPath: [],
    page: null,
    text,
    start: before.length,
    end: before.length + text.length,
    section: { start: 0, end: sectionText.length },
    sectionText,
    rank: 1,
    score: 1,
    contributions: { lexical: 1, vector: 0 },
    ...rest,
  };
}
