import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { assetPath } from '../../../adapters/web/assets.ts';
import { BONUS, CRANE, LEAVE, startWebService, TENANT, type WebService } from '../../helpers/web-service.ts';

let web: WebService;
beforeAll(async () => {
  web = await startWebService();
});
afterAll(() => web.close());

const HTML = { accept: 'text/html' };

/** A browser of few words: cookies, and the token of the last page's forms. */
async function browser(email?: string) {
  const cookies = new Map<string, string>();
  let formToken = '';
  const send = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(new URL(path, web.url), {
      redirect: 'manual',
      ...init,
      headers: { ...HTML, ...init.headers, cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined && value !== undefined) cookies.set(name, value);
    }
    return response;
  };
  const get = async (path: string) => {
    const response = await send(path);
    const text = await response.text();
    formToken = /name="form" value="([^"]+)"/.exec(text)?.[1] ?? formToken;
    return { status: response.status, headers: response.headers, text };
  };
  const post = async (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send(path, { method: 'POST', body: new URLSearchParams({ form: formToken, ...fields }), headers });
  const signIn = async (who: string) => {
    await get('/sign-in');
    await post('/sign-in', { email: `${who}@x.example`, next: '/' });
    return get('/');
  };
  if (email !== undefined) await signIn(email);
  return { get, post, send, signIn, cookies, token: () => formToken };
}

async function countAnswers(): Promise<number> {
  const rows = await web.product.database.transaction((query) =>
    query<{ count: number }>('select count(*)::int as count from answers where tenant_id = $1', [TENANT]),
  );
  return rows[0]?.count ?? 0;
}

describe('signing in', () => {
  test('every page sends a stranger to sign in, and back afterwards', async () => {
    const stranger = await browser();
    for (const path of ['/', '/channels/finance', '/documents/x?start=1', '/admin', '/admin/questions']) {
      const { status, headers } = await stranger.get(path);
      expect(status).toBe(303);
      expect(headers.get('location')).toBe(path === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(path)}`);
    }
  });

  test.each(['//evil.example', 'https://evil.example', '/\\evil.example', '/\tevil', 'javascript:alert(1)'])(
    'never goes to %s afterwards',
    async (next) => {
      const someone = await browser();
      await someone.get('/sign-in');
      const response = await someone.post('/sign-in', { email: 'ben@x.example', next });
      expect(response.headers.get('location')).toBe('/');
    },
  );

  test.each(['lea@x.example', 'nobody@x.example', ''])('lets nobody in as %s', async (email) => {
    const someone = await browser();
    await someone.get('/sign-in');
    const response = await someone.post('/sign-in', { email });
    expect(response.status).toBe(400);
    expect(someone.cookies.has('verbatim_session')).toBe(false);
  });

  test('the session is out of reach of scripts and of other sites, and ends with signing out', async () => {
    const ben = await browser();
    await ben.get('/sign-in');
    const response = await ben.post('/sign-in', { email: 'ben@x.example' });
    const cookie = response.headers.getSetCookie().find((each) => each.startsWith('verbatim_session='));
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Lax/);
    await ben.get('/');
    await ben.post('/sign-out', {});
    expect((await ben.get('/')).status).toBe(303);
  });

  test.each(['x', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGFAeC5leGFtcGxlIn0.'])(
    'the token %s signs nobody in',
    async (token) => {
      const forger = await browser();
      forger.cookies.set('verbatim_session', token);
      expect((await forger.get('/')).status).toBe(303);
    },
  );
});

describe('forms', () => {
  test.each([
    ['no token', { form: '' }, {}],
    ['the token of somebody else', { form: 'x'.repeat(43) }, {}],
    ['a request from another site', {}, { 'sec-fetch-site': 'cross-site' }],
    ['a request from a sibling site', {}, { 'sec-fetch-site': 'same-site' }],
    ['a request from a page of another origin', {}, { origin: 'https://evil.example' }],
    ['a request from a page of another address', {}, { referer: 'https://evil.example/page' }],
  ])('are refused with %s, and nothing is asked', async (_name, fields, headers) => {
    const ben = await browser('ben');
    const before = await countAnswers();
    const response = await ben.post(
      '/ask',
      { place: 'private', question: 'How many days of leave?', ...fields },
      headers,
    );
    expect(response.status).toBe(403);
    expect(await countAnswers()).toBe(before);
  });

  test('are refused when the cookie and the token come from another session', async () => {
    const [ben, ann] = [await browser('ben'), await browser('ann')];
    ben.cookies.set('verbatim_form', ann.cookies.get('verbatim_form') ?? '');
    const response = await ben.post('/ask', { place: 'private', question: 'Leave?', form: ann.token() });
    expect(response.status).toBe(403);
  });

  test.each([
    ['an empty question', { question: ' \n ' }, 400],
    ['a question of 5,000 characters', { question: 'a'.repeat(5_000) }, 413],
    ['a question of a megabyte', { question: 'a'.repeat(2 ** 20) }, 413],
    ['a control character', { question: 'How many\u0000 days?' }, 400],
    ['another control character', { question: 'How \u001b[31m many days?' }, 400],
    ['a channel that the person is not in', { place: 'channel:finance' }, 404],
    ['a channel that does not exist', { place: 'channel:nowhere' }, 404],
    ['a place that is none', { place: '../private' }, 404],
    ['a thread that is not here', { thread: 'somebody-elses' }, 404],
  ])('%s is refused, and nothing is asked', async (_name, fields, status) => {
    const ben = await browser('ben');
    const before = await countAnswers();
    const response = await ben.post('/ask', { place: 'private', question: 'How many days of leave?', ...fields });
    expect(response.status).toBe(status);
    expect(await response.text()).not.toMatch(/ at .*\.ts:\d+|node_modules/);
    expect(await countAnswers()).toBe(before);
  });

  test('bytes that are not UTF-8 are refused', async () => {
    const ben = await browser('ben');
    const response = await ben.send('/ask', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `form=${ben.token()}&place=private&question=%ff%fe`,
    });
    expect(response.status).toBe(400);
  });
});

describe('answers', () => {
  test('a member of the channel sees what another asked there; somebody outside gets the same as for no channel', async () => {
    const [ann, ben, gus] = [await browser('ann'), await browser('ben'), await browser('gus')];
    await ann.get('/channels/town-square');
    const asked = await ann.post('/ask', {
      place: 'channel:town-square',
      question: 'How many days of annual leave in a year?',
    });
    expect(asked.status).toBe(303);
    expect((await ben.get('/channels/town-square')).text).toContain(LEAVE);
    const outside = await gus.get('/channels/town-square');
    const missing = await gus.get('/channels/nowhere');
    expect([outside.status, missing.status]).toEqual([404, 404]);
    expect(outside.text.replaceAll(/\b[0-9a-f-]{36}\b/g, '')).toBe(missing.text.replaceAll(/\b[0-9a-f-]{36}\b/g, ''));
  });

  test('markup in questions, titles and documents is shown, never sent as markup', async () => {
    const ben = await browser('ben');
    await ben.post('/ask', {
      place: 'private',
      question: 'How many tons does the crane carry? <img src=x onerror=alert(1)>',
    });
    const { text } = await ben.get('/');
    expect(text).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(text).toContain('&lt;script&gt;document.title=&quot;run&quot;&lt;/script&gt;');
    expect(text).not.toMatch(/<img|<b>twelve|<script>/);
    expect(text.match(/<script/g)).toHaveLength(1);
    expect(CRANE).toContain('<script>');
  });

  test('an earlier answer is not shown to somebody who may no longer read what it quotes', async () => {
    const ann = await browser('ann');
    await ann.post('/ask', { place: 'channel:finance', question: 'How many euros does the bonus pool hold?' });
    await ann.post('/ask', { place: 'private', question: 'How many euros does the bonus pool hold?' });
    expect((await ann.get('/')).text).toContain(BONUS);
    const member = ['verbatim:user:ann@x.example', 'verbatim:group:finance', TENANT];
    const change = (sql: string) => web.product.database.transaction((query) => query(sql, member));
    await change('delete from memberships where member = $1 and group_principal = $2 and tenant_id = $3');
    try {
      const { text } = await ann.get('/');
      expect(text).not.toContain(BONUS);
      expect(text).toContain('This answer is not shown');
      expect((await ann.get('/channels/finance')).status).toBe(404);
    } finally {
      await change(
        `insert into memberships (member, group_principal, tenant_id, directory) values ($1, $2, $3, 'demo')`,
      );
    }
    expect((await ann.get('/')).text).toContain(BONUS);
  });

  test('opinions come only from those who see the answer', async () => {
    const [ann, gus] = [await browser('ann'), await browser('gus')];
    await ann.post('/ask', { place: 'private', question: 'How many days of annual leave in a year?' });
    const answerId = /id="answer-([^"]+)"/.exec((await ann.get('/')).text)?.[1] ?? '';
    const verdict = { verdict: 'up' };
    expect((await gus.post(`/answers/${answerId}/feedback`, { place: 'private', ...verdict })).status).toBe(404);
    expect((await ann.post(`/answers/${answerId}/feedback`, { place: 'private', verdict: 'sideways' })).status).toBe(
      400,
    );
    expect(
      (await ann.post(`/answers/${answerId}/feedback`, { place: 'private', verdict: 'down', reason: 'no' })).status,
    ).toBe(400);
    expect((await ann.post(`/answers/${answerId}/feedback`, { place: 'private', ...verdict })).status).toBe(303);
    expect((await ann.get('/')).text).toContain('You found this helpful');
  });
});

describe('documents', () => {
  const open = async (who: string, id: string, query = '') => (await browser(who)).get(`/documents/${id}${query}`);

  test('one that the person may not read looks like one that does not exist', async () => {
    const closed = await open('ben', web.documentIds.get('bonus.md') ?? '');
    const missing = await open('ben', 'no-such-document');
    expect([closed.status, missing.status]).toEqual([404, 404]);
    expect(closed.text).toBe(missing.text);
    expect((await open('ann', web.documentIds.get('bonus.md') ?? '')).status).toBe(200);
  });

  test('who may read it is told to admins only', async () => {
    const id = web.documentIds.get('leave.md') ?? '';
    expect((await open('ada', id)).text).toContain('Who may see this');
    expect((await open('ben', id)).text).not.toContain('Who may see this');
  });

  test.each([
    '?version=1&start=-1&end=5',
    '?version=1&start=5&end=1',
    '?version=1&start=a&end=b',
    '?version=1&start=1&end=999999',
    '?start=1&start=2&end=9',
    '?version=99&start=1&end=9',
  ])('a place that is none (%s) opens the document without a highlight', async (query) => {
    const { status, text } = await open('ben', web.documentIds.get('leave.md') ?? '', query);
    expect(status).toBe(200);
    expect(text).not.toContain('<mark');
  });
});

describe('operations pages', () => {
  const pages = ['/admin', '/admin/documents', '/admin/questions'];

  test.each(['ann', 'gus'])('are closed to %s', async (who) => {
    const someone = await browser(who);
    for (const path of pages) {
      const { status, text } = await someone.get(path);
      expect(status).toBe(403);
      expect(text).toContain('for admins');
    }
    const id = web.documentIds.get('leave.md') ?? '';
    for (const action of ['forget', 'quarantine', 'release']) {
      expect((await someone.post(`/admin/documents/${id}/${action}`, {})).status).toBe(403);
    }
    expect((await (await browser('ben')).get(`/documents/${id}`)).status).toBe(200);
  });

  test('are open to an admin', async () => {
    const ada = await browser('ada');
    for (const path of pages) expect((await ada.get(path)).status).toBe(200);
  });

  test('a quarantined document vanishes from the document view and comes back when it is released', async () => {
    const [ada, ben] = [await browser('ada'), await browser('ben')];
    const id = web.documentIds.get('gate.md') ?? '';
    await ada.post(`/admin/documents/${id}/quarantine`, {});
    expect((await ben.get(`/documents/${id}`)).status).toBe(404);
    expect((await ada.get('/admin/documents?state=quarantined')).text).toContain('Release');
    await ada.post(`/admin/documents/${id}/release`, {});
    expect((await ben.get(`/documents/${id}`)).status).toBe(200);
  });

  test('a search in the log finds its words and not those of patterns', async () => {
    const ben = await browser('ben');
    await ben.post('/ask', { place: 'private', question: 'Is 100% of the gate painted?' });
    const ada = await browser('ada');
    expect((await ada.get('/admin/questions?search=100%25+of')).text).toContain('Is 100% of the gate painted?');
    expect((await ada.get('/admin/questions?search=1%25t')).text).toContain('No question is like that');
    expect((await ada.get('/admin/questions?cursor=nonsense')).status).toBe(400);
  });
});

describe('what nobody should send', () => {
  test.each([
    ['/', 'GET, HEAD', ['POST', 'PUT', 'DELETE', 'PATCH']],
    ['/channels/finance', 'GET, HEAD', ['POST']],
    ['/documents/x', 'GET, HEAD', ['POST', 'DELETE']],
    ['/pulse', 'GET, HEAD', ['POST']],
    ['/assets/style.css', 'GET, HEAD', ['POST']],
    ['/ask', 'POST', ['GET', 'PUT']],
    ['/sign-in', 'GET, HEAD, POST', ['PUT', 'DELETE']],
    ['/sign-out', 'POST', ['GET']],
    ['/answers/x/feedback', 'POST', ['GET']],
    ['/admin', 'GET, HEAD', ['POST']],
    ['/admin/documents/x/forget', 'GET, HEAD, POST', ['DELETE']],
    ['/admin/documents/x/quarantine', 'POST', ['GET']],
  ])('another method than those of %s is a page that names them', async (path, allow, methods) => {
    const ada = await browser('ada');
    for (const method of methods) {
      const response = await ada.send(path, { method });
      expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
      expect(response.headers.get('content-type')).toMatch('text/html');
    }
    const options = await ada.send(path, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, allow]);
  });

  const cursorOf = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  test.each([
    [
      'twice',
      'search=a&search=b&kind=refused&kind=answered&state=live&state=live&days=7&days=14&done=release&done=x',
      200,
    ],
    ['as lists', 'search[]=a&kind[0]=refused&state[x]=live&cursor[]=1', 200],
    ['with negative numbers', 'days=-14&page=-1&limit=-5&offset=-1', 200],
    ['with numbers too large', `days=${'9'.repeat(400)}`, 200],
    ['with NUL', 'search=a%00b&kind=%00&state=%00&days=%00&done=%00', 200],
    ['with bytes that are no UTF-8', 'search=%ff%fe&kind=%ed%a0%80', 200],
    ['with half a character', 'search=%F0%9F', 200],
    ['very long', `search=${'x'.repeat(8_000)}`, 200],
    ['with names of the language', '__proto__=1&constructor=2&toString=3&done=toString&done=constructor', 200],
    ['with what a template would run', 'search=%3Cscript%3E&done=__proto__', 200],
    ['with a page that is none', 'cursor=%00', 200],
    ['with a page of another form', `cursor=${cursorOf('now', 'x')}`, 400],
    ['with a page of a day that is none', `cursor=${cursorOf('2026-02-30 10:00:00+00', 'x')}`, 400],
    ['with a page of a zone that is none', `cursor=${cursorOf('2026-02-20 10:00:00+99', 'x')}`, 400],
    ['with a page of an id with NUL', `cursor=${cursorOf('2026-02-20 10:00:00+00', 'a\0')}`, 400],
    ['with a page that is a number', `cursor=${cursorOf().slice(1)}MQ`, 400],
  ])('parameters %s break no page', async (_kind, query, ofLists) => {
    const ada = await browser('ada');
    expect((await ada.get(`/admin?${query}`)).status).toBe(200);
    for (const list of ['/admin/documents', '/admin/questions']) {
      expect((await ada.get(`${list}?${query}`)).status).toBe(ofLists);
    }
    const document = `/documents/${web.documentIds.get('leave.md')}`;
    expect((await ada.get(`${document}?${query}&start=-1&end=1e9&version=x&quote=-1&answer=%00`)).status).toBe(200);
  });
});

describe('what is sent', () => {
  test('nothing but our own script and style may run, and no page is kept or framed', async () => {
    const { headers } = await (await browser('ben')).get('/');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('assets are kept for good under their digest, and asked for again otherwise', async () => {
    const page = await (await browser('ben')).get('/');
    const path = /href="(\/assets\/style\.css\?v=[^"]+)"/.exec(page.text)?.[1] ?? '';
    const kept = await fetch(new URL(path, web.url));
    expect(kept.headers.get('cache-control')).toContain('immutable');
    const etag = kept.headers.get('etag') ?? '';
    const again = await fetch(new URL('/assets/style.css', web.url), {
      headers: { 'if-none-match': etag, 'cache-control': 'max-age=0' },
    });
    expect(again.status).toBe(304);
    expect((await fetch(new URL('/assets/..%2fassets.ts', web.url))).status).toBe(404);
  });

  test('a browser gets a page for what is not there, a program a problem document', async () => {
    const page = await fetch(new URL('/nowhere', web.url), { headers: HTML });
    expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    const problem = await fetch(new URL('/nowhere', web.url), { headers: { accept: 'application/json' } });
    expect([problem.status, problem.headers.get('content-type')?.split(';')[0]]).toEqual([
      404,
      'application/problem+json',
    ]);
  });
});

async function rows<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return web.product.database.transaction((query) => query<Row>(sql, values));
}

describe('signing out', () => {
  test('ends the session, also for whoever has copied its cookie', async () => {
    const ann = await browser('ann');
    const copied = await browser();
    for (const [name, value] of ann.cookies) copied.cookies.set(name, value);
    expect((await copied.get('/')).status).toBe(200);
    expect((await ann.post('/sign-out', {})).status).toBe(303);
    expect((await copied.get('/')).headers.get('location')).toMatch(/^\/sign-in/);
    const again = await browser('ann');
    expect((await again.get('/')).status).toBe(200);
  });
});

describe('the audit log', () => {
  const since = async () => (await rows<{ now: Date }>('select now() as now'))[0]?.now;
  const logged = (from: unknown) =>
    rows<{ actor: string; action: string; target: string; status: number }>(
      `select actor, action, target, (details ->> 'status')::int as status from audit_log
         where at >= $1 and action like 'web.%' order by at`,
      [from],
    );

  test('has every page and form of a person with its outcome, before the response', async () => {
    const from = await since();
    const ben = await browser('ben');
    const documentId = web.documentIds.get('leave.md') ?? '';
    const secret = web.documentIds.get('bonus.md') ?? '';
    await ben.get(`/documents/${documentId}?start=1&end=2`);
    await ben.get(`/documents/${secret}`);
    await ben.get('/admin');
    await ben.post(`/admin/documents/${documentId}/quarantine`, {});
    await ben.get('/channels/finance');
    await ben.get('/pulse');
    await ben.get(assetPath('style.css'));
    await ben.post('/sign-out', {});
    expect(await logged(from)).toEqual(
      [
        ['web.signIn', 'ben@x.example', 303],
        ['web.readChat', '/', 200],
        ['web.openDocument', documentId, 200],
        ['web.openDocument', secret, 404],
        ['web.readOverview', '/admin', 403],
        ['web.quarantineDocument', documentId, 403],
        ['web.readChannel', 'finance', 404],
        ['web.signOut', '/sign-out', 303],
      ].map(([action, target, status]) => ({ actor: 'ben@x.example', action, target, status })),
    );
  });

  test('has who was refused, what was asked and what an admin read, without content', async () => {
    const from = await since();
    const ann = await browser('ann');
    await ann.post('/ask', { place: 'private', question: 'How many days of annual leave are there?' });
    const entries = await logged(from);
    const asked = entries.find(({ action }) => action === 'web.ask');
    expect(asked).toMatchObject({ actor: 'ann@x.example', status: 303 });
    const ada = await browser('ada');
    await ada.get(`/admin/questions/${asked?.target}`);
    const stranger = await browser();
    await stranger.get('/sign-in');
    await stranger.post('/sign-in', { email: 'nobody@x.example' });
    await stranger.get('/admin');
    expect((await logged(from)).slice(entries.length)).toEqual([
      { actor: 'ada@x.example', action: 'web.signIn', target: 'ada@x.example', status: 303 },
      { actor: 'ada@x.example', action: 'web.readChat', target: '/', status: 200 },
      { actor: 'ada@x.example', action: 'web.readQuestion', target: asked?.target, status: 200 },
      { actor: 'nobody@x.example', action: 'web.signIn', target: 'nobody@x.example', status: 400 },
    ]);
    expect(JSON.stringify(await rows('select * from audit_log where at >= $1', [from]))).not.toMatch(/annual leave/);
  });

  test('is needed: nothing is shown that cannot be recorded', async () => {
    const ann = await browser('ann');
    await web.product.database.owner((query) => query('revoke insert on audit_log from verbatim_app'));
    try {
      const { status, text, headers } = await ann.get('/');
      expect([status, headers.get('retry-after')]).toEqual([503, '5']);
      expect(text).not.toMatch(/Ann/);
    } finally {
      await web.product.database.owner((query) => query('grant insert on audit_log to verbatim_app'));
    }
    expect((await ann.get('/')).status).toBe(200);
  });
});

describe('what people say of answers', () => {
  const COMMENT = '<img src=x onerror=alert(1)> & **not** theirs';

  test('is for admins to read, as text, and the worst stands out', async () => {
    const ann = await browser('ann');
    await ann.post('/ask', { place: 'private', question: 'How many days of annual leave does everyone have?' });
    const [last] = await rows<{ answer_id: string }>('select answer_id from answers order by asked_at desc limit 1');
    const answerId = last?.answer_id ?? '';
    const ada = await browser('ada');
    expect((await ada.get('/admin')).text).not.toContain('not for them');
    await ann.get('/');
    const said = { place: 'private', verdict: 'down', reason: 'not_allowed_to_see', comment: COMMENT };
    expect((await ann.post(`/answers/${answerId}/feedback`, said)).status).toBe(303);
    expect((await ada.get('/admin')).text).toContain('1 person says');
    for (const path of [
      '/admin/questions',
      '/admin/questions?kind=complaint',
      '/admin/questions?kind=not_allowed_to_see',
      `/admin/questions/${answerId}`,
    ]) {
      const { text } = await ada.get(path);
      expect(text, path).toContain('Somebody here should not see this');
      expect(text).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; **not** theirs');
      expect(text).not.toContain('<img src=x');
    }
    const ben = await browser('ben');
    expect((await ben.get('/admin/questions?kind=complaint')).status).toBe(403);
    await ann.post(`/answers/${answerId}/feedback`, { place: 'private', verdict: 'withdraw' });
    expect((await ada.get('/admin/questions?kind=complaint')).text).not.toContain('**not** theirs');
    expect((await ada.get('/admin')).text).not.toContain('not for them');
  });
});
