// Installing the app in a workspace through OAuth, for workspaces that a tenant is configured for.
import { randomBytes } from 'node:crypto';
import type { HTTPReceiverOptions, Installation } from '@slack/bolt';
import { UsageError } from '../../retrieval/errors.ts';
import type { Logger } from '../../retrieval/ports.ts';
import type { Workspaces } from './ports.ts';
import { BOT_SCOPES } from './slack-manifest.ts';

/** What the app's page "Basic Information" shows. */
export interface OauthSettings {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Signs the state that ties the redirect to the browser that began; null: a random one, good for one instance. */
  readonly stateSecret: string | null;
}

/** The receiver's options for /slack/install and /slack/oauth_redirect. */
export function createOauthOptions(
  { clientId, clientSecret, stateSecret }: OauthSettings,
  {
    workspaces,
    apiUrl,
    logger,
    onInstalled,
  }: {
    readonly workspaces: Workspaces;
    readonly apiUrl: string | null;
    readonly logger: Logger;
    /** Never throws: the installation stands. */
    readonly onInstalled: (teamId: string) => Promise<void>;
  },
): Partial<HTTPReceiverOptions> {
  return {
    clientId,
    clientSecret,
    stateSecret: stateSecret ?? randomBytes(32).toString('base64url'),
    scopes: Object.keys(BOT_SCOPES),
    installationStore: {
      storeInstallation: async (installation) => onInstalled(await store(workspaces, installation)),
      // Events are authorised by us; the receiver never asks for these.
      fetchInstallation: async () => {
        throw new UsageError('installations are read by the adapter itself');
      },
      deleteInstallation: async ({ teamId }) => {
        if (teamId !== undefined) await workspaces.revoke(teamId);
      },
    },
    installerOptions: {
      directInstall: true,
      ...(apiUrl === null ? {} : { clientOptions: { slackApiUrl: apiUrl } }),
      callbackOptions: {
        success: (_installation, _options, _request, response) => {
          response
            .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
            .end(PAGE('Verbatim is installed. Go to Slack and ask it something.'));
        },
        failure: (error, _options, _request, response) => {
          logger.warn({ err: error }, 'an installation of the Slack app failed');
          const text =
            error instanceof UsageError
              ? error.message
              : 'The installation did not succeed. Begin again from the link of your administrator.';
          response
            .writeHead(error instanceof UsageError ? 403 : 400, { 'content-type': 'text/html; charset=utf-8' })
            .end(PAGE(text));
        },
      },
    },
  };
}

async function store(workspaces: Workspaces, { team, bot }: Installation): Promise<string> {
  if (!team || !bot) throw new UsageError('Verbatim is installed for each workspace, not for a whole organisation');
  await workspaces.install({ teamId: team.id, botToken: bot.token, botUserId: bot.userId, botId: bot.id });
  return team.id;
}

// Only sentences of ours get here, without markup.
const PAGE = (text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Verbatim</title><p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p></html>`;
