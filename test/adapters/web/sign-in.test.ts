import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword, storePassword } from '../../../src/service/passwords.ts';
import { startWebService, TENANT, type WebService } from '../../helpers/web-service.ts';

const PASSWORD = 'seventeen blue herons';

let web: WebService;
beforeAll(async () => {
  web = await startWebService({ demo: false });
  const digest = await hashPassword(PASSWORD);
  await web.product.database.transaction(async (query) => {
    await storePassword(query, TENANT, 'ben@x.example', digest);
    await storePassword(query, TENANT, 'lea@x.example', digest);
  });
});
afterAll(() => web.close());

async function signIn(email: string, password: string): Promise<Response> {
  const page = await fetch(new URL('/sign-in', web.url));
  const form = /name="form" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
  const cookie = page.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  return fetch(new URL('/sign-in', web.url), {
    method: 'POST',
    redirect: 'manual',
    headers: { accept: 'text/html', cookie },
    body: new URLSearchParams({ form, email, password, next: '/' }),
  });
}

test('outside of the demo nobody picks who they are', async () => {
  const page = await (await fetch(new URL('/sign-in', web.url))).text();
  expect(page).toContain('type="password"');
  expect(page).not.toContain('ben@x.example');
  expect((await signIn('ada@x.example', '')).status).toBe(401);
});

test('the right password signs in', async () => {
  const response = await signIn('ben@x.example', PASSWORD);
  expect(response.status).toBe(303);
  expect(response.headers.getSetCookie().join()).toContain('verbatim_session=');
});

test.each([
  ['a wrong password', 'ben@x.example', 'seventeen red herons'],
  ['somebody unknown', 'nobody@x.example', PASSWORD],
  ['somebody who has left', 'lea@x.example', PASSWORD],
])('%s gets the same answer, and no session', async (_name, email, password) => {
  const response = await signIn(email, password);
  expect(response.status).toBe(401);
  expect(response.headers.getSetCookie().join()).not.toContain('verbatim_session=');
  expect(await response.text()).toContain('E-mail and password do not match.');
});

test('guessing ends after ten tries, for that person only', async () => {
  const tries = [];
  for (let round = 0; round < 11; round++) tries.push((await signIn('gus@x.example', `guess ${round}`)).status);
  expect(tries).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  expect((await signIn('ben@x.example', PASSWORD)).status).toBe(303);
});
