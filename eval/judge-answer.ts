// What is right and wrong about an answer, told from the set alone and not from what the product believes.
import type { Answer, Chunk, Citation } from '../retrieval/model.ts';
import { splitSentences } from '../retrieval/sentences.ts';
import type { CorpusText } from './dataset.ts';
import { normaliseText } from './normalise-text.ts';

/** Number of citations whose quote stands, to the character, at its offsets in its chunk. */
export function countValidQuotes(citations: readonly Citation[], chunks: ReadonlyMap<string, Chunk>): number {
  return citations.filter((citation) => {
    const chunk = chunks.get(citation.chunkId);
    if (!chunk || chunk.documentId !== citation.documentId || citation.quote === '') return false;
    return chunk.text.slice(citation.start - chunk.start, citation.end - chunk.start) === citation.quote;
  }).length;
}

/** Whether the quotes together hold one of the sentences, but for white space and the form of quotation marks. */
export function containsGoldSentence(citations: readonly Citation[], goldSentences: readonly string[]): boolean {
  const quoted = [...citations]
    .sort((a, b) => (a.documentId < b.documentId ? -1 : a.documentId > b.documentId ? 1 : a.start - b.start))
    .map(({ quote }) => quote)
    .join(' ');
  const normalised = normaliseText(quoted);
  return goldSentences.map(normaliseText).some((sentence) => sentence !== '' && normalised.includes(sentence));
}

// Shorter ones ("Yes.", "See below.") stand in any text.
const MIN_TELLING_CHARACTERS = 25;

/**
 * Whether an answer says the title or a sentence of a text that its readers may not read. What the question itself says,
 * and what also stands in a text that they may read, tells nothing.
 * @param isReadable whether a normalised stretch stands in a text that the readers may read
 */
export function names(
  answer: Pick<Answer, 'text' | 'citations'>,
  question: string,
  forbidden: CorpusText,
  isReadable: (normalised: string) => boolean,
): boolean {
  const said = normaliseText(
    [answer.text, ...answer.citations.flatMap(({ title, quote }) => [title, quote])].join('\n'),
  );
  const asked = normaliseText(question);
  const sentences = splitSentences(forbidden.text)
    .map(({ start, end }) => normaliseText(forbidden.text.slice(start, end)))
    .filter((sentence) => sentence.length >= MIN_TELLING_CHARACTERS);
  const title = normaliseText(forbidden.title);
  return [...(title === '' ? [] : [title]), ...sentences].some(
    (telling) => said.includes(telling) && !asked.includes(telling) && !isReadable(telling),
  );
}

/** Whether someone who holds `principals` may read a text: one of every layer. The rule in plain code, as an oracle. */
export function mayRead(acl: CorpusText['acl'], principals: readonly string[]): boolean {
  return acl.length > 0 && acl.every((layer) => layer.some((principal) => principals.includes(principal)));
}
