import bcrypt from 'bcrypt';
import pLimit from 'p-limit';
import { UsageError } from '../../retrieval/errors.ts';
import type { Database, Query } from '../../retrieval/ports.ts';

/** Passwords of people, as bcrypt digests. */
export interface Passwords {
  /** False for a wrong password and for somebody without one alike, after the same work. */
  verify(tenantId: string, email: string, password: string): Promise<boolean>;
}

const COST = 12; // about 0.2 s a try on a present core
const MAX_BYTES = 72; // bcrypt reads no more, so a longer one would be another than its owner believes
const MIN_CHARACTERS = 8; // NIST SP 800-63B, 5.1.1.2
// Each takes a thread of libuv's four, which files and name look-ups need as well.
const AT_ONCE = 2;
// The digest of a random text that nobody knows, of the same cost: compared for people who have none.
const NOBODYS = '$2b$12$/dWectB4eqDzbier9.odhuYkarVkmWEWNxFLQAoFZS88jcp35odOW';

/** The passwords in the database. */
export function createPasswords({ database }: { readonly database: Database }): Passwords {
  const limit = pLimit(AT_ONCE);
  return {
    async verify(tenantId, email, password) {
      const rows = await database.transaction((query) =>
        query<{ password_hash: string }>(
          'select password_hash from credentials where tenant_id = $1 and email = lower($2)',
          [tenantId, email],
        ),
      );
      const digest = rows[0]?.password_hash;
      const matches = await limit(() => bcrypt.compare(password, digest ?? NOBODYS));
      return matches && digest !== undefined && isStorable(password);
    },
  };
}

/** @throws UsageError for a password that is too short, or that bcrypt would cut off. */
export async function hashPassword(password: string): Promise<string> {
  if (password.length < MIN_CHARACTERS) {
    throw new UsageError(`the password has ${password.length} characters; use ${MIN_CHARACTERS} or more`);
  }
  if (Buffer.byteLength(password) > MAX_BYTES) {
    throw new UsageError(`the password has ${Buffer.byteLength(password)} bytes; use ${MAX_BYTES} at the most`);
  }
  if (!isStorable(password)) throw new UsageError('the password has control characters; leave them out');
  return bcrypt.hash(password, COST);
}

/** Stores a digest in the caller's transaction. Tokens from before hold no longer. */
export async function storePassword(query: Query, tenantId: string, email: string, digest: string): Promise<void> {
  await query(
    `insert into credentials (tenant_id, email, password_hash) values ($1, lower($2), $3)
       on conflict (tenant_id, email) do update set password_hash = excluded.password_hash, changed_at = now()`,
    [tenantId, email, digest],
  );
}

function isStorable(password: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: bcrypt ends at U+0000, and the others are typing errors
  return Buffer.byteLength(password) <= MAX_BYTES && !/[\u0000-\u001f\u007f]/.test(password);
}
