import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { BOT_EVENTS, BOT_SCOPES, slackManifest } from '../../../adapters/slack/slack-manifest.ts';

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const https = { type: 'string', pattern: '^https://' };
const object = (properties: object, required: readonly string[] = Object.keys(properties)) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});
const list = (items: object, maxItems: number) => ({ type: 'array', minItems: 1, maxItems, uniqueItems: true, items });

// The fields that we use and their limits, as docs.slack.dev/reference/app-manifest states them.
const SCHEMA = object({
  _metadata: object({ major_version: { const: 2 }, minor_version: { type: 'integer' } }),
  display_information: object({
    name: text(35),
    description: text(140),
    long_description: { type: 'string', minLength: 174, maxLength: 4_000 },
    background_color: { type: 'string', pattern: '^#([0-9a-f]{3}|[0-9a-f]{6})$' },
  }),
  features: object({
    agent_view: object({ agent_description: text(300) }),
    app_home: object({
      home_tab_enabled: { type: 'boolean' },
      messages_tab_enabled: { type: 'boolean' },
      messages_tab_read_only_enabled: { const: false },
    }),
    bot_user: object({
      display_name: { type: 'string', pattern: '^[\\w .-]{1,80}$' },
      always_online: { type: 'boolean' },
    }),
    shortcuts: list(
      object({ name: text(24), type: { enum: ['message', 'global'] }, callback_id: text(255), description: text(150) }),
      10,
    ),
    slash_commands: list(
      object(
        {
          command: { type: 'string', pattern: '^/[a-z-]{1,31}$' },
          url: https,
          description: text(2_000),
          usage_hint: text(1_000),
          should_escape: { type: 'boolean' },
        },
        ['command', 'description'],
      ),
      50,
    ),
  }),
  oauth_config: object(
    {
      redirect_urls: list(https, 1_000),
      scopes: object({ bot: list({ type: 'string', pattern: '^[a-z_]+(:[a-z_.]+)?$' }, 255) }),
    },
    ['scopes'],
  ),
  settings: object({
    event_subscriptions: object(
      { request_url: https, bot_events: list({ type: 'string', pattern: '^[a-z_.]+$' }, 100) },
      ['bot_events'],
    ),
    interactivity: object({ is_enabled: { const: true }, request_url: https }, ['is_enabled']),
    org_deploy_enabled: { const: false },
    socket_mode_enabled: { type: 'boolean' },
    token_rotation_enabled: { const: false },
  }),
});

const validate = new Ajv2020({ allErrors: true }).compile(SCHEMA);

describe('the manifest', () => {
  test.each([
    ['over HTTP', { url: 'https://verbatim.example.com/', socketMode: false }],
    ['with Socket Mode', { url: '', socketMode: true }],
  ])('%s has the fields of Slack within their limits', (_, options) => {
    validate(slackManifest(options));
    expect(validate.errors).toBeNull();
  });

  test('of the repository is the one that the command prints', async () => {
    const file = await readFile(new URL('../../../manifest/slack.json', import.meta.url), 'utf8');
    expect(JSON.parse(file)).toEqual(slackManifest({ url: 'https://verbatim.example.com', socketMode: false }));
  });

  test('needs no address with Socket Mode', () => {
    expect(JSON.stringify(slackManifest({ url: '', socketMode: true }))).not.toMatch(
      /"(url|request_url|redirect_urls)"/,
    );
  });

  test.each([
    ['app_mention', 'app_mentions:read'],
    ['message.channels', 'channels:history'],
    ['message.groups', 'groups:history'],
    ['message.im', 'im:history'],
    ['message.mpim', 'mpim:history'],
    ['reaction_added', 'reactions:read'],
    ['member_joined_channel', 'channels:read'],
    ['subteam_updated', 'usergroups:read'],
    ['user_change', 'users:read'],
  ] as const)('subscribes %s with the scope that it needs', (event, scope) => {
    expect([event in BOT_EVENTS, scope in BOT_SCOPES]).toEqual([true, true]);
  });

  test('gives a reason for each scope', () => {
    expect(Object.values(BOT_SCOPES).filter((reason) => reason.length < 10 && reason !== 'thumbs as feedback')).toEqual(
      [],
    );
  });
});
