import { constants } from 'node:fs';
import { access, readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../retrieval/errors.ts';

const SKIPPED_FOLDERS = new Set(['node_modules', '__MACOSX']);

/** Why something below a folder is not ingested. A special file is a pipe, a socket or a device. */
export type SkippedKind =
  | 'link'
  | 'hidden file'
  | 'hidden folder'
  | 'folder of packages or of an archiver'
  | 'special file'
  | 'unreadable folder';

/** What paths stand for. */
export interface CollectedFiles {
  /** Real paths, folders in order of their names. */
  readonly files: readonly string[];
  /** How many of each kind were left out. */
  readonly skipped: ReadonlyMap<SkippedKind, number>;
}

/**
 * The files that paths stand for: a file is itself, a folder all files below it in order, without hidden ones and without
 * following links out of it.
 * @throws UsageError naming every path that does not exist, or is neither a file nor a folder.
 */
export async function collectFiles(paths: readonly string[]): Promise<CollectedFiles> {
  const missing: string[] = [];
  const files: string[] = [];
  const skipped = new Map<SkippedKind, number>();
  const skip = (kind: SkippedKind) => void skipped.set(kind, (skipped.get(kind) ?? 0) + 1);
  for (const path of paths) {
    const found = await stat(path).catch(() => null);
    if (!found) missing.push(path);
    else if (found.isDirectory()) files.push(...(await walk(await realpath(path), skip)));
    else if (found.isFile()) files.push(await realpath(resolve(path)));
    // Reading a pipe that nobody writes to never ends.
    else
      throw new UsageError(
        `${path} is a pipe, a socket or a device, not a file; nothing was ingested. ` +
          'What another command writes is read with "-" and --name',
      );
  }
  if (missing.length > 0) {
    throw new UsageError(
      `${missing.join(', ')} ${missing.length === 1 ? 'does' : 'do'} not exist; nothing was ingested`,
    );
  }
  return { files: [...new Set(files)], skipped };
}

async function walk(folder: string, skip: (kind: SkippedKind) => void): Promise<string[]> {
  if (!(await mayRead(folder))) {
    skip('unreadable folder');
    return [];
  }
  const entries = await readdir(folder, { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) skip('link');
    else if (entry.name.startsWith('.')) skip(entry.isDirectory() ? 'hidden folder' : 'hidden file');
    else if (SKIPPED_FOLDERS.has(entry.name)) skip('folder of packages or of an archiver');
    else if (entry.isDirectory()) files.push(...(await walk(path, skip)));
    else if (entry.isFile()) files.push(path);
    else skip('special file');
  }
  return files;
}

// Also false for a folder whose name is not UTF-8: under the name that the system's was turned into, there is none.
async function mayRead(folder: string): Promise<boolean> {
  return access(folder, constants.R_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
