// One call of a provider's client library, seen from below: its requests go through a `fetch` of ours. So time-outs, retries
// and errors are the same for every library, whatever each does by itself (some do not pass a signal on, all retry in secret).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../retrieval/ports.ts';
import { errorOfStatus, ProviderError } from './provider-error.ts';
import type { ProviderName } from './provider-name.ts';

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
  readonly clock: Clock;
}

// When a provider does not say when to come back: long enough for a request in its queue to end, short beside the answer.
const DEFAULT_RETRY_MS = 500;

/**
 * Runs a call with an exchange of its own. A response of 429 or 5xx is asked for once more, after `Retry-After`, if that
 * leaves time before the deadline; redirects are refused, since the request holds private text and belongs to the
 * configured host alone.
 * @throws ProviderError for whatever goes wrong from the first request on.
 */
export async function withExchange<T>(options: ExchangeOptions, run: (exchange: Exchange) => Promise<T>): Promise<T> {
  const { timeoutMs, signal } = options;
  // Not `AbortSignal.timeout` joined by `AbortSignal.any`: the joined signal holds its sources weakly on Node 20, and a
  // source that was collected as garbage never fires.
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  const exchange = openExchange(options, ending.signal);
  try {
    return await run(exchange);
  } catch (error) {
    throw exchange.explain(error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function openExchange({ provider, timeoutMs, clock }: ExchangeOptions, ending: AbortSignal): Exchange {
  const deadline = clock() + timeoutMs;
  let sent = 0;
  let failure: ProviderError | null = null;

  async function send(input: Parameters<typeof fetch>[0], init: RequestInit | undefined): Promise<Response> {
    sent++;
    const signal = init?.signal ? AbortSignal.any([ending, init.signal]) : ending;
    try {
      return await fetch(input, { ...init, redirect: 'error', signal });
    } catch (error) {
      failure = ending.aborted ? null : unreachable(provider, error);
      throw error;
    }
  }

  return {
    signal: ending,
    requests: () => sent,
    async fetch(input, init) {
      failure = null;
      let response = await send(input, init);
      const delayMs = retryDelayMs(response, clock);
      if (delayMs !== null && clock() + delayMs < deadline) {
        await response.body?.cancel();
        await sleep(delayMs, undefined, { signal: ending });
        response = await send(input, init);
      }
      if (response.ok && !isPage(response)) return response;
      await response.body?.cancel();
      failure = response.ok ? malformedAnswer(provider) : errorOfStatus(provider, response.status);
      // In place of the provider's own words: some libraries print what they cannot read.
      const status = response.ok ? 502 : response.status;
      return Response.json({ error: { message: `status ${status}` } }, { status });
    },
    explain(error) {
      if (error instanceof ProviderError) return error;
      if (ending.aborted) {
        const message = `${provider.id} did not answer in time; check ${provider.urlVariable} or take a faster model`;
        return new ProviderError('provider_timeout', message);
      }
      if (sent === 0) return error;
      return failure ?? malformedAnswer(provider);
    },
  };
}

/** The provider answered, but not in the form that it promises. */
export function malformedAnswer({ id }: Pick<ProviderName, 'id'>): ProviderError {
  return new ProviderError(
    'provider_answer_malformed',
    `${id} gave an answer that cannot be read; if it happens often, take a model that can write JSON to a schema`,
  );
}

// What a proxy or a login page puts in the place of an answer.
function isPage({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/html') ?? false;
}

function unreachable({ id, urlVariable }: ProviderName, error: unknown): ProviderError {
  const { cause } = error as { cause?: { code?: unknown } };
  const reason = typeof cause?.code === 'string' ? ` (${cause.code})` : '';
  return new ProviderError('provider_unreachable', `${id} cannot be reached${reason}; check ${urlVariable}`);
}

// Null: no retry. The header holds seconds or a date (RFC 9110, 10.2.3).
function retryDelayMs(response: Response, clock: Clock): number | null {
  if (response.status !== 429 && response.status < 500) return null;
  const header = response.headers.get('retry-after')?.trim();
  if (!header) return DEFAULT_RETRY_MS;
  const delayMs = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - clock();
  return Number.isNaN(delayMs) ? DEFAULT_RETRY_MS : Math.max(0, delayMs);
}
