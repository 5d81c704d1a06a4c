// The variables of Slack, as `src/config-variables.ts` lists them.
import { z } from 'zod';
import { BASE_URL_FORM, baseUrl } from '../base-url.ts';
import type { SlackConfig } from '../config.ts';

const token = (prefix: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}[\\w-]+$`))
    .nullable()
    .default(null);

const secret = z
  .string()
  .regex(/^\S{8,}$/)
  .nullable()
  .default(null);

const KEY_BYTES = 32; // AES-256

const encryptionKey = z
  .string()
  .refine((text) => Buffer.from(text, 'base64').byteLength === KEY_BYTES)
  .nullable()
  .default(null);

const WORKSPACE = /^(T[A-Z0-9]+)=([A-Za-z0-9_.-]+)$/;

const workspaceList = z.string().transform((text, context): ReadonlyMap<string, string> => {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  const pairs = entries.map((entry) => WORKSPACE.exec(entry));
  if (pairs.includes(null)) context.addIssue({ code: 'custom' });
  return new Map(pairs.flatMap((pair) => (pair ? [[pair[1] ?? '', pair[2] ?? ''] as const] : [])));
});

/** What may be set for Slack. */
export const SLACK_VARIABLES = {
  SLACK_BOT_TOKEN: {
    meaning: 'Slack: token of the bot in the one workspace that is served (OAuth & Permissions)',
    form: 'a token that begins with xoxb-',
    example: 'xoxb-1234567890-abcdef',
    default: null,
    secret: true,
    schema: token('xoxb-'),
  },
  SLACK_SIGNING_SECRET: {
    meaning:
      'Slack: what requests to /slack/events are signed with (Basic Information); needed unless Socket Mode is used',
    form: 'the signing secret',
    example: '8f742231b10e8888abcd99yyyzzz85a5',
    default: null,
    secret: true,
    schema: secret,
  },
  SLACK_APP_TOKEN: {
    meaning:
      'Slack: app-level token with connections:write; events then come through Socket Mode, and nothing must be reachable from outside',
    form: 'a token that begins with xapp-',
    example: 'xapp-1-A0123-456-abcdef',
    default: null,
    secret: true,
    schema: token('xapp-'),
  },
  SLACK_CLIENT_ID: {
    meaning: 'Slack: client id, for installing in many workspaces through OAuth at /slack/install',
    form: 'two numbers joined by a dot',
    example: '1234567890.0987654321',
    default: null,
    schema: z
      .string()
      .regex(/^\d+\.\d+$/)
      .nullable()
      .default(null),
  },
  SLACK_CLIENT_SECRET: {
    meaning: 'Slack: client secret, with the client id',
    form: 'the client secret',
    example: '0123456789abcdef0123456789abcdef',
    default: null,
    secret: true,
    schema: secret,
  },
  SLACK_API_URL: {
    meaning: 'Where the Slack API is reached, for a proxy',
    form: BASE_URL_FORM,
    example: 'https://slack-proxy.internal.example.com/api/',
    default: "the provider's own",
    schema: baseUrl.nullable().default(null),
  },
  VERBATIM_SLACK_WORKSPACES: {
    meaning: 'Workspaces that may install the app through OAuth, each with its tenant; no other workspace can',
    form: 'ids of workspaces and tenants, joined by =, separated by commas',
    example: 'T0123ABCD=acme,T0456EFGH=globex',
    default: 'none',
    schema: workspaceList.default(''),
  },
  VERBATIM_SLACK_FOLLOW_UPS: {
    meaning: 'Whether a reply in a thread of the bot is a question without a mention',
    form: 'yes or no',
    example: 'no',
    default: 'yes',
    schema: z.enum(['yes', 'no']).default('yes'),
  },
  VERBATIM_ENCRYPTION_KEY: {
    meaning: 'Key that the tokens of installed workspaces are encrypted with in the database; needed for OAuth',
    form: '32 bytes in base64, from `openssl rand -base64 32`',
    example: 'MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
    default: null,
    secret: true,
    schema: encryptionKey,
  },
} as const;

/** Whether anything of Slack is set, so that it is wanted; what is missing then is an error. */
export function isSlackSet({ botToken, signingSecret, appToken, clientId }: SlackConfig): boolean {
  return [botToken, signingSecret, appToken, clientId].some((value) => value !== null);
}
