// The context of a question, made from bare texts, and what the built-in answerer says to it.
import { createExtractiveModel } from '../../retrieval/extractive-answer.ts';
import type { AnswerModel, ContextChunk } from '../../retrieval/ports.ts';

/** A text of a context; each is a document of its own unless `documentId` says otherwise. */
export interface ContextText {
  readonly text: string;
  readonly title?: string;
  readonly headingPath?: readonly string[];
  readonly documentId?: string;
}

/** One chunk a text, with the ids `chunk-1`, `chunk-2` and so on, best first. */
export function contextOf(...texts: readonly ContextText[]): ContextChunk[] {
  return texts.map(({ text, title = 'Handbook', headingPath = [], documentId }, index): ContextChunk => {
    const place = { start: 0, end: text.length };
    return {
      ...place,
      chunkId: `chunk-${index + 1}`,
      documentId: documentId ?? `document-${index + 1}`,
      documentVersion: 1,
      sourceId: 'folder',
      uri: `file:///${index + 1}.md`,
      title,
      headingPath,
      page: null,
      text,
      section: place,
      rank: index + 1,
      score: 1 / (61 + index),
      contributions: { lexical: 1 / (61 + index), vector: 0 },
      sectionText: text,
    };
  });
}

/** Asks the built-in answerer once. */
export function askExtractive(
  question: string,
  context: readonly ContextChunk[],
  options?: Parameters<typeof createExtractiveModel>[0],
): ReturnType<AnswerModel['answer']> {
  const request = { question, context, rejectedQuotes: [] };
  return createExtractiveModel(options).answer(request, { signal: new AbortController().signal });
}
