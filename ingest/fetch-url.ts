// Fetches one document from the web without becoming a way into the network it runs in: only named hosts, each redirect
// checked like the first URL, and the connection made to the very addresses that were checked.
import type { LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import ipaddr from 'ipaddr.js';
import { Agent, type Dispatcher, request } from 'undici';
import { UsageError, VerbatimError } from '../retrieval/errors.ts';
import { fileNameOf } from './fetch-file-name.ts';
import {
  type AllowedHost,
  FETCH_HOSTS_VARIABLE,
  hostOf,
  isNamedHost,
  isReachableAddress,
  parseAllowedHost,
} from './fetch-hosts.ts';

const MAX_REDIRECTS = 5;
const DEFAULT_MAX_BYTES = 50 * 1024 * 1024;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_USER_AGENT = 'Verbatim/0.1 (document ingestion)';
const REDIRECTS = [301, 302, 303, 307, 308];

/** Why a document could not be fetched. */
export type FetchFailure = 'refused' | 'unreachable' | 'timeout' | 'status' | 'too_large' | 'encoding' | 'redirects';

/** A named host did not give the document, or led to where it must not be fetched from. */
export class FetchError extends VerbatimError {
  readonly reason: FetchFailure;
  /** Of the response; null when there was none. */
  readonly status: number | null;
  constructor(reason: FetchFailure, message: string, options?: { cause?: unknown; status?: number }) {
    super(`fetch_${reason}`, message, options);
    this.reason = reason;
    this.status = options?.status ?? null;
  }
}

/** Resolves a host name to all its addresses, like `dns.promises.lookup` with `all`. */
export type LookupAll = (hostname: string) => Promise<readonly LookupAddress[]>;

/** What may be fetched, and how much of it for how long. */
export interface FetchOptions {
  /** Entries as `parseAllowedHost` reads them. */
  readonly allowedHosts: readonly string[];
  /** Of the document, packed and unpacked; 50 MiB when not given. */
  readonly maxBytes?: number;
  /** For everything, redirects included; 30 seconds when not given. */
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  /** The system's resolver when not given. */
  readonly lookup?: LookupAll;
}

/** A document as it was fetched. */
export interface FetchedDocument {
  readonly bytes: Uint8Array;
  /** Lower case, without parameters; `application/octet-stream` when the server names none. */
  readonly mediaType: string;
  /** The parameter of the media type, lower case. */
  readonly charset: string | null;
  /** After redirects, without fragment. */
  readonly finalUrl: string;
  /** From Content-Disposition, else the last part of the path; never a path. */
  readonly fileName: string;
  readonly lastModified: Date | null;
}

interface Hop {
  readonly url: URL;
  readonly addresses: readonly LookupAddress[];
}

/**
 * Fetches `url`.
 * @throws UsageError when the URL is malformed, has credentials, is not http(s), or its host is not allowed.
 * @throws FetchError when the host does not deliver in time and size, or redirects to where it must not be fetched from.
 */
export async function fetchDocument(url: string, options: FetchOptions): Promise<FetchedDocument> {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const allowed = options.allowedHosts.map(parseAllowedHost);
  const signal = AbortSignal.timeout(timeoutMs);
  const lookup = options.lookup ?? lookupAll;
  let target = parseTarget(url);
  let redirects = 0;
  try {
    for (;;) {
      const hop = await checkTarget(target, allowed, lookup, signal);
      const outcome = await fetchHop(hop, options, signal);
      if (!(outcome instanceof URL)) return outcome;
      redirects += 1;
      target = outcome;
      if (redirects > MAX_REDIRECTS) {
        throw new FetchError('redirects', `it redirects more than ${MAX_REDIRECTS} times`);
      }
    }
  } catch (error) {
    throw explain(error, { first: parseTarget(url), target, redirects, timeoutMs, timedOut: signal.aborted });
  }
}

function explain(
  error: unknown,
  at: { first: URL; target: URL; redirects: number; timeoutMs: number; timedOut: boolean },
): unknown {
  if (!(error instanceof VerbatimError)) {
    if (!at.timedOut) return error;
    return new FetchError('timeout', `${shown(at.target)} did not deliver within ${at.timeoutMs} ms`, { cause: error });
  }
  if (at.redirects === 0) return error;
  // What is wrong with a redirect is not what the person typed.
  const { reason, status } = error instanceof FetchError ? error : { reason: 'refused' as const, status: null };
  return new FetchError(reason, `${shown(at.first)} redirects: ${error.message}`, {
    cause: error,
    ...(status !== null && { status }),
  });
}

function parseTarget(text: string): URL {
  if (!URL.canParse(text))
    throw new UsageError(`"${text}" is not a URL; write it whole, such as https://docs.example.com/page`);
  const url = new URL(text);
  url.hash = '';
  return url;
}

async function checkTarget(
  url: URL,
  allowed: readonly AllowedHost[],
  lookup: LookupAll,
  signal: AbortSignal,
): Promise<Hop> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UsageError(`${url.protocol} URLs are not fetched; use http:// or https://`);
  }
  if (url.username || url.password) {
    throw new UsageError(`a URL with a user name or password in it is not fetched; remove it: ${shown(url)}`);
  }
  if (!isNamedHost(url, allowed)) {
    throw new UsageError(`${url.host} is not an allowed host; to allow it add ${url.host} to ${FETCH_HOSTS_VARIABLE}`);
  }
  const host = hostOf(url);
  const addresses = ipaddr.isValid(host)
    ? [{ address: host, family: ipaddr.parse(host).kind() === 'ipv6' ? 6 : 4 }]
    : await resolve(host, lookup, signal);
  const unreachable = addresses.find(({ address }) => !isReachableAddress(url, address, allowed));
  if (unreachable) {
    throw new UsageError(
      `${url.host} is at ${unreachable.address}, which is not a public address; if it is meant to be fetched from, add ${unreachable.address} itself to ${FETCH_HOSTS_VARIABLE}`,
    );
  }
  return { url, addresses };
}

async function resolve(host: string, lookup: LookupAll, signal: AbortSignal): Promise<readonly LookupAddress[]> {
  try {
    const addresses = await raceAbort(lookup(host), signal);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    if (signal.aborted) throw error;
    throw new FetchError('unreachable', `${host} cannot be resolved to an address`, { cause: error });
  }
  throw new FetchError('unreachable', `${host} has no address`);
}

// The system's resolver cannot be cancelled; its answer is left behind.
function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolvePromise, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolvePromise, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const lookupAll: LookupAll = (hostname) => systemLookup(hostname, { all: true, verbatim: true });

async function fetchHop(hop: Hop, options: FetchOptions, signal: AbortSignal): Promise<FetchedDocument | URL> {
  const { url } = hop;
  const dispatcher = pinnedAgent(hop);
  try {
    const response = await request(url, {
      dispatcher,
      signal,
      headers: {
        accept: '*/*',
        'accept-encoding': 'gzip, br',
        'user-agent': options.userAgent ?? DEFAULT_USER_AGENT,
      },
    });
    // Errors after the end of our interest, when the agent is destroyed.
    response.body.on('error', () => undefined);
    const location = headerOf(response, 'location');
    if (REDIRECTS.includes(response.statusCode) && location !== null) return redirectTarget(url, location);
    if (response.statusCode !== 200) {
      const message = `${shown(url)} answered with status ${response.statusCode}`;
      throw new FetchError('status', message, { status: response.statusCode });
    }
    return await readDocument(url, response, options.maxBytes ?? DEFAULT_MAX_BYTES);
  } catch (error) {
    if (error instanceof VerbatimError || signal.aborted) throw error;
    const detail = error instanceof Error ? error.message : String(error);
    throw new FetchError('unreachable', `${shown(url)} cannot be fetched: ${detail}`, { cause: error });
  } finally {
    // Not `close`, which would wait for the rest of a body that is not wanted.
    await dispatcher.destroy();
  }
}

// DNS is asked once: a second answer, given between the check and the connection, could be an address inside (rebinding).
function pinnedAgent({ addresses }: Hop): Agent {
  const [first] = addresses;
  return new Agent({
    connect: {
      lookup: (_hostname, options, callback) => {
        if (options.all) callback(null, [...addresses]);
        else callback(null, first?.address ?? '', first?.family ?? 4);
      },
    },
    maxHeaderSize: 32 * 1024,
    // The one deadline is the signal's.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function redirectTarget(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) {
    throw new FetchError('redirects', `${shown(from)} redirects to something that is not a URL`);
  }
  const target = new URL(location, from.href);
  target.hash = '';
  return target;
}

async function readDocument(url: URL, response: Dispatcher.ResponseData, maxBytes: number): Promise<FetchedDocument> {
  const tooLarge = () => new FetchError('too_large', `${shown(url)} has more than ${maxBytes} bytes`, { status: 200 });
  if (Number(headerOf(response, 'content-length') ?? 0) > maxBytes) throw tooLarge();
  const bytes = await readBounded(decoded(url, response, maxBytes, tooLarge), maxBytes, tooLarge).catch((error) => {
    if (error instanceof VerbatimError || response.body.errored) throw error;
    throw new FetchError('encoding', `${shown(url)} cannot be unpacked: ${error.message}`, {
      cause: error,
      status: 200,
    });
  });
  const contentType = headerOf(response, 'content-type') ?? '';
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() || 'application/octet-stream';
  const modified = new Date(headerOf(response, 'last-modified') ?? Number.NaN);
  return {
    bytes,
    mediaType,
    charset: /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? null,
    finalUrl: url.href,
    fileName: fileNameOf(url, headerOf(response, 'content-disposition'), mediaType),
    lastModified: Number.isNaN(modified.getTime()) ? null : modified,
  };
}

// Packed bytes are counted too: a stream of empty gzip members unpacks to nothing for ever.
function decoded(url: URL, response: Dispatcher.ResponseData, maxBytes: number, tooLarge: () => Error): Readable {
  const encoding = headerOf(response, 'content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return response.body;
  const decoders: Record<string, () => ReturnType<typeof createGunzip>> = {
    gzip: createGunzip,
    'x-gzip': createGunzip,
    br: createBrotliDecompress,
  };
  const createDecoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (!createDecoder) {
    throw new FetchError('encoding', `${shown(url)} is packed as "${encoding}", which was not asked for`, {
      status: 200,
    });
  }
  const decoder = createDecoder();
  let packedBytes = 0;
  response.body.on('data', (chunk: Uint8Array) => {
    packedBytes += chunk.length;
    if (packedBytes > maxBytes) decoder.destroy(tooLarge());
  });
  response.body.on('error', (error) => decoder.destroy(error));
  return response.body.pipe(decoder);
}

async function readBounded(stream: Readable, maxBytes: number, tooLarge: () => Error): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function headerOf(response: Dispatcher.ResponseData, name: string): string | null {
  const value = response.headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

// Without the query, which may hold a signature or a token.
function shown(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}
