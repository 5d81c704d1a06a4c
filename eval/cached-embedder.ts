import { createHash } from 'node:crypto';
import { appendFile, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Embedder } from '../retrieval/ports.ts';
import { PROBE_TEXT } from '../retrieval/probe-text.ts';

/** An embedder that remembers, and how often that helped. */
export interface CachedEmbedder extends Embedder {
  /** Documents' texts that were given from the cache and that were computed, so far. */
  readonly counts: { readonly remembered: number; readonly computed: number };
}

const KEY_BYTES = 32; // of SHA-256
const FLOAT_BYTES = 4; // the models compute in single precision
const KEY_ENCODING = 'hex';

/**
 * Remembers vectors by their text, those of documents in one file for each embedder under `directory`, which exists, so
 * that a second evaluation of a set computes none of them. What is embedded as a question is remembered for this run only:
 * the time of an answer holds it, as in the product, whatever ran before. Vectors are given in single precision also when
 * they are new, so that all runs agree.
 *
 * The file is a row of records, the SHA-256 of kind and text and then the vector; several processes may append to it. A
 * record that a killed process left unfinished is cut off by the next one. Needs as much memory as the file is long.
 */
export async function createCachedEmbedder(embedder: Embedder, directory: string): Promise<CachedEmbedder> {
  const { id } = embedder;
  const dimensions = embedder.dimensions ?? (await embedder.embed([PROBE_TEXT], 'document'))[0]?.length ?? 0;
  const path = join(directory, `${id.replace(/[^\w.@-]+/g, '-')}-${dimensions}.vectors`);
  const stored = await readVectors(path, dimensions);
  const asked = new Map<string, Float32Array>();
  const counts = { remembered: 0, computed: 0 };
  return {
    id,
    dimensions,
    counts,
    async embed(texts, kind) {
      const known = kind === 'document' ? stored : asked;
      const keys = texts.map((text) => keyOf(kind, text));
      const missing = new Map<string, string>();
      keys.forEach((key, index) => {
        if (!known.has(key)) missing.set(key, texts[index] ?? '');
      });
      if (kind === 'document') {
        counts.remembered += texts.length - missing.size;
        counts.computed += missing.size;
      }
      if (missing.size > 0) {
        const vectors = await embedder.embed([...missing.values()], kind);
        const added = [...missing.keys()].map((key, index) => [key, Float32Array.from(vectors[index] ?? [])] as const);
        for (const [key, vector] of added) known.set(key, vector);
        if (kind === 'document')
          await appendFile(path, Buffer.concat(added.flatMap(([key, vector]) => record(key, vector))));
      }
      return keys.map((key) => Array.from(known.get(key) ?? []));
    },
  };
}

// The kind belongs to the key: some models embed a question in another way than a document of the same words.
function keyOf(kind: 'document' | 'question', text: string): string {
  return createHash('sha256').update(`${kind}\n${text}`).digest(KEY_ENCODING);
}

function record(key: string, vector: Float32Array): Buffer[] {
  return [Buffer.from(key, KEY_ENCODING), Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)];
}

async function readVectors(path: string, dimensions: number): Promise<Map<string, Float32Array>> {
  const recordBytes = KEY_BYTES + dimensions * FLOAT_BYTES;
  const file = await open(path, 'a+');
  let whole: number;
  try {
    const { size } = await file.stat();
    whole = Math.floor(size / recordBytes);
    if (whole * recordBytes < size) await file.truncate(whole * recordBytes);
  } finally {
    await file.close();
  }
  const bytes = await readFile(path);
  const known = new Map<string, Float32Array>();
  for (let at = 0; at < whole * recordBytes; at += recordBytes) {
    const vector = new Float32Array(dimensions);
    Buffer.from(vector.buffer).set(bytes.subarray(at + KEY_BYTES, at + recordBytes));
    known.set(bytes.toString(KEY_ENCODING, at, at + KEY_BYTES), vector);
  }
  return known;
}
