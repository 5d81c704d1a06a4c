import { createHmac, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Person, Sessions } from '../../adapters/ports.ts';
import { createPasswords, hashPassword, storePassword } from '../../src/service/passwords.ts';
import { createSessions, expireEndedSessions, TOKEN_SECONDS } from '../../src/service/sessions.ts';
import { createSignInLimits } from '../../src/service/sign-in-limits.ts';
import { tokenSecrets } from '../../src/service/token-secret.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';
import { importPeople, testOperations } from '../helpers/operations.ts';

const SECRET = 'a secret of this test that is long enough';
const OTHER = 'another secret of this test, long enough too';
let opened: TestDatabase;
let now: number;
let ann: Person;
beforeAll(async () => {
  opened = await testDatabase();
});
beforeEach(async () => {
  await opened.reset();
  await importPeople(opened.database, 'acme');
  now = Date.now();
  const found = await testOperations(opened.database).people.find('acme', 'ann@x.example');
  if (!found) throw new Error('ann is missing');
  ann = found;
});
afterAll(() => opened.close());

function sessionsWith(...secrets: [string, ...string[]]): Sessions {
  const { database } = opened;
  const passwords = createPasswords({ database });
  const limits = createSignInLimits({ database });
  return createSessions({ database, passwords, limits, secrets, clock: () => now, demo: () => false });
}

const parts = (token: string) =>
  token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()));

function signed(header: object, payload: object, secret = SECRET): string {
  const body = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
}

test('a token leads back to its person for eight hours, and says tenant and role', async () => {
  const sessions = sessionsWith(SECRET);
  const token = await sessions.issue(ann);
  const [header, payload] = parts(token);
  expect(header).toMatchObject({ alg: 'HS256', kid: expect.any(String) });
  expect(payload).toMatchObject({ sub: 'ann@x.example', tenant: 'acme', role: 'manager' });
  expect(payload.exp - payload.iat).toBe(TOKEN_SECONDS);
  expect(await sessions.read(token)).toEqual(ann);
  now += TOKEN_SECONDS * 1000 - 2_000;
  expect(await sessions.read(token)).toEqual(ann);
  now += 4_000;
  expect(await sessions.read(token)).toBeNull();
});

test('what is no token of ours is nobody', async () => {
  const sessions = sessionsWith(SECRET);
  const token = await sessions.issue(ann);
  const [header, payload] = parts(token);
  const [head, body, signature] = token.split('.') as [string, string, string];
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  // The same claims and header, signed by the test, are a token: what follows fails for its one difference.
  expect(await sessions.read(signed(header, payload))).toEqual(ann);
  const forged = {
    empty: '',
    'no token': 'abc',
    'no JSON': 'a.b.c',
    'another signature': `${head}.${body}.${signature[0] === 'A' ? 'B' : 'A'}${signature.slice(1)}`,
    'another person': `${head}.${encode({ ...payload, sub: 'eve@x.example' })}.${signature}`,
    unsigned: `${encode({ ...header, alg: 'none' })}.${body}.`,
    'unsigned with a signature': `${encode({ ...header, alg: 'none' })}.${body}.${signature}`,
    'another algorithm': signed({ ...header, alg: 'HS512' }, payload),
    'another secret': signed(header, payload, OTHER),
    'no key id': signed({ alg: 'HS256' }, payload),
    'another key id': signed({ ...header, kid: 'x' }, payload),
    'another issuer': signed(header, { ...payload, iss: 'x' }),
    'another audience': signed(header, { ...payload, aud: 'x' }),
    'no end': signed(header, { ...payload, exp: undefined }),
    'no tenant': signed(header, { ...payload, tenant: undefined }),
    'a tenant that is no text': signed(header, { ...payload, tenant: { $ne: '' } }),
    'another tenant': signed(header, { ...payload, tenant: 'other' }),
    'somebody unknown': signed(header, { ...payload, sub: 'who@x.example' }),
    'somebody who left': signed(header, { ...payload, sub: 'zoe@x.example' }),
  };
  for (const [what, each] of Object.entries(forged)) expect(await sessions.read(each), what).toBeNull();
});

test('the role is what the directory says now, not what the token says', async () => {
  const sessions = sessionsWith(SECRET);
  const token = await sessions.issue({ ...ann, role: 'admin' });
  expect(await sessions.read(token)).toMatchObject({ role: 'manager' });
});

test('after a change of secrets the tokens of the one before hold, those of the one before that do not', async () => {
  const old = await sessionsWith(OTHER).issue(ann);
  expect(await sessionsWith(SECRET, OTHER).read(old)).toEqual(ann);
  expect(await sessionsWith(SECRET).read(old)).toBeNull();
  const fresh = await sessionsWith(SECRET, OTHER).issue(ann);
  expect(await sessionsWith(SECRET).read(fresh)).toEqual(ann);
});

describe('signing out', () => {
  test('ends that session on every instance, and no other', async () => {
    const [here, elsewhere] = [sessionsWith(SECRET), sessionsWith(SECRET)];
    const [ended, other] = [await here.issue(ann), await here.issue(ann)];
    await here.end(ended);
    await elsewhere.end(ended);
    expect([await here.read(ended), await elsewhere.read(ended)]).toEqual([null, null]);
    expect([await here.read(other), await elsewhere.read(other)]).toEqual([ann, ann]);
  });

  test('with a token that is none does nothing', async () => {
    const sessions = sessionsWith(SECRET);
    const expired = await sessions.issue(ann);
    now += (TOKEN_SECONDS + 1) * 1_000;
    for (const token of ['', 'x.y.z', expired]) await sessions.end(token);
    expect(await opened.database.transaction((query) => query('select 1 from ended_sessions'))).toEqual([]);
  });

  test('is remembered until the token runs out by itself', async () => {
    const sessions = sessionsWith(SECRET);
    const kept = () => opened.database.transaction((query) => query('select token_id from ended_sessions'));
    await sessions.end(await sessions.issue(ann));
    await opened.database.transaction(expireEndedSessions);
    expect(await kept()).toHaveLength(1);
    await opened.database.transaction((query) =>
      query(`update ended_sessions set expires_at = now() - interval '2 hours'`),
    );
    await opened.database.transaction(expireEndedSessions);
    expect(await kept()).toEqual([]);
  });
});

describe('passwords', () => {
  const give = async (email: string, password: string) => {
    const digest = await hashPassword(password);
    await opened.database.transaction((query) => storePassword(query, 'acme', email, digest));
    return digest;
  };

  test('sign in the person whose they are, and nobody else', async () => {
    const digest = await give('ann@x.example', 'correct horse');
    expect(digest).toMatch(/^\$2b\$12\$/);
    await give('zoe@x.example', 'left long ago');
    const sessions = sessionsWith(SECRET);
    const signIn = (email: string, password: string, tenantId = 'acme') =>
      sessions.withPassword(tenantId, email, password, randomUUID());
    expect(await signIn('Ann@X.example', 'correct horse')).toEqual(ann);
    expect(await signIn('ann@x.example', 'Correct horse')).toBeNull();
    expect(await signIn('ann@x.example', 'correct horse\u0000')).toBeNull();
    expect(await signIn('ann@x.example', '')).toBeNull();
    expect(await signIn('bob@x.example', 'correct horse')).toBeNull();
    expect(await signIn('who@x.example', 'correct horse')).toBeNull();
    expect(await signIn('zoe@x.example', 'left long ago')).toBeNull();
    expect(await signIn('ann@x.example', 'correct horse', 'other')).toBeNull();
  });

  test('a new one ends the sessions from before', async () => {
    const sessions = sessionsWith(SECRET);
    now -= 5_000;
    const token = await sessions.issue(ann);
    expect(await sessions.read(token)).toEqual(ann);
    await give('ann@x.example', 'correct horse');
    expect(await sessions.read(token)).toBeNull();
    now = Date.now() + 1_000;
    expect(await sessions.read(await sessions.issue(ann))).toEqual(ann);
  });

  test('the digest that strangers are compared with costs as much as a real one', async () => {
    const sessions = sessionsWith(SECRET);
    await give('ann@x.example', 'correct horse');
    const time = async (email: string) => {
      const start = process.cpuUsage();
      await sessions.withPassword('acme', email, 'wrong password', randomUUID());
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    const tries = async (email: string) => Math.min(await time(email), await time(email), await time(email));
    const [known, unknown] = [await tries('ann@x.example'), await tries('who@x.example')];
    // Without the comparison it is a hundredth.
    expect(unknown).toBeGreaterThan(known / 4);
  });

  test.each([
    ['too short', 'seven77', /7 characters/],
    ['longer than bcrypt reads', 'ä'.repeat(37), /74 bytes/],
    ['with a line break', 'correct\nhorse', /control characters/],
  ])('one that is %s is refused', async (_, password, message) => {
    await expect(hashPassword(password)).rejects.toThrow(message);
  });
});

describe('the secret', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'verbatim-secret-'));
  });
  const config = (rest: object = {}) => ({
    tokenSecret: null,
    previousTokenSecret: null,
    databaseUrl: null,
    dataDir,
    ...rest,
  });

  test('is what the configuration says', async () => {
    expect(await tokenSecrets(config({ tokenSecret: SECRET, previousTokenSecret: OTHER }))).toEqual([SECRET, OTHER]);
    await rm(dataDir, { recursive: true });
  });

  test('is made once, for its owner only, also by several at once', async () => {
    const made = await Promise.all(Array.from({ length: 5 }, () => tokenSecrets(config())));
    expect(new Set(made.flat()).size).toBe(1);
    expect(await tokenSecrets(config())).toEqual(made[0]);
    const path = join(dataDir, 'token-secret');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toHaveLength(64);
    await rm(dataDir, { recursive: true });
  });

  test('is never made up on a server that several instances share', async () => {
    await expect(tokenSecrets(config({ databaseUrl: 'postgres://h/db' }))).rejects.toThrow(/VERBATIM_TOKEN_SECRET/);
    await rm(dataDir, { recursive: true });
  });
});
