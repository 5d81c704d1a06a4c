// Calls of Slack's Web API for each workspace: one client a token, which waits for `Retry-After` by itself.
import { setTimeout as sleep } from 'node:timers/promises';
import { LogLevel, type Logger as SlackLogger, webApi } from '@slack/bolt';
import { VerbatimError } from '../../retrieval/errors.ts';
import type { Logger } from '../../retrieval/ports.ts';
import type { Workspace } from './ports.ts';

export type SlackClient = webApi.WebClient;

/** Gives the client of a workspace. */
export type ClientFor = (workspace: Pick<Workspace, 'botToken'>) => SlackClient;

// Three tries within about a second; the inbox tries the whole event again later, with growing pauses.
const RETRIES = { retries: 2, minTimeout: 150, maxTimeout: 600, randomize: true };
const TIMEOUT_MS = 15_000;

/** Makes `ClientFor`. `apiUrl` replaces Slack's own address. */
export function createClients(options: { readonly apiUrl: string | null; readonly logger: SlackLogger }): ClientFor {
  const clients = new Map<string, SlackClient>();
  return ({ botToken }) => {
    const known = clients.get(botToken);
    if (known) return known;
    const client = new webApi.WebClient(botToken, clientOptions(options));
    postOnce(client, botToken, options);
    clients.set(botToken, client);
    return client;
  };
}

const MAX_WAITS = 20; // for `Retry-After`, which is mostly a second; then the event is tried again later

// A request whose answer was lost may have been carried out: the SDK would send it again and nobody would know of the first
// message. So what posts is sent once, except when Slack says that it was not taken. Calls for the same token wait together.
function postOnce(client: SlackClient, botToken: string, options: Parameters<typeof clientOptions>[0]): void {
  const once = new webApi.WebClient(botToken, {
    ...clientOptions(options),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
  });
  let closedUntil = 0;
  const whenOpen = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    for (let wait = 1; ; wait++) {
      const pauseMs = closedUntil - performance.now();
      if (pauseMs > 0) await sleep(pauseMs);
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof webApi.WebAPIRateLimitedError) || wait === MAX_WAITS) throw error;
        closedUntil = Math.max(closedUntil, performance.now() + error.retryAfter * 1_000);
      }
    }
  };
  client.chat.postMessage = (message) => whenOpen(() => once.chat.postMessage(message));
  client.chat.postEphemeral = (message) => whenOpen(() => once.chat.postEphemeral(message));
}

/** What each client of the SDK gets, also the ones that Bolt makes. */
export function clientOptions({ apiUrl, logger }: { readonly apiUrl: string | null; readonly logger: SlackLogger }) {
  return { ...(apiUrl === null ? {} : { slackApiUrl: apiUrl }), retryConfig: RETRIES, timeout: TIMEOUT_MS, logger };
}

/** The SDK's logger over ours. Its messages can hold tokens and texts, so only their beginnings are kept, at `debug`. */
export function sdkLogger(logger: Logger): SlackLogger {
  const write =
    (level: 'debug' | 'warn') =>
    (...parts: unknown[]) => {
      const [first] = parts;
      const said = first instanceof Error ? first.message : String(first);
      logger[level]({ sdk: said.slice(0, 120) }, 'the Slack SDK said something');
    };
  return {
    debug: () => undefined,
    info: write('debug'),
    warn: write('debug'),
    error: write('warn'),
    setLevel: () => undefined,
    getLevel: () => LogLevel.WARN,
    setName: () => undefined,
  };
}

/**
 * The code that Slack's API answered with, such as `channel_not_found`; null for anything else, also for what only looks like
 * an answer: the SDK gives a page of a proxy as the code, and an answer without one.
 */
export function slackErrorCode(error: unknown): string | null {
  if (!(error instanceof webApi.WebAPIPlatformError)) return null;
  const code: unknown = error.data.error;
  return typeof code === 'string' && /^[a-z0-9_]{1,60}$/.test(code) ? code : null;
}

// docs.slack.dev, errors of any method: those that another try may not meet. `accesslimited` and `team_added_to_org` end by
// themselves; `fatal_error` and `internal_error` may have been carried out.
const PASSING = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
  'team_added_to_org',
  'accesslimited',
]);

/** The code with which Slack refuses a call and will refuse it again; null when another try may succeed. */
export function refusalCode(error: unknown): string | null {
  const code = slackErrorCode(error);
  return code === null || PASSING.has(code) ? null : code;
}

/** The refusals that mean: the bot does not see this conversation. */
export const NOT_THERE: ReadonlySet<string> = new Set(['not_in_channel', 'channel_not_found', 'is_archived']);

/** Whether Slack refused a call because the bot does not see the conversation. */
export function isNotThere(error: unknown): boolean {
  return NOT_THERE.has(refusalCode(error) ?? '');
}

/** A token of the app is refused, or Slack cannot be reached at the start. */
export class SlackUnreachableError extends VerbatimError {
  constructor(code: string, { cause, token = 'bot' }: { cause?: unknown; token?: 'bot' | 'app' } = {}) {
    const copy =
      token === 'bot'
        ? 'copy SLACK_BOT_TOKEN again from "OAuth & Permissions" of the app'
        : 'make SLACK_APP_TOKEN anew under "App-Level Tokens" of the app, with connections:write';
    const advice = isTokenRefusal(code) ? copy : 'check the network and SLACK_API_URL';
    super('slack_unreachable', `Slack did not accept the ${token}'s token (${code}); ${advice}`, { cause });
  }
}

/** The codes that say that the token will never do. */
export const TOKEN_REFUSALS: ReadonlySet<string> = new Set([
  'invalid_auth',
  'not_authed',
  'account_inactive',
  'token_revoked',
  'token_expired',
  'not_allowed_token_type',
  'missing_scope',
]);

/** The code says that the token will never do. */
export function isTokenRefusal(code: string | null): boolean {
  return code !== null && TOKEN_REFUSALS.has(code);
}

/** Which workspace and bot a token is of. @throws SlackUnreachableError */
export async function authenticate({
  botToken,
  apiUrl,
  logger,
}: {
  readonly botToken: string;
  readonly apiUrl: string | null;
  readonly logger: Logger;
}): Promise<Omit<Workspace, 'tenantId'>> {
  const client = createClients({ apiUrl, logger: sdkLogger(logger) })({ botToken });
  try {
    const { team_id: teamId, user_id: botUserId, bot_id: botId } = await client.auth.test();
    if (!teamId || !botUserId || !botId) throw new SlackUnreachableError('not_a_bot');
    return { teamId, botUserId, botId, botToken };
  } catch (error) {
    if (error instanceof SlackUnreachableError) throw error;
    throw new SlackUnreachableError(slackErrorCode(error) ?? 'no_answer', { cause: error });
  }
}
