// One call of a provider's client library, seen from below: its requests go through a `fetch` of ours. So time-outs, retries
// and errors are the same for every library, whatever each does by itself (some do not pass a signal on, all retry in secret).
import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from '../../retrieval/deadline.ts';
import type { Clock, ModelUsage } from '../../retrieval/ports.ts';
import { errorOfStatus, ProviderError, quotaUsedUp } from './provider-error.ts';
import type { ProviderName, ProviderTask } from './provider-name.ts';

/** The requests of one call. */
export interface Exchange {
  /** To be given to the client library, whose own retries must be off. */
  readonly fetch: typeof fetch;
  /** Aborted at the deadline, or when the caller's is. */
  readonly signal: AbortSignal;
  /** Requests sent, retries included. */
  requests(): number;
  /** What the library's error was really about: a ProviderError, or the error itself when nothing was sent. */
  explain(error: unknown): unknown;
}

export interface ExchangeOptions {
  readonly provider: ProviderName;
  /** From now on, for all requests and the pause between them. */
  readonly timeoutMs: number;
  /** Ends the call earlier. */
  readonly signal?: AbortSignal;
  /** Ends all calls of this process, because it ends. */
  readonly ending?: AbortSignal | undefined;
  readonly clock: Clock;
  /** A longer reply is malformed; `MAX_REPLY_BYTES` when not given. */
  readonly maxReplyBytes?: number;
}

// When a provider does not say when to come back: long enough for a request in its queue to end, short beside the answer.
const DEFAULT_RETRY_MS = 500;

// The longest that is asked for are 96 vectors: of 4,000 numbers (the most that the database indexes), each in up to 25
// characters, that is 10 MB.
const MAX_REPLY_BYTES = 16 * 2 ** 20;

/**
 * Runs a call with an exchange of its own. After a response of 429 or 5xx, or a connection that was closed before any, it is
 * sent once more, after `Retry-After`, if that leaves time before the deadline; not where the quota is used up. Redirects are refused, since the request holds private text and belongs to the
 * configured host alone.
 * @throws ProviderError for whatever goes wrong from the first request on, and at the deadline whatever the library does.
 */
export async function withExchange<T>(options: ExchangeOptions, run: (exchange: Exchange) => Promise<T>): Promise<T> {
  const { timeoutMs, signal, ending } = options;
  const signals = [signal, ending].filter((each) => each !== undefined);
  const deadline = { timeoutMs, signals, late: () => cutShort(options) };
  return withDeadline(deadline, async (late) => {
    const exchange = openExchange(options, late);
    try {
      return await run(exchange);
    } catch (error) {
      throw exchange.explain(error);
    }
  });
}

function openExchange(options: ExchangeOptions, late: AbortSignal): Exchange {
  const { provider, timeoutMs, clock, maxReplyBytes = MAX_REPLY_BYTES } = options;
  const deadline = clock() + timeoutMs;
  let sent = 0;
  let failure: ProviderError | null = null;

  async function refusalOf(response: Response): Promise<ProviderError | null> {
    if (response.ok) return null;
    const outOfQuota = response.status === 429 && (await reached(saysOutOfQuota(response, late)));
    return outOfQuota ? quotaUsedUp(provider) : errorOfStatus(provider, response.status);
  }

  // Once more where that may help and there is time.
  async function sendTwice(
    input: Parameters<typeof fetch>[0],
    init: RequestInit | undefined,
  ): Promise<{ response: Response; refusal: ProviderError | null }> {
    const first = await send(input, init).catch((error: unknown) => ({ error }));
    if ('error' in first && !wasClosed(first.error)) throw first.error;
    const response = 'error' in first ? null : first;
    const refusal = response && (await refusalOf(response));
    const delayMs = response === null ? DEFAULT_RETRY_MS : refusal && retryDelayMs(refusal, response, clock);
    if (delayMs === null || late.aborted || clock() + delayMs >= deadline) {
      if ('error' in first) throw first.error;
      return { response: first, refusal };
    }
    await response?.body?.cancel();
    await sleep(delayMs, undefined, { signal: late });
    failure = null;
    const second = await send(input, init);
    return { response: second, refusal: await refusalOf(second) };
  }

  async function reached<R>(step: Promise<R>): Promise<R> {
    try {
      return await step;
    } catch (error) {
      failure = late.aborted ? null : unreachable(provider, error);
      throw error;
    }
  }

  // Not with the library's signal: it follows ours, or a longer time-out of its own.
  function send(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Response> {
    sent++;
    return reached(fetch(input, { ...init, redirect: 'error', signal: late }));
  }

  return {
    signal: late,
    requests: () => sent,
    async fetch(input, init) {
      failure = null;
      const { response, refusal } = await sendTwice(input, init);
      const readable = response.ok && !isPage(response);
      const body = readable ? await reached(readBody(response, maxReplyBytes, late)) : null;
      if (body) return new Response(body, { headers: { 'content-type': typeOf(response) } });
      await response.body?.cancel();
      failure = refusal ?? malformedAnswer(provider);
      // In place of the provider's own words: some libraries print what they cannot read.
      const status = response.ok ? 502 : response.status;
      return Response.json({ error: { message: `status ${status}` } }, { status });
    },
    explain(error) {
      if (error instanceof ProviderError) return error;
      if (late.aborted) return cutShort(options);
      if (sent === 0) return error;
      return failure ?? malformedAnswer(provider);
    },
  };
}

// All of it before the library sees any: so that it has one limit and one deadline for every library. Null: too long.
async function readBody(response: Response, maxBytes: number, late: AbortSignal): Promise<Buffer<ArrayBuffer> | null> {
  const reader = response.body?.getReader();
  if (!reader) return Buffer.alloc(0);
  const stop = () => void reader.cancel().catch(() => undefined);
  late.addEventListener('abort', stop, { once: true });
  try {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      late.throwIfAborted();
      if (done) return Buffer.concat(parts);
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        stop();
        return null;
      }
      parts.push(value);
    }
  } finally {
    late.removeEventListener('abort', stop);
    reader.releaseLock();
  }
}

function cutShort({ provider: { id, urlVariable }, ending }: ExchangeOptions): ProviderError {
  if (ending?.aborted) return new ProviderError('provider_call_ended', `${id} was not waited for: the process ends`);
  const message = `${id} did not answer in time; check ${urlVariable} or take a faster model`;
  return new ProviderError('provider_timeout', message);
}

const MALFORMED: Readonly<Record<ProviderTask, string>> = {
  chat: 'an answer that cannot be read; if it happens often, take a model that can write JSON to a schema',
  embedding:
    'not one vector for each text; check that its server runs a model for embeddings and nothing mixes up its replies',
  reranking: 'not one score for each text; check that it is a model for reranking',
};

/** The provider answered, but not in the form that it promises; `usage`: what it counted for that. */
export function malformedAnswer(
  { id, task }: Pick<ProviderName, 'id' | 'task'>,
  usage: ModelUsage | null = null,
): ProviderError {
  return new ProviderError('provider_answer_malformed', `${id} gave ${MALFORMED[task]}`, { usage });
}

// What a pause does not mend. OpenAI's code for it (https://platform.openai.com/docs/guides/error-codes).
const OUT_OF_QUOTA = '"insufficient_quota"';
const MAX_ERROR_BYTES = 2 ** 16; // theirs have 300

async function saysOutOfQuota(response: Response, late: AbortSignal): Promise<boolean> {
  return (await readBody(response, MAX_ERROR_BYTES, late))?.includes(OUT_OF_QUOTA) ?? false;
}

// By a server or a proxy that restarted, before any reply: the codes of Node's client and of the system.
function wasClosed(error: unknown): boolean {
  const { cause } = error as { cause?: { code?: unknown } };
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(String(cause?.code));
}

// What a proxy or a login page puts in the place of an answer.
function isPage(response: Response): boolean {
  return typeOf(response).startsWith('text/html');
}

function typeOf({ headers }: Response): string {
  return headers.get('content-type') ?? '';
}

function unreachable({ id, urlVariable }: ProviderName, error: unknown): ProviderError {
  const { cause } = error as { cause?: { code?: unknown } };
  const reason = typeof cause?.code === 'string' ? ` (${cause.code})` : '';
  return new ProviderError('provider_unreachable', `${id} cannot be reached${reason}; check ${urlVariable}`);
}

// Null: no retry. The header holds seconds or a date (RFC 9110, 10.2.3).
function retryDelayMs({ code }: ProviderError, { headers }: Response, clock: Clock): number | null {
  if (code !== 'provider_rate_limited' && code !== 'provider_failed') return null;
  const header = headers.get('retry-after')?.trim();
  if (!header) return DEFAULT_RETRY_MS;
  const delayMs = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - clock();
  return Number.isNaN(delayMs) ? DEFAULT_RETRY_MS : Math.max(0, delayMs);
}
