import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../retrieval/errors.ts';

const SKIPPED_FOLDERS = new Set(['node_modules', '__MACOSX']);

/**
 * The files that paths stand for: a file is itself, a folder all files below it in order, without hidden ones and without
 * following links out of it.
 * @throws UsageError naming every path that does not exist.
 */
export async function collectFiles(paths: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  const files: string[] = [];
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (!found) missing.push(path);
    else if (found.isDirectory()) files.push(...(await walk(await realpath(path))));
    else files.push(await realpath(resolve(path)));
  }
  if (missing.length > 0) {
    throw new UsageError(
      `${missing.join(', ')} ${missing.length === 1 ? 'does' : 'do'} not exist; nothing was ingested`,
    );
  }
  return [...new Set(files)];
}

async function walk(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.') || SKIPPED_FOLDERS.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await walk(path)));
    else if (entry.isFile()) files.push(path);
  }
  return files;
}
