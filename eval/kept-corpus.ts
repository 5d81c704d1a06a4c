// A directory that keeps an ingested set between runs, for as long as nothing that made it has changed.
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { UsageError } from '../retrieval/errors.ts';

const MARKER = 'verbatim-eval.json';

const markerSchema = z.object({ version: z.string(), complete: z.boolean() });

/** A kept directory and whether its documents are those wanted. */
export interface KeptCorpus {
  readonly reusable: boolean;
  /** Says that all documents are in; until then the next run begins anew. */
  complete(): Promise<void>;
}

/**
 * Prepares `directory`, which exists, for documents made by `version`; what an earlier run left of another version is removed.
 * @throws UsageError when the directory holds files that no evaluation put there.
 */
export async function openKeptCorpus(directory: string, version: string): Promise<KeptCorpus> {
  const marker = join(directory, MARKER);
  const names = await readdir(directory);
  if (names.length > 0 && !names.includes(MARKER)) {
    throw new UsageError(`${directory} holds other files; give an empty directory or one that --keep made`);
  }
  const known = names.includes(MARKER) ? readMarker(await readFile(marker, 'utf8')) : null;
  const reusable = known?.version === version && known.complete;
  const write = (complete: boolean) => writeFile(marker, `${JSON.stringify({ version, complete })}\n`);
  if (!reusable) {
    // The marker first: without it the rest would be somebody else's files to the next run.
    await write(false);
    const others = names.filter((name) => name !== MARKER);
    await Promise.all(others.map((name) => rm(join(directory, name), { recursive: true, force: true })));
  }
  return { reusable, complete: () => write(true) };
}

function readMarker(content: string): z.output<typeof markerSchema> | null {
  try {
    return markerSchema.parse(JSON.parse(content));
  } catch {
    return null; // cut off while it was written: the documents are made again
  }
}

/** One value for everything that documents are made by: the files under `paths`, and what else is given. */
export async function hashOfFiles(paths: readonly string[], others: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const part of others) hash.update(`${part}\n`);
  for (const path of paths) {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.sort()) hash.update(`${file.slice(path.length)}\n`).update(await readFile(file));
  }
  return hash.digest('hex');
}
