// What holds for every provider's library: the deadline, whatever is collected as garbage meanwhile, and the size of a reply.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Exchange, type ExchangeOptions, withExchange } from '../../src/providers/exchange.ts';
import { providerName } from '../../src/providers/provider-name.ts';
import { collectGarbage } from '../helpers/collect-garbage.ts';

let respond: (response: ServerResponse) => void;
let open = 0;
const server = createServer((request, response) => {
  open++;
  response.on('close', () => open--);
  request.resume().on('end', () => respond(response));
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function exchange<T>(options: Partial<ExchangeOptions>, run: (exchange: Exchange) => Promise<T>): Promise<T> {
  const provider = providerName('openai', 'm1', 'chat');
  return withExchange({ provider, timeoutMs: 20_000, clock: Date.now, ...options }, run);
}

function headOf(response: ServerResponse): ServerResponse {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  return response;
}

describe('the deadline of an exchange, while garbage is collected', () => {
  let collecting: NodeJS.Timeout;
  beforeEach(() => {
    collecting = setInterval(collectGarbage, 20);
  });
  afterEach(() => clearInterval(collecting));

  it.each<[string, (response: ServerResponse) => void]>([
    ['comes a little at a time', (response) => trickle(headOf(response))],
    ['stops after its head', (response) => void headOf(response)],
    ['never begins', () => undefined],
  ])('ends a reply that %s, and its connection', async (_, reply) => {
    respond = reply;
    const asked = exchange({ timeoutMs: 300 }, async ({ fetch }) => {
      // Libraries have a signal of their own.
      const response = await fetch(url, { signal: new AbortController().signal });
      return response.text();
    });
    await expect(asked).rejects.toMatchObject({ code: 'provider_timeout' });
    await vi.waitFor(() => expect(open).toBe(0));
  });

  it('ends a library that waits for something else', async () => {
    const asked = exchange({ timeoutMs: 100 }, () => new Promise(() => {}));
    await expect(asked).rejects.toMatchObject({ code: 'provider_timeout' });
  });
});

function trickle(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20);
  response.on('close', () => clearInterval(timer));
}

it('reads a reply of the allowed size, byte for byte', async () => {
  respond = (response) => headOf(response).end(`"${'é'.repeat(499)}"`);
  const text = await exchange({ maxReplyBytes: 1_000 }, async ({ fetch }) => (await fetch(url)).json());
  expect(text).toBe('é'.repeat(499));
});

it('stops reading a reply that is too long, and calls it malformed', async () => {
  respond = (response) => {
    headOf(response);
    void (async () => {
      while (!response.destroyed) {
        response.write('x'.repeat(1_000));
        await sleep(1);
      }
    })();
  };
  const asked = exchange({ maxReplyBytes: 10_000 }, async ({ fetch }) => {
    const response = await fetch(url);
    if (!response.ok) throw new Error(`status ${response.status}`);
    return response.text();
  });
  await expect(asked).rejects.toMatchObject({ code: 'provider_answer_malformed' });
  await vi.waitFor(() => expect(open).toBe(0));
});

it('says that a provider cannot be reached when it breaks off in the middle', async () => {
  respond = (response) => headOf(response).write('{"half', () => response.destroy());
  const asked = exchange({}, async ({ fetch }) => (await fetch(url)).text());
  await expect(asked).rejects.toMatchObject({ code: 'provider_unreachable' });
});

describe('a request is sent once more', () => {
  const ask = () =>
    exchange({}, async ({ fetch, requests }) => ({ text: await (await fetch(url)).text(), sent: requests() }));
  const firstThenGood = (first: (response: ServerResponse) => void) => {
    let replies = 0;
    respond = (response) => (replies++ === 0 ? first(response) : void headOf(response).end('"good"'));
  };

  it.each<[string, (response: ServerResponse) => void]>([
    ['a connection that was closed before any reply', (response) => response.destroy()],
    ['a failure of the server', (response) => response.writeHead(500).end()],
    ['a limit', (response) => response.writeHead(429, { 'retry-after': '0' }).end('{"error":{"code":"rate_limit"}}')],
  ])('after %s', async (_, first) => {
    firstThenGood(first);
    expect(await ask()).toEqual({ text: '"good"', sent: 2 });
  });

  it('but not a third time', async () => {
    let replies = 0;
    respond = (response) => {
      replies++;
      response.destroy();
    };
    await expect(ask()).rejects.toMatchObject({ code: 'provider_unreachable' });
    expect(replies).toBe(2);
  });

  it('but not where the quota is used up, which is said', async () => {
    firstThenGood((response) => response.writeHead(429).end('{"error":{"code":"insufficient_quota"}}'));
    const asked = exchange({}, async ({ fetch }) => {
      const response = await fetch(url);
      throw new Error(`status ${response.status}`);
    });
    await expect(asked).rejects.toMatchObject({ code: 'provider_quota_used_up', status: 429 });
  });
});
