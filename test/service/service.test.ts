// The service as operators and chat platforms meet it.
import { once } from 'node:events';
import { get } from 'node:http';
import { connect, createServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../src/service/listen.ts';
import { createWebPages } from '../../src/web.ts';
import { type ApiClient, addLiveDocument, createApiClient } from '../helpers/api-client.ts';
import { demoModeOf } from '../helpers/demo-mode.ts';
import { type TestService, testService } from '../helpers/service.ts';

let started: TestService;
let call: ApiClient;
beforeAll(async () => {
  started = await testService({
    environment: { VERBATIM_RATE_PER_MINUTE: '3' },
    mount: () => ({
      platforms: [
        {
          path: '/slack/events',
          handler: async (request, response) => {
            const bytes = await buffer(request);
            response.setHeader('content-type', 'text/plain').end(`${request.url} ${bytes.toString('hex')}`);
          },
        },
      ],
    }),
  });
  call = createApiClient(started.url);
});
afterAll(() => started?.close());

test('it is alive and ready', async () => {
  expect(await call('GET', '/health')).toMatchObject({ status: 200, body: { status: 'alive' } });
  expect(await call('GET', '/ready')).toMatchObject({
    status: 200,
    body: { status: 'ready', checks: { database: 'ok', migrations: 'ok', workers: 'ok' } },
  });
});

test('it is not ready on a schema of another release', async () => {
  const { database } = started.product;
  await database.owner((query) =>
    query("insert into verbatim_migrations (version, name, checksum) values (9999, '9999_later.sql', 'x')"),
  );
  const { status, body } = await call('GET', '/ready');
  await database.owner((query) => query('delete from verbatim_migrations where version = 9999'));
  expect(status).toBe(503);
  expect(body).toMatchObject({
    status: 'not_ready',
    checks: { database: 'ok', migrations: expect.stringContaining('9999') },
  });
});

test('a chat platform gets the bytes as they came, on its whole path', async () => {
  const { body } = await call('POST', '/slack/events?x=1', {
    body: '{"a" : 1}',
    headers: { 'content-type': 'application/json' },
  });
  expect(body).toBe(`/slack/events?x=1 ${Buffer.from('{"a" : 1}').toString('hex')}`);
});

test('under a name of another site nothing is given, but to a platform that signs', async () => {
  const named = (path: string, accept: string) =>
    new Promise<{ status: number; type: string; text: string }>((resolve, reject) => {
      const headers = { host: 'evil.example', accept };
      get(new URL(path, started.url), { headers }, async (response) => {
        const text = String(await buffer(response));
        resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text });
      }).once('error', reject);
    });
  for (const path of ['/', '/v1/documents', '/metrics', '/ready']) {
    const problem = await named(path, 'application/json');
    expect(problem).toMatchObject({ status: 421, type: expect.stringMatching('application/problem') });
    expect(JSON.parse(problem.text).detail).toMatch('VERBATIM_PUBLIC_URL');
    const page = await named(path, 'text/html,*/*;q=0.8');
    expect(page).toMatchObject({ status: 421, type: expect.stringMatching('text/html') });
    expect(page.text).toMatch('VERBATIM_PUBLIC_URL');
  }
  expect((await named('/slack/events', '*/*')).status).toBe(200);
});

test('the figures count what was answered and what there is', async () => {
  const token = await started.tokenOf('gus');
  await call('POST', '/v1/answers', { token, body: { question: 'Is anybody there?' } });
  const { body, headers } = await call('GET', '/metrics');
  expect(headers.get('content-type')).toMatch('text/plain');
  for (const line of [
    /^verbatim_answers_total\{status="refused",refusal="no_evidence"\} 1$/m,
    /^verbatim_answer_stage_seconds_count\{stage="total"\} 1$/m,
    /^verbatim_answer_cost_usd_total 0$/m,
    /^verbatim_jobs\{queue="index-document",state="queued"\} 0$/m,
    /^verbatim_http_request_seconds_count\{route="\/v1\/answers",method="POST",status="200"\} 1$/m,
    /^nodejs_eventloop_lag_seconds /m,
  ]) {
    expect(body).toMatch(line);
  }
});

test('who asks too often waits, and nobody else does', async () => {
  const token = await started.tokenOf('bob');
  const responses = [];
  for (let index = 0; index < 4; index++) responses.push(await call('GET', '/v1/answers/none', { token }));
  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 429]);
  expect(Number(responses[3]?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(responses[3]?.body).toMatchObject({ type: 'urn:verbatim:problem:too-many-requests' });
  expect((await call('GET', '/v1/answers/none', { token: await started.tokenOf('ann') })).status).toBe(404);
});

test('passwords sign in, and guessing them soon ends', async () => {
  await started.givePassword('ann', 'correct horse');
  const signIn = (user: string, password: string) => call('POST', '/v1/auth/token', { body: { user, password } });
  const right = await signIn('Ann@x.example', 'correct horse');
  expect(right.body).toMatchObject({ token_type: 'Bearer', expires_in: 28_800 });
  expect((await call('GET', '/v1/answers/none', { token: right.body.access_token })).status).toBe(404);
  const wrong = await signIn('ann@x.example', 'wrong horse');
  const unknown = await signIn('nobody@x.example', 'wrong horse');
  expect([wrong.status, unknown.status]).toEqual([401, 401]);
  expect(wrong.body.detail).toBe(unknown.body.detail);
  const statuses: number[] = [];
  for (let index = 0; index < 11; index++) statuses.push((await signIn('ann@x.example', 'wrong horse')).status);
  expect(statuses).toEqual([...Array.from({ length: 9 }, () => 401), 429, 429]);
  const refused = await signIn('ann@x.example', 'correct horse');
  expect(refused).toMatchObject({ status: 429, body: { type: 'urn:verbatim:problem:too-many-requests' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  const log = await started.product.database.transaction((query) =>
    query(
      "select distinct actor, details ->> 'status' as status from audit_log where action = 'api.createToken' order by 1, 2",
    ),
  );
  expect(log).toEqual([
    { actor: 'ann@x.example', status: '200' },
    { actor: 'ann@x.example', status: '401' },
    { actor: 'ann@x.example', status: '429' },
    { actor: 'nobody@x.example', status: '401' },
  ]);
});

test('a port that is taken is named, with what to do', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  await expect(listen(() => undefined, { host: '127.0.0.1', port })).rejects.toThrow(/is taken.*VERBATIM_PORT/);
  other.close();
});

describe('the demo, where people pick who they are', () => {
  const company = { people: ['demo', 'demo'], host: '127.0.0.1', databaseUrl: null };
  test.each([
    ['is on for the invented company alone', company, true],
    ['is off when somebody real is there', { ...company, people: ['demo', 'import'] }, false],
    ['is off without people', { ...company, people: [] }, false],
    ['is off where others reach the service', { ...company, host: '0.0.0.0' }, false],
    ['is off on a server', { ...company, databaseUrl: 'postgres://h/db' }, false],
  ])('%s', async (_, { people, host, databaseUrl }, on) => {
    expect(await demoModeOf(started.product.database, { people, host, databaseUrl })).toBe(on);
  });
});

describe('a service that is told to stop', () => {
  test('lets running questions end, begins none, and gives back what it has', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let begun = 0;
    const ending = await testService({
      mount: () => ({
        platforms: [
          {
            path: '/slow',
            handler: async (_request, response) => {
              begun++;
              await held;
              response.end('done');
            },
          },
        ],
      }),
    });
    const client = createApiClient(ending.url);
    const eve = await ending.tokenOf('eve');
    await addLiveDocument(client, eve, { title: 'Sea', text: 'The walrus sleeps on the ice.' });
    // A connection that is open before, as a browser's or a proxy's is.
    const { hostname, port } = new URL(ending.url);
    const kept = connect(Number(port), hostname);
    await once(kept, 'connect');
    const running = client('GET', '/slow');
    await expect.poll(() => begun).toBe(1);
    const drained = ending.service.drain();
    await sleep(50);
    kept.write('GET /v1/documents HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const refused = String((await once(kept, 'data'))[0]);
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toMatch(/connection: close/i);
    expect(refused).toMatch(/retry-after: \d+/i);
    const ready = await client('GET', '/ready');
    expect(ready).toMatchObject({ status: 503, body: { checks: { service: 'is ending' } } });
    expect((await client('GET', '/health')).status).toBe(200);
    letGo();
    expect(await running).toMatchObject({ status: 200, body: 'done' });
    await drained;
    await expect(client('GET', '/health')).rejects.toThrow();
    expect(ending.product.workersRunning()).toBe(false);
    await ending.close();
  });

  test('cuts off what does not end in time', async () => {
    const ending = await testService({
      environment: { VERBATIM_DRAIN_SECONDS: '0' },
      mount: () => ({ platforms: [{ path: '/endless', handler: () => undefined }] }),
    });
    const cut = expect(createApiClient(ending.url)('GET', '/endless')).rejects.toThrow();
    await sleep(200);
    await ending.service.drain();
    await cut;
    await ending.close();
  });
});

describe('what is no request of HTTP', () => {
  async function exchange(text: string): Promise<string> {
    const { hostname, port } = new URL(started.url);
    const socket = connect(Number(port), hostname);
    socket.write(text);
    return (await buffer(socket)).toString();
  }

  test.each([
    ['an address that is too long', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nhost: localhost\r\n\r\n`, 431],
    ['headers that are too long', `GET / HTTP/1.1\r\nhost: localhost\r\nx-a: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a method that is none', 'FROB / HTTP/1.1\r\nhost: localhost\r\n\r\n', 400],
    ['something else', '\x16\x03\x01 hello', 400],
  ])('%s gets a problem document', async (_, text, status) => {
    const response = await exchange(text);
    const [head = '', body = ''] = response.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head).toMatch(/content-type: application\/problem\+json/);
    expect(JSON.parse(body)).toMatchObject({ status, type: expect.stringMatching(/^urn:/) });
  });
});

describe('behind a proxy', () => {
  const cookieVia = async (trustedProxies: string) => {
    const service = await testService({
      environment: { VERBATIM_TRUSTED_PROXIES: trustedProxies },
      mount: (parts) => ({ webRouter: createWebPages(parts, { tenantId: 'acme' }) }),
    });
    try {
      const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };
      const page = await fetch(new URL('/sign-in', service.url), { headers });
      return page.headers.getSetCookie().join();
    } finally {
      await service.close();
    }
  };

  test('that is trusted, cookies are for HTTPS', async () => {
    expect(await cookieVia('127.0.0.1/32')).toMatch(/; Secure/);
  });

  test('that is not, its word counts for nothing', async () => {
    expect(await cookieVia('10.0.0.0/8')).not.toMatch(/; Secure/);
  });
});
