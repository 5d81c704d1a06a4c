// The reranker that is built in: cheap signs that BM25 over a whole chunk does not see. It asks nobody and needs nothing.
import { setImmediate } from 'node:timers/promises';
import { OTHER_INITIALS } from './irregular-forms.ts';
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

// A few milliseconds; on a busy machine several times that, and everybody else waits so long.
const READ_AT_ONCE = 8;

/** A run of words: where which of the question's terms stand in it, in order, and how often each does. */
interface Run {
  readonly length: number;
  readonly found: readonly { readonly at: number; readonly term: number }[];
  readonly counts: readonly number[];
}

interface Candidate {
  readonly head: Run;
  /** Share of the different stems of the title and headings that are terms of the question. */
  readonly headPrecision: number;
  readonly sentences: readonly Run[];
  readonly identifiers: ReadonlySet<string>;
}

/** Weights of the question's terms, by their places, and of its identifiers. */
interface Weights {
  readonly words: readonly number[];
  readonly identifiers: ReadonlyMap<string, number>;
}

/**
 * Makes the built-in reranker. The first line of a text is its title and headings. Scores are 0…1.25.
 * Thirty chunks of 1,200 characters took 18 ms of processor time on a busy machine, most of it for finding the words.
 */
export function createWordReranker(): Reranker & { readonly scoresAre: 'shares' } {
  return {
    id: 'builtin:words@1',
    scoresAre: 'shares',
    async rerank(question, texts) {
      const { words, identifiers } = questionTerms(question);
      const sequence = words.map(stem);
      const terms = [...new Set(sequence)];
      const read = createReader(terms, identifiers.length > 0);
      const candidates: Candidate[] = [];
      for (const [index, text] of texts.entries()) {
        if (index > 0 && index % READ_AT_ONCE === 0) await setImmediate();
        candidates.push(read(text));
      }
      const rare = weighByRarity(terms.length, identifiers, candidates);
      const equal: Weights = { words: terms.map(() => 1), identifiers: new Map(identifiers.map((each) => [each, 1])) };
      const two = shareOfBest(bestWindows(candidates, 2, rare));
      const one = shareOfBest(bestWindows(candidates, 1, equal));
      const asked = sequence.map((each) => terms.indexOf(each));
      return candidates.map(
        (candidate, index) =>
          WEIGHTS.headPrecision * candidate.headPrecision +
          WEIGHTS.twoSentences * (two[index] ?? 0) +
          WEIGHTS.oneSentence * (one[index] ?? 0) +
          WEIGHTS.phrase * phraseShare(candidate, asked),
      );
    },
  };
}

// A word is looked up once a question: most of the time goes into words that are no term.
function createReader(terms: readonly string[], withIdentifiers: boolean): (text: string) => Candidate {
  const places = new Map(terms.map((term, place) => [term, place]));
  const placeOf = new Map<string, number>();
  const initials = new Set(terms.map((term) => term.charAt(0)));
  const find = (word: string): number => {
    if (!initials.has(word.charAt(0)) && !OTHER_INITIALS.has(word)) return -1;
    const known = placeOf.get(word);
    if (known !== undefined) return known;
    const place = places.get(stem(word)) ?? -1;
    placeOf.set(word, place);
    return place;
  };
  const runOf = (text: string): Run => {
    const words = wordsIn(text);
    const found: { at: number; term: number }[] = [];
    const counts = terms.map(() => 0);
    for (const [at, word] of words.entries()) {
      const term = find(word);
      if (term < 0) continue;
      found.push({ at, term });
      counts[term] = (counts[term] ?? 0) + 1;
    }
    return { length: words.length, found, counts };
  };
  return (text) => {
    const lineEnd = text.indexOf('\n');
    const title = text.slice(0, Math.max(0, lineEnd));
    const body = text.slice(lineEnd + 1);
    const different = [...new Set(wordsIn(title).map(stem))];
    return {
      head: runOf(title),
      headPrecision:
        different.length === 0 ? 0 : different.filter((each) => places.has(each)).length / different.length,
      sentences: splitSentences(body).map(({ start, end }) => runOf(body.slice(start, end))),
      identifiers: new Set(withIdentifiers ? identifiersIn(text) : []),
    };
  };
}

// Among the candidates, not the corpus: a word that all of them have tells none from another.
function weighByRarity(terms: number, identifiers: readonly string[], candidates: readonly Candidate[]): Weights {
  const idf = (holds: (candidate: Candidate) => boolean) => {
    const count = candidates.filter(holds).length;
    return Math.log(1 + (candidates.length - count + 0.5) / (count + 0.5));
  };
  return {
    words: Array.from({ length: terms }, (_, place) =>
      idf(({ head, sentences }) => [head, ...sentences].some(({ counts }) => (counts[place] ?? 0) > 0)),
    ),
    identifiers: new Map(
      identifiers.map((identifier) => [identifier, idf((candidate) => candidate.identifiers.has(identifier))]),
    ),
  };
}

// BM25 of each candidate's best run of `size` sentences, its title and headings in front of every run.
function bestWindows(candidates: readonly Candidate[], size: number, weights: Weights): number[] {
  const windows = candidates.map(({ head, sentences }) =>
    Array.from({ length: Math.max(1, sentences.length - size + 1) }, (_, first) => [
      head,
      ...sentences.slice(first, first + size),
    ]),
  );
  const lengths = windows.flat().map(lengthOf);
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return candidates.map(({ identifiers }, index) => {
    let named = 0;
    for (const [identifier, weight] of weights.identifiers) if (identifiers.has(identifier)) named += weight;
    return named + Math.max(...(windows[index] ?? []).map((window) => bm25(window, weights.words, average)));
  });
}

function lengthOf(window: readonly Run[]): number {
  return window.reduce((sum, { length }) => sum + length, 0);
}

function bm25(window: readonly Run[], weights: readonly number[], average: number): number {
  const room = K1 * (1 - B + (B * lengthOf(window)) / average);
  return weights.reduce((score, weight, place) => {
    const count = window.reduce((sum, { counts }) => sum + (counts[place] ?? 0), 0);
    return count === 0 ? score : score + (weight * count * (K1 + 1)) / (count + room);
  }, 0);
}

function shareOfBest(values: readonly number[]): number[] {
  const best = Math.max(...values);
  return values.map((value) => (best > 0 ? value / best : 0));
}

// Of the question's neighbouring terms, those that stand together here too.
function phraseShare({ head, sentences }: Candidate, asked: readonly number[]): number {
  if (asked.length < 2) return 0;
  const pairs = asked.slice(1).map((term, index) => [asked[index] ?? 0, term] as const);
  // A title's last word and the text's first are no phrase.
  const runs = [head.found, foundInOrder(sentences)];
  const standTogether = ([first, second]: readonly [number, number]) =>
    runs.some((run) =>
      run.some(
        (one, index) =>
          one.term === first &&
          run
            .slice(index + 1, index + 1 + PHRASE_REACH)
            .some(({ at, term }) => term === second && at - one.at <= PHRASE_REACH),
      ),
    );
  return pairs.filter(standTogether).length / pairs.length;
}

function foundInOrder(sentences: readonly Run[]): Run['found'] {
  let before = 0;
  return sentences.flatMap(({ found, length }) => {
    const start = before;
    before += length;
    return found.map(({ at, term }) => ({ at: start + at, term }));
  });
}
