import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TooManyTriesError } from '../../adapters/too-many-tries-error.ts';
import { createSignInLimits, expireSignInTries } from '../../src/service/sign-in-limits.ts';
import { type TestDatabase, testDatabase } from '../helpers/database.ts';

let opened: TestDatabase;
beforeAll(async () => {
  opened = await testDatabase();
});
beforeEach(() => opened.reset());
afterAll(() => opened.close());

const limits = () => createSignInLimits(opened);
const attempt = (email: string, network: string, tenantId = 'acme') => ({ tenantId, email, network });
/** How many of so many tries were let through. */
async function tries(count: number, each: (index: number) => ReturnType<typeof attempt>): Promise<number> {
  let passed = 0;
  for (let index = 0; index < count; index++) {
    await limits()
      .begin(each(index))
      .then(
        () => passed++,
        (error: unknown) => expect(error).toBeInstanceOf(TooManyTriesError),
      );
  }
  return passed;
}

test('one name from one network has ten tries, counted by all instances together', async () => {
  expect(await tries(12, () => attempt('ann@x.example', '192.0.2.1'))).toBe(10);
  expect(await tries(1, () => attempt('bob@x.example', '192.0.2.1'))).toBe(1);
  expect(await tries(1, () => attempt('ann@x.example', '192.0.2.2'))).toBe(1);
  expect(await tries(1, () => attempt('ann@x.example', '192.0.2.1', 'other'))).toBe(1);
});

test('a refusal says how long to wait, and whether it is the first', async () => {
  await tries(10, () => attempt('ann@x.example', '192.0.2.1'));
  const refusal = () =>
    limits()
      .begin(attempt('ann@x.example', '192.0.2.1'))
      .catch((error: unknown) => error);
  expect(await refusal()).toMatchObject({ first: true });
  const { first, retryAfterSeconds } = (await refusal()) as TooManyTriesError;
  expect(first).toBe(false);
  expect(retryAfterSeconds).toBeGreaterThan(0);
  expect(retryAfterSeconds).toBeLessThanOrEqual(900);
});

test('one network cannot lock a person out elsewhere', async () => {
  await tries(150, () => attempt('ann@x.example', '192.0.2.1'));
  expect(await tries(1, () => attempt('ann@x.example', '198.51.100.1'))).toBe(1);
});

test('guessing from many networks ends, and does not lock the person out where the person signs in', async () => {
  await limits().succeed(attempt('ann@x.example', '198.51.100.1'));
  expect(await tries(120, (index) => attempt('ann@x.example', `192.0.2.${index}`))).toBe(100);
  expect(await tries(1, () => attempt('ann@x.example', '198.51.100.1'))).toBe(1);
  expect(await tries(1, () => attempt('bob@x.example', '192.0.2.200'))).toBe(1);
});

test('a network has two hundred tries', async () => {
  expect(await tries(205, (index) => attempt(`u${index}@x.example`, '192.0.2.1'))).toBe(200);
});

test('signing in takes back its own try', async () => {
  const ann = attempt('ann@x.example', '192.0.2.1');
  for (let round = 0; round < 12; round++) {
    await limits().begin(ann);
    await limits().succeed(ann);
  }
  expect(await tries(12, () => ann)).toBe(10);
});

test('a window ends', async () => {
  const ann = attempt('ann@x.example', '192.0.2.1');
  await tries(12, () => ann);
  await opened.database.transaction((query) => query(`update sign_in_tries set until = now() - interval '1 second'`));
  expect(await tries(12, () => ann)).toBe(10);
  await opened.database.transaction((query) => query(`update sign_in_tries set until = now() - interval '1 second'`));
  await opened.database.transaction(expireSignInTries);
  expect(await opened.database.transaction((query) => query('select 1 from sign_in_tries'))).toEqual([]);
});

test('what is kept names nobody', async () => {
  await limits().begin(attempt('ann@x.example', '192.0.2.1'));
  const rows = await opened.database.transaction((query) => query('select subject from sign_in_tries'));
  expect(JSON.stringify(rows)).not.toMatch(/ann|192/);
});
