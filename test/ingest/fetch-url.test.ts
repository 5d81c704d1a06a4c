import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { FetchError, fetchDocument } from '../../ingest/fetch-url.ts';
import { UsageError } from '../../retrieval/errors.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server on 127.0.0.1; `host` is what has to be named to fetch from it. */
async function serve(listener: RequestListener) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.on('error', () => undefined);
    listener(request, response);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}`, port, requests };
}

const text: RequestListener = (_request, response) => {
  response.setHeader('content-type', 'text/plain; charset=utf-8').end('ten hours of leave');
};
const redirectTo =
  (location: string, status = 302): RequestListener =>
  (_request, response) => {
    response.writeHead(status, { location }).end('moved');
  };

describe('fetchDocument', () => {
  it('gives the bytes, type, name and date of a document', async () => {
    const server = await serve((_request, response) => {
      response.setHeader('content-type', 'Text/HTML; Charset="ISO-8859-1"');
      response.setHeader('last-modified', 'Wed, 21 Oct 2015 07:28:00 GMT');
      response.end(Buffer.from([0xfc, 0x00, 0xff]));
    });
    expect(await fetchDocument(`${server.url}/leave%20policy.html?v=2#top`, { allowedHosts: [server.host] })).toEqual({
      bytes: new Uint8Array([0xfc, 0x00, 0xff]),
      mediaType: 'text/html',
      charset: 'iso-8859-1',
      finalUrl: `${server.url}/leave%20policy.html?v=2`,
      fileName: 'leave policy.html',
      lastModified: new Date('2015-10-21T07:28:00Z'),
    });
    expect(server.requests[0]?.headers).toMatchObject({
      'user-agent': expect.stringContaining('Verbatim'),
      host: server.host,
    });
    expect(server.requests[0]?.headers).not.toHaveProperty('cookie');
  });

  it('makes do with a server that says nothing about the document', async () => {
    const server = await serve((_request, response) => response.setHeader('last-modified', 'yesterday').end('x'));
    const fetched = await fetchDocument(server.url, { allowedHosts: [server.host], userAgent: 'Test/1' });
    expect(fetched).toMatchObject({ mediaType: 'application/octet-stream', charset: null, lastModified: null });
    expect(fetched.fileName).toBe('127.0.0.1');
    expect(server.requests[0]?.headers['user-agent']).toBe('Test/1');
  });

  it.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('unpacks %s', async (encoding, pack) => {
    const server = await serve((_request, response) => {
      response.setHeader('content-encoding', encoding).end(pack(Buffer.from('ten hours')));
    });
    const { bytes } = await fetchDocument(server.url, { allowedHosts: [server.host] });
    expect(Buffer.from(bytes).toString()).toBe('ten hours');
  });

  it('follows redirects between allowed hosts, relative ones too', async () => {
    const target = await serve(text);
    const relay = await serve((request, response) => {
      if (request.url === '/start') redirectTo('/next', 301)(request, response);
      else redirectTo(`${target.url}/final.txt#part`, 307)(request, response);
    });
    const fetched = await fetchDocument(`${relay.url}/start`, { allowedHosts: [relay.host, target.host] });
    expect(fetched).toMatchObject({ finalUrl: `${target.url}/final.txt`, fileName: 'final.txt' });
  });

  it('follows five redirects and no more', async () => {
    const server = await serve((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) text(request, response);
      else redirectTo(`/${left - 1}`)(request, response);
    });
    const options = { allowedHosts: [server.host] };
    expect((await fetchDocument(`${server.url}/5`, options)).finalUrl).toBe(`${server.url}/0`);
    await expect(fetchDocument(`${server.url}/6`, options)).rejects.toMatchObject({ reason: 'redirects' });
    expect(server.requests.filter((request) => request.url === '/0')).toHaveLength(1);
  });
});

describe('fetchDocument refuses', () => {
  const publicHost = { allowedHosts: ['docs.example.com'] };

  it.each([
    ['not a url', 'is not a URL'],
    ['ftp://docs.example.com/', 'use http:// or https://'],
    ['file:///etc/passwd', 'use http:// or https://'],
    ['data:text/plain,x', 'use http:// or https://'],
    ['https://ana:hunter2@docs.example.com/', 'user name or password'],
    ['https://other.example.com/', 'add other.example.com to VERBATIM_FETCH_HOSTS'],
    ['http://127.0.0.1:8080/', 'add 127.0.0.1:8080 to VERBATIM_FETCH_HOSTS'],
    ['http://2130706433/', 'add 127.0.0.1 to VERBATIM_FETCH_HOSTS'],
    ['http://0x7f.1/', 'add 127.0.0.1 to VERBATIM_FETCH_HOSTS'],
    ['http://017700000001/', 'add 127.0.0.1 to VERBATIM_FETCH_HOSTS'],
    ['http://[::ffff:127.0.0.1]/', 'add [::ffff:7f00:1] to VERBATIM_FETCH_HOSTS'],
    ['http://localhost/', 'add localhost to VERBATIM_FETCH_HOSTS'],
    ['http://169.254.169.254/latest/meta-data/', 'add 169.254.169.254 to VERBATIM_FETCH_HOSTS'],
  ])('%s', async (url, message) => {
    const fetching = fetchDocument(url, { ...publicHost, lookup: () => Promise.reject(new Error('not to be asked')) });
    await expect(fetching).rejects.toThrow(UsageError);
    await expect(fetching).rejects.toThrow(message);
    await expect(fetching).rejects.not.toThrow('hunter2');
  });

  it('everything when no host is allowed', async () => {
    await expect(fetchDocument('https://docs.example.com/', { allowedHosts: [] })).rejects.toThrow(UsageError);
  });

  it.each(['127.0.0.1', '10.0.0.8', '169.254.169.254', '::1', 'fd00::1', '::ffff:127.0.0.1'])(
    'a named public host that turns out to be at %s, although a server listens there',
    async (address) => {
      const server = await serve(text);
      const lookup = async () => [
        { address: '93.184.215.14', family: 4 },
        { address, family: address.includes(':') ? 6 : 4 },
      ];
      const fetching = fetchDocument(`http://docs.example.com:${server.port}/`, { ...publicHost, lookup });
      await expect(fetching).rejects.toThrow(UsageError);
      await expect(fetching).rejects.toThrow(`add ${address} itself to VERBATIM_FETCH_HOSTS`);
      expect(server.requests).toEqual([]);
    },
  );

  it.each([
    ['a host that is not named', 'http://other.example.com/', 'add other.example.com to'],
    ['loopback that is not named', 'http://127.0.0.1:1/', 'add 127.0.0.1:1 to'],
    ['loopback in decimal', 'http://2130706433:1/', 'add 127.0.0.1:1 to'],
    ['loopback inside IPv6', 'http://[::ffff:127.0.0.1]:1/', 'add [::ffff:7f00:1]:1 to'],
    ['the metadata address', 'http://169.254.169.254/latest', 'add 169.254.169.254 to'],
    ['a named name at a private address', 'http://docs.example.com/', 'add 10.0.0.8 itself to'],
    ['another protocol', 'file:///etc/passwd', 'file: URLs are not fetched'],
    ['credentials', 'http://ana:hunter2@docs.example.com/', 'user name or password'],
  ])('a redirect to %s', async (_, location, message) => {
    const server = await serve(redirectTo(location));
    const fetching = fetchDocument(server.url, {
      allowedHosts: [server.host, 'docs.example.com'],
      lookup: async () => [{ address: '10.0.0.8', family: 4 }],
    });
    await expect(fetching).rejects.toThrow(FetchError);
    await expect(fetching).rejects.toMatchObject({ reason: 'refused', code: 'fetch_refused' });
    await expect(fetching).rejects.toThrow(message);
    await expect(fetching).rejects.not.toThrow('hunter2');
  });

  it('another port of a host that is named with its port', async () => {
    const [named, other] = [await serve(text), await serve(text)];
    await expect(fetchDocument(other.url, { allowedHosts: [named.host] })).rejects.toThrow(UsageError);
    expect(other.requests).toEqual([]);
  });
});

describe('fetchDocument connects', () => {
  it('to the address that was checked, asking the resolver once', async () => {
    const server = await serve(text);
    let asked = 0;
    const lookup = async () => {
      asked += 1;
      // A rebinding resolver: the second answer would lead elsewhere.
      return [{ address: asked === 1 ? '127.0.0.1' : '127.9.9.9', family: 4 }];
    };
    const url = `http://docs.example.com:${server.port}/a.txt`;
    const allowedHosts = ['docs.example.com', `127.0.0.1:${server.port}`];
    expect(await fetchDocument(url, { allowedHosts, lookup })).toMatchObject({ finalUrl: url, fileName: 'a.txt' });
    expect(asked).toBe(1);
    expect(server.requests[0]?.headers.host).toBe(`docs.example.com:${server.port}`);
  });

  it('to localhost when it is named', async () => {
    const server = await serve(text);
    const url = `http://localhost:${server.port}/a.txt`;
    expect((await fetchDocument(url, { allowedHosts: [`localhost:${server.port}`] })).mediaType).toBe('text/plain');
  });
});

describe('fetchDocument gives up', () => {
  const after = { timeoutMs: 250 };
  const maxBytes = 100_000;

  it.each<[string, RequestListener]>([
    ['never answers', () => undefined],
    ['sends headers and nothing else', (_request, response) => response.flushHeaders()],
    [
      'sends a byte now and then',
      (_request, response) => {
        const drip = setInterval(() => response.write('x'), 20);
        response.on('close', () => clearInterval(drip));
      },
    ],
    [
      'redirects and never answers',
      (request, response) => {
        if (request.url === '/') redirectTo('/slow')(request, response);
      },
    ],
  ])('on a server that %s', async (_, listener) => {
    const server = await serve(listener);
    await expect(fetchDocument(server.url, { allowedHosts: [server.host], ...after })).rejects.toMatchObject({
      name: 'FetchError',
      reason: 'timeout',
      message: expect.stringContaining('within 250 ms'),
    });
  });

  it('on a resolver that never answers', async () => {
    const lookup = () => new Promise<never>(() => undefined);
    await expect(
      fetchDocument('https://docs.example.com/', { allowedHosts: ['docs.example.com'], lookup, ...after }),
    ).rejects.toMatchObject({ reason: 'timeout' });
  });

  it.each<[string, RequestListener]>([
    ['announced', (_request, response) => response.writeHead(200, { 'content-length': maxBytes + 1 }).flushHeaders()],
    [
      'streamed without end',
      (_request, response) => {
        const flood = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', flood);
        flood();
      },
    ],
    [
      'a gzip bomb',
      (_request, response) => {
        response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(20_000_000)));
      },
    ],
    [
      'a brotli bomb',
      (_request, response) => {
        response.setHeader('content-encoding', 'br').end(brotliCompressSync(Buffer.alloc(20_000_000)));
      },
    ],
    [
      'empty gzip members without end',
      (_request, response) => {
        const members = Buffer.concat(Array.from({ length: 1000 }, () => gzipSync('')));
        const flood = () => {
          while (!response.destroyed && response.write(members));
        };
        response.setHeader('content-encoding', 'gzip').on('drain', flood);
        flood();
      },
    ],
  ])('on a body too large: %s', async (_, listener) => {
    const server = await serve(listener);
    await expect(fetchDocument(server.url, { allowedHosts: [server.host], maxBytes })).rejects.toMatchObject({
      name: 'FetchError',
      reason: 'too_large',
      message: expect.stringContaining('more than 100000 bytes'),
    });
  });

  it('takes a body of exactly the greatest size', async () => {
    const server = await serve((_request, response) => response.end(Buffer.alloc(maxBytes)));
    const { bytes } = await fetchDocument(server.url, { allowedHosts: [server.host], maxBytes });
    expect(bytes).toHaveLength(maxBytes);
  });

  it.each([201, 204, 304, 401, 404, 429, 503])('on status %i, which it reports', async (status) => {
    const server = await serve((_request, response) => response.writeHead(status).end());
    await expect(fetchDocument(`${server.url}/a?token=hunter2`, { allowedHosts: [server.host] })).rejects.toMatchObject(
      {
        reason: 'status',
        status,
        message: `${server.url}/a answered with status ${status}`,
      },
    );
  });

  it.each([
    ['zstd', 'x'],
    ['gzip, gzip', 'x'],
    ['gzip', 'not gzip at all'],
    ['gzip', gzipSync(Buffer.alloc(5000, 'leave')).subarray(0, 20)],
  ])('on what it cannot unpack: %s', async (encoding, body) => {
    const server = await serve((_request, response) => response.setHeader('content-encoding', encoding).end(body));
    await expect(fetchDocument(server.url, { allowedHosts: [server.host] })).rejects.toMatchObject({
      reason: 'encoding',
    });
  });

  it('on a connection that breaks off', async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('half', () => response.destroy());
    });
    await expect(fetchDocument(server.url, { allowedHosts: [server.host] })).rejects.toMatchObject({
      reason: 'unreachable',
    });
  });

  it('on a host without address and a port without server', async () => {
    const server = await serve(text);
    servers.pop()?.close();
    await expect(fetchDocument(server.url, { allowedHosts: [server.host] })).rejects.toMatchObject({
      reason: 'unreachable',
    });
    const lookup = async () => [];
    await expect(
      fetchDocument('http://docs.example.com/', { allowedHosts: ['docs.example.com'], lookup }),
    ).rejects.toMatchObject({ reason: 'unreachable' });
  });
});
