// What is said to one person in answer to a command, a button, a shortcut or a modal: each ends with a word, also when it fails
// and also where the app may not post.
import type { RespondFn } from '@slack/bolt';
import type { Logger } from '../../retrieval/ports.ts';
import { FAILURE_TEXT } from '../wording.ts';
import type { Workspace } from './ports.ts';
import { renderNotice, type SlackMessage } from './render-reply.ts';
import type { ClientFor } from './slack-client.ts';

export interface TellParts {
  readonly clientFor: ClientFor;
  readonly logger: Logger;
}

/** Who is told, and the ways there are. */
export interface Listener {
  readonly workspace: Workspace;
  readonly user: string;
  /** Works wherever the person is, for half an hour and five messages; null: there is none. */
  readonly respond: RespondFn | null;
  /** Where the person is; null: not known. */
  readonly channel: string | null;
}

/**
 * Says something to one person only: by the response URL, in the conversation, or else in a direct message, where the app may
 * always write. `replace`: in place of what was said before.
 */
export async function tell(
  parts: TellParts,
  { workspace, user, respond, channel }: Listener,
  message: SlackMessage,
  { replace = false }: { readonly replace?: boolean } = {},
): Promise<void> {
  const { chat, conversations } = parts.clientFor(workspace);
  const ways: (() => Promise<unknown>)[] = [
    ...(respond ? [() => respond({ response_type: 'ephemeral', replace_original: replace, ...message })] : []),
    ...(channel ? [() => chat.postEphemeral({ channel, user, ...message })] : []),
    async () => {
      const { channel: direct } = await conversations.open({ users: user });
      await chat.postMessage({ channel: direct?.id ?? '', unfurl_links: false, unfurl_media: false, ...message });
    },
  ];
  for (const [index, way] of ways.entries()) {
    try {
      await way();
      return;
    } catch (error) {
      const last = index === ways.length - 1;
      parts.logger[last ? 'error' : 'debug']({ err: error }, 'something could not be said to a person in Slack');
    }
  }
}

/** Runs what a person began; when it fails, the person is told so and the log has the cause. */
export async function endVisibly(parts: TellParts, listener: Listener, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    parts.logger.error({ err: error }, 'what somebody began in Slack failed');
    // Beside what was said: the message of a button can be an answer that everybody sees.
    await tell(parts, listener, renderNotice(FAILURE_TEXT));
  }
}
