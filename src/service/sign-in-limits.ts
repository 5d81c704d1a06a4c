// Tries to sign in, counted in the database: the same for the pages and the API of all instances.
import { createHash } from 'node:crypto';
import { TooManyTriesError } from '../../adapters/too-many-tries-error.ts';
import type { Database, Query } from '../../retrieval/ports.ts';

/** Who tries to be whom, and from where. */
export interface SignInTry {
  readonly tenantId: string;
  /** In lower case. */
  readonly email: string;
  /** An address, or the part of one that belongs to one customer. */
  readonly network: string;
}

export interface SignInLimits {
  /** Counts a try before its password is looked at. @throws TooManyTriesError */
  begin(attempt: SignInTry): Promise<void>;
  /** The password was right: the try does not count, and the person is known in this network. */
  succeed(attempt: SignInTry): Promise<void>;
}

const WINDOW_SECONDS = 15 * 60;
/**
 * Tight where it hurts nobody else: one person's name from one network. Loose for a whole network, since an office signs in
 * through one address at nine, and for a person from everywhere, since whoever guesses from many addresses must not be able to
 * lock the person out; and whoever has signed in from a network lately is not held to that one there at all.
 */
const LIMITS = { pair: 10, network: 200, person: 100 } as const;
const KNOWN_DAYS = 30;

/** The limits over the database. */
export function createSignInLimits({ database }: { readonly database: Database }): SignInLimits {
  return {
    async begin(attempt) {
      const refusal = await database.transaction((query) => begin(query, attempt));
      if (refusal) throw new TooManyTriesError(refusal.seconds, refusal.first);
    },
    succeed: (attempt) => database.transaction((query) => succeed(query, attempt)),
  };
}

type Subject = keyof typeof LIMITS | 'known';

// A digest, so that the names that strangers try are of one length and are not kept.
function digestOf(subject: Subject, { email, network }: SignInTry): string {
  const of = { pair: [email, network], network: [network], person: [email], known: [email, network] }[subject];
  return createHash('sha256')
    .update(JSON.stringify([subject, ...of]))
    .digest('base64url');
}

// In this order, one after another: a try that one limit refuses does not count for the wider one, or a single address could
// use up what a person has everywhere.
async function begin(query: Query, attempt: SignInTry): Promise<{ seconds: number; first: boolean } | null> {
  for (const subject of ['pair', 'network', 'person'] as const) {
    const { tries, seconds } = await count(query, attempt.tenantId, digestOf(subject, attempt));
    if (tries <= LIMITS[subject]) continue;
    if (subject === 'person' && (await isKnown(query, attempt))) continue;
    return { seconds, first: tries === LIMITS[subject] + 1 };
  }
  return null;
}

async function count(query: Query, tenantId: string, subject: string): Promise<{ tries: number; seconds: number }> {
  const [row] = await query<{ tries: number; seconds: number }>(
    `insert into sign_in_tries as t (tenant_id, subject, tries, until)
       values ($1, $2, 1, now() + $3 * interval '1 second')
       on conflict (tenant_id, subject) do update set
         tries = case when t.until <= now() then 1 else least(t.tries, 1000000) + 1 end,
         until = case when t.until <= now() then excluded.until else t.until end
       returning tries, greatest(1, ceil(extract(epoch from until - now())))::int as seconds`,
    [tenantId, subject, WINDOW_SECONDS],
  );
  if (!row) throw new Error('an insert gave no row');
  return row;
}

async function isKnown(query: Query, attempt: SignInTry): Promise<boolean> {
  const rows = await query('select 1 from sign_in_tries where tenant_id = $1 and subject = $2 and until > now()', [
    attempt.tenantId,
    digestOf('known', attempt),
  ]);
  return rows.length > 0;
}

async function succeed(query: Query, attempt: SignInTry): Promise<void> {
  const { tenantId } = attempt;
  await query('delete from sign_in_tries where tenant_id = $1 and subject = $2', [tenantId, digestOf('pair', attempt)]);
  for (const subject of ['network', 'person'] as const) {
    await query('update sign_in_tries set tries = greatest(0, tries - 1) where tenant_id = $1 and subject = $2', [
      tenantId,
      digestOf(subject, attempt),
    ]);
  }
  await query(
    `insert into sign_in_tries (tenant_id, subject, tries, until) values ($1, $2, 0, now() + $3 * interval '1 day')
       on conflict (tenant_id, subject) do update set until = excluded.until`,
    [tenantId, digestOf('known', attempt), KNOWN_DAYS],
  );
}

/** Removes the tries of all tenants whose window has ended. */
export async function expireSignInTries(query: Query): Promise<void> {
  await query('delete from sign_in_tries where until < now()');
}
