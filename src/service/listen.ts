import { randomUUID } from 'node:crypto';
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Duplex } from 'node:stream';
import { ProblemError, problemDocument, statusOf } from '../../adapters/api/problem.ts';
import { VerbatimError } from '../../retrieval/errors.ts';

/** The service while it listens. */
export interface Listening {
  /** Such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /**
   * Waits until no request runs any more, `deadlineMs` at the most, then closes all connections. From its call on the
   * application is expected to refuse requests.
   * @returns how many requests were cut off.
   */
  stop(deadlineMs: number): Promise<number>;
}

/** The service cannot listen where it should. */
export class CannotListenError extends VerbatimError {
  constructor(host: string, port: number, code: string, options: { cause: unknown }) {
    const advice: Readonly<Record<string, string>> = {
      EADDRINUSE: `port ${port} of ${host} is taken; stop what listens there, or set VERBATIM_PORT to another (0: any free)`,
      EACCES: `port ${port} of ${host} is not for this user; set VERBATIM_PORT to 1024 or above`,
      EADDRNOTAVAIL: `${host} is no address of this machine; set VERBATIM_HOST to one, such as 127.0.0.1 or 0.0.0.0`,
      ENOTFOUND: `${host} has no address; set VERBATIM_HOST to one, such as 127.0.0.1 or 0.0.0.0`,
    };
    super('cannot_listen', advice[code] ?? `cannot listen on port ${port} of ${host} (${code})`, options);
  }
}

// Slower senders hold a connection for nothing; the body of the largest file fits in.
const REQUEST_TIMEOUT_MS = 120_000;
const HEADERS_TIMEOUT_MS = 15_000;

/**
 * Whether the service will be able to listen: what is wrong should be said before a database is started for nothing.
 * @throws CannotListenError
 */
export async function checkPort({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  const server = createServer();
  await begin(server, host, port);
  await new Promise((resolve) => server.close(resolve));
}

function begin(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new CannotListenError(host, port, error.code ?? error.name, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
}

/** Listens. @throws CannotListenError */
export async function listen(
  application: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: HEADERS_TIMEOUT_MS }, application);
  server.on('clientError', refuseUnreadable);
  const running = countRequests(server);
  await begin(server, host, port);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${bound}`,
    async stop(deadlineMs) {
      await running.ended(deadlineMs);
      const cutOff = running.count();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      return cutOff;
    },
  };
}

// What is no request that the application could see: said in the form of everything else that is wrong.
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex & { readonly bytesWritten?: number }): void {
  // After a response has begun, these bytes would be taken for a part of it.
  if (error.code === 'ECONNRESET' || !socket.writable || (socket.bytesWritten ?? 0) > 0) return void socket.destroy();
  const problem =
    UNREADABLE[error.code ?? ''] ?? new ProblemError('invalid_request', 'this is not a request of HTTP/1.1');
  const requestId = randomUUID();
  const body = JSON.stringify(problemDocument(problem, requestId));
  const status = statusOf(problem.kind);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/problem+json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      'cache-control: no-store',
      'x-content-type-options: nosniff',
      `x-request-id: ${requestId}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

const UNREADABLE: Readonly<Record<string, ProblemError>> = {
  HPE_HEADER_OVERFLOW: new ProblemError('headers_too_large', 'the address and the headers together are too long'),
  HPE_INVALID_METHOD: new ProblemError('invalid_request', 'the method is not one of HTTP'),
  ERR_HTTP_REQUEST_TIMEOUT: new ProblemError('timeout', 'the request did not come in time'),
};

function countRequests(server: Server): { count(): number; ended(deadlineMs: number): Promise<void> } {
  let count = 0;
  let whenNone = () => {};
  server.on('request', (_request, response) => {
    count++;
    response.once('close', () => {
      count--;
      if (count === 0) whenNone();
    });
  });
  return {
    count: () => count,
    ended: (deadlineMs) =>
      new Promise((resolve) => {
        if (count === 0) return resolve();
        const timer = setTimeout(resolve, deadlineMs);
        whenNone = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
