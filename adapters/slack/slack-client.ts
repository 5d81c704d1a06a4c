// Calls of Slack's Web API for each workspace: one client a token, which waits for `Retry-After` by itself.
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
    clients.set(botToken, client);
    return client;
  };
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

/** The code of a refusal of Slack's API, such as `channel_not_found`; null for anything else. */
export function slackErrorCode(error: unknown): string | null {
  return error instanceof webApi.WebAPIPlatformError ? error.data.error : null;
}

/** The token of the bot is refused, or Slack cannot be reached at the start. */
export class SlackUnreachableError extends VerbatimError {
  constructor(code: string, options?: { cause?: unknown }) {
    const advice = ['invalid_auth', 'not_authed', 'account_inactive', 'token_revoked'].includes(code)
      ? 'copy SLACK_BOT_TOKEN again from "OAuth & Permissions" of the app'
      : 'check the network and SLACK_API_URL';
    super('slack_unreachable', `Slack did not accept the bot's token (${code}); ${advice}`, options);
  }
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
