// Reads the context of a question sentence by sentence and says how well each fits.
import type { Span } from './model.ts';
import type { ContextChunk, TermRarity } from './ports.ts';
import { type AnswerKind, answerKindOf, kindFit } from './sentence-score-cues.ts';
import {
  askedTerms,
  coverage,
  namedTerms,
  type RequiredTerms,
  requiredTerms,
  saturatedMatch,
  type TermList,
  termsOf,
  type WeightedTerms,
  weightedTerms,
} from './sentence-score-terms.ts';
import { type Unit, type UnitKind, unitsOf } from './sentence-score-units.ts';

/** A sentence, or a row, record or item in its place, with what the scores are made of. */
export interface ReadSentence {
  readonly chunk: ContextChunk;
  /** Offsets into `chunk.text`. */
  readonly span: Span;
  readonly text: string;
  readonly kind: UnitKind;
  /** The header of a table row's table, else ''. */
  readonly header: string;
  /** Features in 0…1, by name; what they mean is in `sentenceFeatures`. */
  readonly features: Readonly<Record<SentenceFeature, number>>;
}

/**
 * How a sentence stands to the case that a question is about. `misses`: it speaks of other cases only, as a rule for 90 minutes does
 * for 30. `silent`: it tells no cases apart.
 */
export type Standing = 'covers' | 'misses' | 'silent';

/** How a sentence stands that stands so in several respects: one case that it misses is enough. */
export function togetherStanding(standings: readonly Standing[]): Standing {
  return (['misses', 'covers'] as const).find((standing) => standings.includes(standing)) ?? 'silent';
}

/** Where the line begins in which a sentence does; offset into `chunk.text`. */
export function lineStartOf({ chunk, span }: Pick<ReadSentence, 'chunk' | 'span'>): number {
  return Math.min(span.start, chunk.text.lastIndexOf('\n', Math.max(0, span.start - 1)) + 1);
}

/** A question and its context, read once for ranking and for the decision to answer. */
export interface ReadContext {
  readonly question: string;
  readonly kind: AnswerKind;
  readonly terms: WeightedTerms;
  /** See `askedTerms`. */
  readonly asked: ReadonlySet<string>;
  /** See `namedTerms`. */
  readonly named: ReadonlySet<string>;
  /** See `requiredTerms`. */
  readonly required: RequiredTerms;
  /** In the order of the context; a sentence that two overlapping chunks share comes once, with the better chunk. */
  readonly sentences: readonly ReadSentence[];
}

export type SentenceFeature = keyof ReturnType<typeof sentenceFeatures>;

interface ReadChunk {
  readonly chunk: ContextChunk;
  readonly index: number;
  readonly heading: TermList;
  readonly match: number;
  readonly units: readonly Unit[];
  /** Terms of each unit's values, and of the names that count for it. */
  readonly sentences: readonly TermList[];
  readonly names: readonly TermList[];
}

/** Lengths in terms that BM25's length normalisation takes for usual: a chunk of five sentences, and a sentence. */
const USUAL_CHUNK_TERMS = 110;
const USUAL_SENTENCE_TERMS = 30;
/** One unit in twenty of clapnq and chunking-eval has fewer, and hardly one of them is gold. */
const FRAGMENT_TERMS = 4;

function readChunk(chunk: ContextChunk, index: number, terms: WeightedTerms): ReadChunk {
  const heading = termsOf([chunk.title, ...chunk.headingPath].join('\n'));
  const units = unitsOf(chunk.text);
  const sentences = units.map((unit) => termsOf(unit.values));
  const names = units.map((unit) => namesThatCount(unit, terms));
  const match = saturatedMatch(terms, [...heading, ...termsOf(chunk.text)], USUAL_CHUNK_TERMS);
  return { chunk, index, heading, match, units, sentences, names };
}

/**
 * The names of a record's or a row's values, where they count: once the values themselves have something of the question
 * that the names do not say. Every row of a table has its header, and only one is meant.
 */
function namesThatCount({ values, names }: Unit, terms: WeightedTerms): TermList {
  const named = termsOf(names);
  const isMeant = termsOf(values).some((term) => terms.has(term) && !named.includes(term));
  return isMeant ? named : [];
}

/** A record that has an identifier as one of its values, a row, item or sentence that begins with it. */
function isSubject({ kind, values }: Unit, terms: WeightedTerms): boolean {
  const parts =
    kind === 'record' ? values.split('\n') : [values.replace(/^(?:\W|\d+[.)]\s)+/, '').split(/[\s|]/, 1)[0] ?? ''];
  return parts.some((part) => terms.has(`#${part.toLowerCase().replace(/[\s.:;,]+$/, '')}`));
}

function sentenceFeatures(
  read: ReadChunk,
  position: number,
  unit: Unit,
  { kind, terms, rare }: { kind: AnswerKind; terms: WeightedTerms; rare: WeightedTerms },
) {
  const text = read.chunk.text.slice(unit.start, unit.end);
  const own = read.sentences[position] ?? [];
  const heading = [...read.heading, ...(read.names[position] ?? [])];
  const ownTerms = new Set(own);
  const withHeading = new Set([...own, ...heading]);
  const matched = [...terms.keys()].filter((term) => ownTerms.has(term)).length;
  return {
    /** Weighted share of the question's terms in the sentence or in title and headings, whose words it need not repeat. */
    headedCoverage: coverage(terms, (term) => withHeading.has(term)),
    /** The same, terms that are rare within the context counting more. */
    rareCoverage: coverage(rare, (term) => withHeading.has(term)),
    /** BM25 of sentence and headings, and of the whole chunk. */
    match: saturatedMatch(terms, [...own, ...heading], USUAL_SENTENCE_TERMS),
    chunkMatch: read.match,
    /** Matched terms for the length: a short sentence that says it beats a long one that mentions it. */
    focus: own.length === 0 ? 0 : Math.min(1, matched / Math.sqrt(own.length) / 2),
    kindFit: kindFit(kind, text),
    rank: 1 / (1 + read.index),
    /** A link, a name or an aside of up to three words: it matches well and says nothing. */
    isFragment: Number(own.length < FRAGMENT_TERMS),
    isQuestion: Number(/\?\W*$/.test(text.slice(-8))),
    /** Whether it is about an identifier of the question, and does not only mention it. */
    isSubject: Number(isSubject(unit, terms)),
  };
}

/** The terms with weights that also count how few sentences of this context have them. */
function rareWithin(terms: WeightedTerms, chunks: readonly ReadChunk[]): WeightedTerms {
  const sentences = chunks.flatMap((read) => read.sentences.map((sentence) => new Set(sentence)));
  const all = Math.log(2 + sentences.length);
  const holding = (term: string): number => sentences.filter((sentence) => sentence.has(term)).length;
  return new Map(
    [...terms].map(([term, weight]) => [term, (weight * Math.log(1 + sentences.length / (1 + holding(term)))) / all]),
  );
}

/** Splits the context into sentences and measures each against the question. Time is linear in the context. */
export function readContext(question: string, context: readonly ContextChunk[], termRarity?: TermRarity): ReadContext {
  const terms = weightedTerms(question, termRarity);
  const kind = answerKindOf(question);
  const chunks = context.map((chunk, index) => readChunk(chunk, index, terms));
  const rare = rareWithin(terms, chunks);
  const sentences = new Map<string, ReadSentence>();
  for (const read of chunks) {
    for (const [position, unit] of read.units.entries()) {
      // It names what the rows below it say, and says nothing.
      if (unit.kind === 'header') continue;
      const span = { start: unit.start, end: unit.end };
      const place = `${read.chunk.documentId} ${read.chunk.start + span.start}`;
      if (sentences.has(place)) continue;
      const text = read.chunk.text.slice(span.start, span.end);
      const features = sentenceFeatures(read, position, unit, { kind, terms, rare });
      const header = unit.kind === 'row' ? unit.names : '';
      sentences.set(place, { chunk: read.chunk, span, text, kind: unit.kind, header, features });
    }
  }
  return {
    question,
    kind,
    terms,
    asked: askedTerms(question),
    named: namedTerms(terms),
    required: requiredTerms(question, terms),
    sentences: [...sentences.values()],
  };
}
