// A model's prose is kept only as far as its quotes bear it. The quotes are checked by the core; the sentences around them
// are checked here, so that a text which talks a model into saying something is not repeated to anybody.
import type { Chunk } from '../../retrieval/model.ts';
import { checkQuotes } from '../../retrieval/quote-check.ts';
import { createSupport } from '../../retrieval/sentence-support.ts';
import { splitSentences } from '../../retrieval/sentences.ts';
import type { WrittenAnswer } from './answer-schema.ts';

const MARKER = /\[\d{1,3}(?:\s*,\s*\d{1,3})*\]/;
// Links, addresses and names of hosts: where an injected text would send its reader. A name begins where no other one goes on,
// so that each is read once: 8,000 characters of `a.` took 45 ms.
const LINK = /\/\/|@|\\\\/;
const HOST = /(?<![\p{L}\p{N}-])(?<![\p{L}\p{N}-]\.)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*\.\p{L}{2,}(?![\p{L}\p{N}_])/gu;

/**
 * The answer's text: the sentences that the cited quotes support, each followed by the number of its quote (`[1]`, in
 * the order of the citations that the quote check gives). A sentence is supported by a quote that says all of it and holds
 * every address in it. Where no sentence is, the quotes speak for themselves. The text as written when a quote is wrong: the
 * core then asks again and shows none of it.
 */
export function citedAnswer(written: WrittenAnswer, context: readonly Chunk[]): string {
  const { citations, rejectedQuotes } = checkQuotes(written, context);
  if (rejectedQuotes.length > 0 || citations.length === 0) return written.answer;
  const text = withoutMarkers(written.answer);
  const supportOf = createSupport(citations);
  const numberOf = (sentence: string): number => {
    const addresses = addressesIn(sentence);
    return supportOf(sentence, ({ quote }) => addresses.every((address) => quote.includes(address))) + 1;
  };
  const kept: { readonly end: number; readonly said: string }[] = [];
  for (const { start, end } of splitSentences(text)) {
    const sentence = text.slice(start, end);
    const before = kept.at(-1);
    // The line under a table's head says nothing; it goes with the head.
    const underHead = RULE.test(sentence) && before !== undefined && text.slice(before.end, start).trim() === '';
    const number = underHead ? 0 : numberOf(sentence);
    if (!underHead && number === 0) continue;
    const gap = before === undefined ? '' : gapOf(text.slice(before.end, start));
    kept.push({ end, said: gap + (underHead ? sentence : numbered(sentence, number)) });
  }
  if (kept.length > 0) return kept.map(({ said }) => said).join('');
  return citations.map(({ quote }, index) => `${quote} [${index + 1}]`).join('\n\n');
}

const RULE = /^\|?(?:\s*:?-{2,}:?\s*\|)*\s*:?-{2,}:?\s*\|?$/;

// Rows of tables and items of lists keep their lines.
function gapOf(between: string): string {
  if (/\n[ \t]*\n/.test(between)) return '\n\n';
  return between.includes('\n') ? '\n' : ' ';
}

// Behind its last pipe a row of a table has no cell.
function numbered(sentence: string, number: number): string {
  return /^\|.*\|$/s.test(sentence) ? `${sentence.slice(0, -1).trimEnd()} [${number}] |` : `${sentence} [${number}]`;
}

// With the blanks before each.
function withoutMarkers(text: string): string {
  const parts = text.split(MARKER);
  return parts.map((part, index) => (index < parts.length - 1 ? part.trimEnd() : part)).join('');
}

function addressesIn(sentence: string): string[] {
  return sentence.split(/\s+/).flatMap((word) => {
    if (LINK.test(word)) return [word.replace(/(?<![.,;:!?)\]])[.,;:!?)\]]+$/, '')];
    return (word.match(HOST) ?? []).map((host) => host.replace(/^-+/, ''));
  });
}
