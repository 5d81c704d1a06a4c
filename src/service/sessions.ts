import { createHash, randomUUID } from 'node:crypto';
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import type { Person, Sessions } from '../../adapters/ports.ts';
import type { Clock, Database, Query } from '../../retrieval/ports.ts';
import type { Passwords } from './passwords.ts';
import type { SignInLimits } from './sign-in-limits.ts';
import type { TokenSecrets } from './token-secret.ts';

export interface SessionsOptions {
  readonly database: Database;
  readonly passwords: Passwords;
  readonly limits: SignInLimits;
  readonly secrets: TokenSecrets;
  readonly clock: Clock;
  /** Whether people pick who they are; asked anew each time. */
  readonly demo: () => boolean;
}

/** How long a token holds. */
export const TOKEN_SECONDS = 8 * 3_600;
const ALGORITHM = 'HS256';
const ISSUER = 'verbatim';
const AUDIENCE = 'verbatim';

interface Claims {
  readonly tenantId: string;
  readonly email: string;
  readonly tokenId: string;
  /** Seconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/**
 * Sessions as signed tokens (HS256). A token names its person, tenant and role, but what the person may do now is read
 * from the directory each time: whoever left, or has got a new password since, has no session.
 */
export function createSessions({ database, passwords, limits, secrets, clock, demo }: SessionsOptions): Sessions {
  const keys = new Map(secrets.map((secret) => [keyId(secret), new TextEncoder().encode(secret)]));
  const signer = keyId(secrets[0]);
  return {
    get demo() {
      return demo();
    },
    async issue({ tenantId, email, role }) {
      const now = Math.floor(clock() / 1000);
      return new SignJWT({ tenant: tenantId, role })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: signer })
        .setSubject(email)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(now + TOKEN_SECONDS)
        .setJti(randomUUID())
        .sign(keys.get(signer) ?? new Uint8Array());
    },
    async read(token) {
      const claims = await readToken(token, keys, clock);
      return claims && findPerson(database, claims);
    },
    async withPassword(tenantId, email, password, network) {
      const attempt = { tenantId, email: email.toLowerCase(), network };
      await limits.begin(attempt);
      const verified = await passwords.verify(tenantId, email, password);
      const person = await findPerson(database, { ...attempt, tokenId: null, issuedAt: Infinity });
      if (!verified || !person) return null;
      await limits.succeed(attempt);
      return person;
    },
    async end(token) {
      const claims = await readToken(token, keys, clock);
      if (claims) await endSession(database, claims);
    },
  };
}

async function readToken(token: string, keys: ReadonlyMap<string, Uint8Array>, clock: Clock): Promise<Claims | null> {
  try {
    const key = keys.get(decodeProtectedHeader(token).kid ?? '');
    if (!key) return null;
    const { payload } = await jwtVerify(token, key, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: AUDIENCE,
      requiredClaims: ['sub', 'tenant', 'iat', 'exp', 'jti'],
      currentDate: new Date(clock()),
    });
    const { sub, tenant, iat, exp, jti } = payload;
    if (typeof sub !== 'string' || typeof tenant !== 'string' || typeof jti !== 'string') return null;
    if (typeof iat !== 'number' || typeof exp !== 'number') return null;
    return { tenantId: tenant, email: sub, tokenId: jti, issuedAt: iat, expiresAt: exp };
  } catch (error) {
    // Both are what a forged or mangled token throws; anything else is a fault of ours.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
}

/** `tokenId` null: there is no token yet. */
async function findPerson(
  database: Database,
  { tenantId, email, tokenId, issuedAt }: Pick<Claims, 'tenantId' | 'email' | 'issuedAt'> & { tokenId: string | null },
): Promise<Person | null> {
  const rows = await database.transaction((query) =>
    query<Person & { passwordSince: number | null }>(
      `select p.tenant_id as "tenantId", p.email, p.name, p.role, p.guest, p.active,
           floor(extract(epoch from c.changed_at))::float8 as "passwordSince"
         from people p left join credentials c on c.tenant_id = p.tenant_id and c.email = p.email
         where p.tenant_id = $1 and p.email = $2 and p.active
           and not exists (select 1 from ended_sessions e where e.tenant_id = $1 and e.token_id = $3)`,
      [tenantId, email, tokenId],
    ),
  );
  const [row] = rows;
  if (!row) return null;
  const { passwordSince, ...person } = row;
  // `iat` has whole seconds; within the one of the change the token may be the new one.
  return passwordSince === null || issuedAt >= passwordSince ? person : null;
}

async function endSession(database: Database, { tenantId, tokenId, expiresAt }: Claims): Promise<void> {
  await database.transaction((query) =>
    query(
      `insert into ended_sessions (tenant_id, token_id, expires_at) values ($1, $2, to_timestamp($3))
         on conflict (tenant_id, token_id) do nothing`,
      [tenantId, tokenId, expiresAt],
    ),
  );
}

/** Removes the sessions of all tenants whose tokens have run out by themselves. */
export async function expireEndedSessions(query: Query): Promise<void> {
  // An hour more than the clocks of the instances may differ.
  await query(`delete from ended_sessions where expires_at < now() - interval '1 hour'`);
}

// Says which key it was without saying what it is.
function keyId(secret: string): string {
  return createHash('sha256').update(`verbatim token key\n${secret}`).digest('base64url').slice(0, 16);
}
