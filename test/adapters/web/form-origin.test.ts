// Forms of other sites, in front of a service that a proxy stands before.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createErrorPages } from '../../../adapters/web/error-page.ts';
import { refuseForeignForms } from '../../../adapters/web/form-origin.ts';
import { createTestLogger } from '../../helpers/test-logger.ts';

let server: Server;
let url: string;
beforeAll(async () => {
  const app = express();
  app.set('trust proxy', 'loopback');
  app.use(refuseForeignForms('https://verbatim.example.com'));
  app.all('/', (_request, response) => void response.send('done'));
  app.use(createErrorPages(createTestLogger().logger));
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterAll(() => server.close());

test.each([
  ['of this address', () => ({ origin: url }), 200],
  ['of no page', () => ({}), 200],
  ['of this address, with a referer alone', () => ({ referer: `${url}/channels/x` }), 200],
  ['of the public address', () => ({ origin: 'https://verbatim.example.com' }), 200],
  [
    'of what a proxy on this machine was asked for',
    () => ({ origin: 'https://docs.corp.example', 'x-forwarded-host': 'docs.corp.example:443' }),
    200,
  ],
  ['of another site', () => ({ origin: 'https://evil.example' }), 403],
  ['of another port', () => ({ origin: url.replace(/\d+$/, '1') }), 403],
  ['of a sandbox', () => ({ origin: 'null' }), 403],
  ['of another site, by its referer', () => ({ referer: 'https://evil.example/page' }), 403],
  ['of a name that begins with ours', () => ({ origin: 'https://verbatim.example.com.evil.example' }), 403],
  ['of another site with a referer of ours', () => ({ origin: 'https://evil.example', referer: `${url}/` }), 403],
])('a form %s', async (_kind, headers, status) => {
  const response = await fetch(url, { method: 'POST', headers: headers() as Record<string, string> });
  expect(response.status).toBe(status);
});

test('a page may be come to from anywhere', async () => {
  const headers = { origin: 'https://evil.example', referer: 'https://evil.example/' };
  expect((await fetch(url, { headers })).status).toBe(200);
});
