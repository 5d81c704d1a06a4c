// The embedded server's directory on disk: who owns it, and where its socket is.
import { createHash } from 'node:crypto';
import {
  chmod,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { tryLock, unlock } from 'fs-native-extensions';
import { z } from 'zod';
import { DatabaseUnavailableError } from '../../retrieval/errors.ts';

/** A data directory that this process holds the lock of; the system releases it when the process ends, however it ends. */
export interface DirectoryLock {
  /** @returns when another process may take it. */
  release(): Promise<void>;
}

const serverFileSchema = z.object({
  format: z.literal(1),
  pid: z.number().int(),
  state: z.enum(['starting', 'ready']),
  /** Whether others may connect. A command that ends soon says no: its end would be theirs. */
  shared: z.boolean().default(true),
  host: z.string(),
  port: z.number().int(),
  startedAt: z.string(),
});

/** What the owner of a data directory tells other processes, in `server.json`. */
export type ServerFile = z.infer<typeof serverFileSchema>;

// The name of a socket is limited to 104 bytes on macOS and 108 on Linux (sun_path in sys/un.h), its end included.
const MAX_SOCKET_PATH_BYTES = 100;

/** The port number in the name of the socket; nothing listens on a port of the network. */
export const SOCKET_PORT = 5432;

/**
 * Creates the directory, readable by its owner only.
 * @returns its real path.
 * @throws DatabaseUnavailableError when it cannot be created or written.
 */
export async function prepareDataDirectory(dataDir: string): Promise<string> {
  await makeDirectory(dataDir);
  try {
    await chmod(dataDir, 0o700);
    return await realpath(dataDir);
  } catch (error) {
    throw cannotBeUsed(dataDir, error);
  }
}

/**
 * Creates a directory that is not there, and those above it; one that is there stays as it is.
 * @throws DatabaseUnavailableError when it cannot be created.
 */
export async function makeDirectory(directory: string): Promise<void> {
  try {
    await makeDirectories(resolve(directory));
  } catch (error) {
    throw cannotBeUsed(directory, error);
  }
}

function cannotBeUsed(directory: string, cause: unknown): DatabaseUnavailableError {
  return new DatabaseUnavailableError(
    `the data directory ${directory} cannot be used; it must be a directory that this user owns and may write`,
    { cause },
  );
}

// One level at a time: in a file system that makes no directories but says ENOENT, as /proc does, Node's recursive mkdir
// tries for ever (Node 20.20).
async function makeDirectories(directory: string): Promise<void> {
  if (await isDirectory(directory)) return;
  const parent = dirname(directory);
  if (parent !== directory) await makeDirectories(parent);
  await mkdir(directory, { mode: 0o700 }).catch(async (error: unknown) => {
    // Another process that starts now may have made it.
    if (!(await isDirectory(directory))) throw error;
  });
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/**
 * Takes the directory's lock, if no other process holds it.
 * @throws DatabaseUnavailableError when the file system cannot hold the lock file.
 */
export async function lockDataDirectory(dataDir: string): Promise<DirectoryLock | null> {
  let file: FileHandle | undefined;
  try {
    file = await open(join(dataDir, 'lock'), 'a+', 0o600);
    if (tryLock(file.fd)) return holding(file);
    await file.close();
    return null;
  } catch (error) {
    await file?.close();
    throw new DatabaseUnavailableError(
      `the data directory ${dataDir} cannot be locked; it must be writable and on a local file system`,
      { cause: error },
    );
  }
}

function holding(file: FileHandle): DirectoryLock {
  let held = true;
  return {
    async release() {
      if (!held) return;
      held = false;
      unlock(file.fd);
      await file.close();
    },
  };
}

/**
 * Where the server's socket goes: the data directory, or, when that path is too long for a socket, a directory of the
 * system's temporary ones that only this user can enter.
 */
export async function socketDirectory(dataDir: string): Promise<string> {
  // Windows connects by TCP, so the directory is only where the files are.
  if (process.platform === 'win32' || Buffer.byteLength(socketPath(dataDir)) <= MAX_SOCKET_PATH_BYTES) return dataDir;
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  const directory = join(tmpdir(), `verbatim-${hash}`);
  await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  // Anyone may create names in a temporary directory: one that another user made would hand them the connection.
  const found = await lstat(directory);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
    throw new DatabaseUnavailableError(
      `${directory} is not a directory of this user alone; remove it, or choose a shorter data directory than ${dataDir}`,
    );
  }
  return directory;
}

/** The socket's file, named as PostgreSQL's clients expect it. */
export function socketPath(directory: string): string {
  return join(directory, `.s.PGSQL.${SOCKET_PORT}`);
}

/** Writes `server.json` so that a reader sees the old content or the new, never a part. */
export async function writeServerFile(dataDir: string, content: ServerFile): Promise<void> {
  const path = join(dataDir, 'server.json');
  await writeFile(`${path}.new`, JSON.stringify(content), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** What the owner wrote, or null when there is nothing (yet) that this release understands. */
export async function readServerFile(dataDir: string): Promise<ServerFile | null> {
  try {
    const parsed = serverFileSchema.safeParse(JSON.parse(await readFile(join(dataDir, 'server.json'), 'utf8')));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    // The owner may be starting or ending at this moment; the caller asks again until its time is over.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new DatabaseUnavailableError(`${join(dataDir, 'server.json')} cannot be read`, { cause: error });
  }
}

/** Removes what a server leaves behind, also one that was killed. Only for the holder of the lock. */
export async function removeServerFiles(dataDir: string, socketDir: string): Promise<void> {
  await rm(join(dataDir, 'server.json'), { force: true });
  await rm(socketPath(socketDir), { force: true });
}
