// The reranker that is built in: cheap signs that BM25 over a whole chunk does not see. It asks nobody and needs nothing.
import type { Reranker } from './ports.ts';
import { identifiersIn, questionTerms, wordsIn } from './question-terms.ts';
import { stem } from './sentence-score-stem.ts';
import { splitSentences } from './sentences.ts';

// Weights of the signs, each sign 0…1; the sum is added to the score of the fused searches as a share of the best one's.
// Fitted on three sets and looked at on the fourth, gain in nDCG@10 over fusion alone on the set that was left out:
// scifact +0.005, handbook +0.011, product-docs +0.021, clapnq +0.003. Around these values the gain is flat. Turned down
// because they help one set and harm another: the share of the question in the title (product-docs +0.013, handbook
// -0.022), the nearness of its words, whole-chunk BM25 with the candidates' own frequencies, the place in the document.
const WEIGHTS = { headPrecision: 0.3, twoSentences: 0.25, oneSentence: 0.2, phrase: 0.5 };

// k1 and b as in the lexical search (Robertson and Zaragoza, 2009).
const K1 = 1.2;
const B = 0.75;

const PHRASE_REACH = 2; // words: "leave of absence" holds the pair "leave absence", whose "of" is no term

// Stems are needed again with the next question; a corpus has a few ten thousand different words.
const MAX_KEPT_STEMS = 50_000;

interface Candidate {
  /** Stems of the title and headings, and of each sentence. */
  readonly head: readonly string[];
  readonly sentences: readonly (readonly string[])[];
  readonly identifiers: ReadonlySet<string>;
}

/** The terms of a question with weights: words by their stems, and identifiers. */
interface Weighted {
  readonly words: ReadonlyMap<string, number>;
  readonly identifiers: ReadonlyMap<string, number>;
}

/** Makes the built-in reranker. The first line of a text is its title and headings. Scores are 0…1.25. */
export function createWordReranker(): Reranker & { readonly scoresAre: 'shares' } {
  const stems = new Map<string, string>();
  const stemsOf = (text: string): string[] =>
    wordsIn(text).map((word) => {
      const known = stems.get(word);
      if (known !== undefined) return known;
      if (stems.size >= MAX_KEPT_STEMS) stems.clear();
      const made = stem(word);
      stems.set(word, made);
      return made;
    });
  const read = (text: string): Candidate => {
    const lineEnd = text.indexOf('\n');
    const body = text.slice(lineEnd + 1);
    return {
      head: stemsOf(text.slice(0, Math.max(0, lineEnd))),
      sentences: splitSentences(body).map(({ start, end }) => stemsOf(body.slice(start, end))),
      identifiers: new Set(identifiersIn(text)),
    };
  };
  return {
    id: 'builtin:words@1',
    scoresAre: 'shares',
    async rerank(question, texts) {
      const terms = questionTerms(question);
      const words = terms.words.map(stem);
      const candidates = texts.map(read);
      const rare = weighByRarity(words, terms.identifiers, candidates);
      const equal: Weighted = { words: allOne(words), identifiers: allOne(terms.identifiers) };
      const two = shareOfBest(bestWindows(candidates, 2, rare));
      const one = shareOfBest(bestWindows(candidates, 1, equal));
      return candidates.map(
        (candidate, index) =>
          WEIGHTS.headPrecision * headPrecision(candidate, rare.words) +
          WEIGHTS.twoSentences * (two[index] ?? 0) +
          WEIGHTS.oneSentence * (one[index] ?? 0) +
          WEIGHTS.phrase * phraseShare(candidate, words),
      );
    },
  };
}

function allOne(terms: readonly string[]): Map<string, number> {
  return new Map(terms.map((term) => [term, 1]));
}

// Among the candidates, not the corpus: a word that all of them have tells none from another.
function weighByRarity(
  words: readonly string[],
  identifiers: readonly string[],
  candidates: readonly Candidate[],
): Weighted {
  const all = candidates.map(({ head, sentences }) => new Set([...head, ...sentences.flat()]));
  const idf = (count: number) => Math.log(1 + (candidates.length - count + 0.5) / (count + 0.5));
  return {
    words: new Map(words.map((word) => [word, idf(all.filter((stems) => stems.has(word)).length)])),
    identifiers: new Map(
      identifiers.map((identifier) => [
        identifier,
        idf(candidates.filter((candidate) => candidate.identifiers.has(identifier)).length),
      ]),
    ),
  };
}

// BM25 of each candidate's best run of `size` sentences, its title and headings in front of every run.
function bestWindows(candidates: readonly Candidate[], size: number, weights: Weighted): number[] {
  const windows = candidates.map(({ head, sentences }) =>
    Array.from({ length: Math.max(1, sentences.length - size + 1) }, (_, first) => [
      ...head,
      ...sentences.slice(first, first + size).flat(),
    ]),
  );
  const lengths = windows.flat().map((window) => window.length);
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return candidates.map(({ identifiers }, index) => {
    let named = 0;
    for (const [identifier, weight] of weights.identifiers) if (identifiers.has(identifier)) named += weight;
    return named + Math.max(...(windows[index] ?? []).map((window) => bm25(window, weights.words, average)));
  });
}

function bm25(stems: readonly string[], weights: ReadonlyMap<string, number>, average: number): number {
  const counts = new Map<string, number>();
  for (const each of stems) if (weights.has(each)) counts.set(each, (counts.get(each) ?? 0) + 1);
  const room = K1 * (1 - B + (B * stems.length) / average);
  let score = 0;
  for (const [term, count] of counts) score += ((weights.get(term) ?? 0) * count * (K1 + 1)) / (count + room);
  return score;
}

function shareOfBest(values: readonly number[]): number[] {
  const best = Math.max(...values);
  return values.map((value) => (best > 0 ? value / best : 0));
}

// A title that says what the question says and nothing else.
function headPrecision({ head }: Candidate, words: ReadonlyMap<string, number>): number {
  const different = [...new Set(head)];
  return different.length === 0 ? 0 : different.filter((each) => words.has(each)).length / different.length;
}

// Of the question's neighbouring terms, those that stand together here too.
function phraseShare({ head, sentences }: Candidate, words: readonly string[]): number {
  if (words.length < 2) return 0;
  const places = new Map<string, number[]>(words.map((word) => [word, []]));
  let at = 0;
  for (const each of head) places.get(each)?.push(at++) ?? at++;
  at += PHRASE_REACH; // a title's last word and the text's first are no phrase
  for (const sentence of sentences) for (const each of sentence) places.get(each)?.push(at++) ?? at++;
  const together = words.slice(1).filter((word, index) => {
    const after = new Set(places.get(word));
    const before = places.get(words[index] ?? '') ?? [];
    return before.some((place) =>
      Array.from({ length: PHRASE_REACH }, (_, by) => place + by + 1).some((p) => after.has(p)),
    );
  });
  return together.length / (words.length - 1);
}
