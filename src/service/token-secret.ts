// What signs the tokens: configured, or made once in the data directory.
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VerbatimError } from '../../retrieval/errors.ts';
import type { Config } from '../config.ts';
import { prepareDataDirectory } from '../database/data-directory.ts';

/** The secrets that tokens are read with; the first one signs. */
export type TokenSecrets = readonly [string, ...string[]];

/** Several instances on one server need the same secret, so none of them may make one up. */
export class NoTokenSecretError extends VerbatimError {
  constructor() {
    super(
      'no_token_secret',
      'VERBATIM_TOKEN_SECRET is not set, and all instances on the server of DATABASE_URL need the same; ' +
        'set it to a line from "openssl rand -base64 48"',
    );
  }
}

const FILE_NAME = 'token-secret';
const SECRET_BYTES = 48;

/**
 * The secrets of the configuration; with the embedded database and none configured, one of the data directory that only
 * its owner can read, made when it is not there yet.
 * @throws NoTokenSecretError
 */
export async function tokenSecrets(
  config: Pick<Config, 'tokenSecret' | 'previousTokenSecret' | 'databaseUrl' | 'dataDir'>,
): Promise<TokenSecrets> {
  const previous = config.previousTokenSecret === null ? [] : [config.previousTokenSecret];
  if (config.tokenSecret !== null) return [config.tokenSecret, ...previous];
  if (config.databaseUrl !== null) throw new NoTokenSecretError();
  return [await storedSecret(await prepareDataDirectory(config.dataDir)), ...previous];
}

// A file with its final name is complete, and the first process that makes one wins.
async function storedSecret(dataDir: string): Promise<string> {
  const path = join(dataDir, FILE_NAME);
  const found = await read(path);
  if (found !== null) return found;
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, randomBytes(SECRET_BYTES).toString('base64url'), { mode: 0o600 });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return (await read(path)) ?? storedSecret(dataDir);
}

async function read(path: string): Promise<string | null> {
  try {
    const secret = (await readFile(path, 'utf8')).trim();
    if (secret.length < SECRET_BYTES) {
      throw new VerbatimError('token_secret_broken', `${path} does not hold a secret; remove it and start again`);
    }
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
