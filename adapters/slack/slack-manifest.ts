// The app's manifest: what Slack is asked for, each with its reason. manifest/slack.json is this with example.com.
import { EVENTS_PATH, OAUTH_REDIRECT_PATH } from './slack-paths.ts';
import { SHORTCUTS } from './slack-shortcuts.ts';

/** The bot's scopes and what each is for. */
export const BOT_SCOPES = {
  'app_mentions:read': 'be asked by a mention',
  'assistant:write': 'show that an answer is being worked on',
  'channels:history':
    'follow-ups without a mention in threads where the bot answered, and finding its own last message after a crash',
  'channels:read': 'who is in a public channel: an answer there is limited to what all of them may read',
  'chat:write': 'answer, and take answers back',
  commands: '/ask, /verbatim and the message shortcuts',
  'files:read': 'ingest a file that an administrator shares with the bot',
  'groups:history': 'the same as channels:history in private channels',
  'groups:read': 'who is in a private channel',
  'im:history': 'be asked in a direct message',
  'im:write': 'answer privately what was asked in a channel',
  'mpim:history': 'follow-ups in group messages',
  'mpim:read': 'who is in a group message',
  'reactions:read': 'thumbs as feedback',
  'reactions:write': 'show that a question was seen, where a status cannot be shown',
  'usergroups:read': 'usergroups as readers of documents',
  'users:read': 'who is a guest, who left, who is of another company',
  'users:read.email': 'the confirmed e-mail that links a Slack user to a person of the directory',
} as const;

/** The events that are subscribed to and what each is for. */
export const BOT_EVENTS = {
  app_home_opened: 'the Home tab',
  app_mention: 'questions in channels',
  app_uninstalled: 'stop, and remove the tokens',
  member_joined_channel: 'who sees a channel from now on',
  member_left_channel: 'who no longer does',
  'message.channels': 'follow-ups in threads of the bot',
  'message.groups': 'the same in private channels',
  'message.im': 'questions in direct messages',
  'message.mpim': 'follow-ups in group messages',
  reaction_added: 'feedback',
  reaction_removed: 'feedback withdrawn',
  subteam_created: 'usergroups',
  subteam_members_changed: 'usergroups',
  subteam_updated: 'usergroups',
  tokens_revoked: 'stop, and remove the tokens',
  user_change: 'who was deactivated or became a guest',
} as const;

/** Where Slack reaches the service, or `socketMode` where it is not reachable from outside. */
export interface ManifestOptions {
  /** The service's public address, such as `https://verbatim.example.com`. */
  readonly url: string;
  readonly socketMode: boolean;
}

/** The manifest, ready to be pasted at api.slack.com/apps. */
export function slackManifest({ url, socketMode }: ManifestOptions): object {
  const base = url.replace(/\/+$/, '');
  const events = `${base}${EVENTS_PATH}`;
  const address = (key: string) => (socketMode ? {} : { [key]: events });
  return {
    _metadata: { major_version: 2, minor_version: 1 },
    display_information: {
      name: 'Verbatim',
      description: 'Answers with word-for-word quotes from your company’s documents, or says that it cannot.',
      long_description:
        'Ask Verbatim in a channel, in a direct message or with /ask. It answers in the thread with numbered quotes from your company’s private documents, each with a link to where it stands and how fresh it is. In a channel it uses only documents that everyone in the channel may read; in a direct message, what you may read. When it cannot quote an answer, it says so instead of guessing.',
      background_color: '#1f2a44',
    },
    features: {
      agent_view: { agent_description: 'Answers questions with quotes from your company’s documents.' },
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: 'Verbatim', always_online: true },
      shortcuts: [
        {
          name: 'Ask about this',
          type: 'message',
          callback_id: SHORTCUTS.ask,
          description: 'Answers this message in its thread',
        },
        {
          name: 'Ingest this file',
          type: 'message',
          callback_id: SHORTCUTS.ingest,
          description: 'Administrators: adds the file to the documents',
        },
      ],
      slash_commands: [
        {
          command: '/ask',
          ...address('url'),
          description: 'Ask; only you see the answer',
          usage_hint: 'How many days of leave do I have?',
          should_escape: true,
        },
        {
          command: '/verbatim',
          ...address('url'),
          description: 'Administer Verbatim',
          usage_hint: 'help',
          should_escape: false,
        },
      ],
    },
    oauth_config: {
      ...(socketMode ? {} : { redirect_urls: [`${base}${OAUTH_REDIRECT_PATH}`] }),
      scopes: { bot: Object.keys(BOT_SCOPES) },
    },
    settings: {
      event_subscriptions: { ...address('request_url'), bot_events: Object.keys(BOT_EVENTS) },
      interactivity: { is_enabled: true, ...address('request_url') },
      org_deploy_enabled: false,
      socket_mode_enabled: socketMode,
      token_rotation_enabled: false,
    },
  };
}
