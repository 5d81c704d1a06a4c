// Chunks of any number that behave like real ones in a search: words by Zipf's law with topics, vectors in clusters.

/** A chunk with its vector; `group` says which share of the readers' rights it needs. */
export interface SyntheticChunk {
  readonly number: number;
  readonly document: number;
  readonly group: number;
  readonly text: string;
  readonly vector: Float32Array;
}

export interface SyntheticQuestion {
  readonly text: string;
  readonly vector: readonly number[];
}

export interface SyntheticCorpus {
  /** The chunks from `first` on, the same whenever they are asked for. */
  batch(first: number, count: number): SyntheticChunk[];
  questions(count: number): SyntheticQuestion[];
}

export const VECTOR_DIMENSIONS = 512; // of the built-in embedder
const CHUNKS_PER_DOCUMENT = 10;
const CLUSTERS = 256;
// With this the nearest of 10,000 chunks have a cosine of about 0.6 to a question, as with the built-in embedder.
const NOISE = 0.9;
const WORDS_PER_CHUNK = 60;
const TOPIC_WORDS = 12;
const VOCABULARY = 20_000;

/** A corpus in which the groups up to `shares[i]` hold that many percent of the documents; `shares` ascend to 100. */
export function createSyntheticCorpus({ shares, seed }: { shares: readonly number[]; seed: number }): SyntheticCorpus {
  const vocabulary = Array.from({ length: VOCABULARY }, (_, index) => pseudoWord(index));
  const base = createRandom(seed);
  const centres = Array.from({ length: CLUSTERS }, () => gaussianVector(base));
  const topics = Array.from({ length: CLUSTERS }, () =>
    Array.from({ length: TOPIC_WORDS }, () => vocabulary[Math.floor(base() * VOCABULARY)] ?? ''),
  );
  const zipfWord = (random: () => number) => vocabulary[Math.floor(VOCABULARY ** random()) - 1] ?? '';
  const near = (cluster: number, random: () => number) => {
    const centre = centres[cluster] ?? new Float32Array(VECTOR_DIMENSIONS);
    return unit(gaussianVector(random).map((value, at) => (centre[at] ?? 0) + NOISE * value));
  };
  const chunk = (number: number): SyntheticChunk => {
    const document = Math.floor(number / CHUNKS_PER_DOCUMENT);
    const percent = createRandom(seed ^ Math.imul(document + 1, 0x9e3779b1))() * 100;
    const random = createRandom(seed ^ Math.imul(number + 1, 0x85ebca6b));
    const cluster = Math.floor(random() * CLUSTERS);
    const topic = topics[cluster] ?? [];
    const words = Array.from({ length: WORDS_PER_CHUNK }, () =>
      random() < 0.2 ? (topic[Math.floor(random() * TOPIC_WORDS)] ?? '') : zipfWord(random),
    );
    return {
      number,
      document,
      group: shares.findIndex((share) => percent < share),
      text: `${words.join(' ')}.`,
      vector: near(cluster, random),
    };
  };
  return {
    batch: (first, count) => Array.from({ length: count }, (_, offset) => chunk(first + offset)),
    questions(count) {
      const random = createRandom(seed + 1);
      return Array.from({ length: count }, (_, index) => {
        const cluster = Math.floor(random() * CLUSTERS);
        const topic = topics[cluster] ?? [];
        const words = [0, 1, 2].map(() => topic[Math.floor(random() * TOPIC_WORDS)]);
        return {
          text: `Where is ${words.join(' ')} ${zipfWord(random)} ${zipfWord(random)} ${index}?`,
          vector: Array.from(near(cluster, random)),
        };
      });
    },
  };
}

// Mulberry32, by Tommy Ettinger (public domain): small, seeded, good enough for texts.
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// By Box and Muller; length about 1.
function gaussianVector(random: () => number): Float32Array {
  const scale = 1 / Math.sqrt(VECTOR_DIMENSIONS);
  return new Float32Array(VECTOR_DIMENSIONS).map(
    () => scale * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const SYLLABLES = ['ba', 'ke', 'di', 'fo', 'gu', 'la', 'me', 'ni', 'po', 'ru', 'sa', 'te', 'vi', 'zo', 'cha', 'str'];

function pseudoWord(index: number): string {
  const part = (shift: number) => SYLLABLES[(index >> shift) & 15] ?? '';
  return `${part(0)}${part(4)}${part(8)}${index >> 12 ? part(12) : ''}n`;
}
