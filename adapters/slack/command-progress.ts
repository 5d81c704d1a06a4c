// The steps of a long command in one message that is edited. What a command's response URL has posted cannot be replaced
// through it (slackapi/bolt-js#2287, slackapi/bolt-python#1268), and ephemeral messages cannot be edited at all: so the message
// stands in the conversation of the bot and whoever commands.
import type { Logger } from '../../retrieval/ports.ts';
import type { Workspace } from './ports.ts';
import { renderNotice } from './render-reply.ts';
import type { ClientFor } from './slack-client.ts';

/** The steps of one command. What cannot be shown is only logged. */
export interface CommandProgress {
  show(text: string): Promise<void>;
  /** Says that the result is there, and nothing of it: this message outlives what was done. */
  end(): Promise<void>;
}

const DONE_TEXT = 'Done. The result is where you typed the command.';

/** Makes it for the command of a user. Nothing is posted before the first step. */
export function createCommandProgress(
  { clientFor, logger }: { readonly clientFor: ClientFor; readonly logger: Logger },
  workspace: Workspace,
  user: string,
): CommandProgress {
  const client = clientFor(workspace);
  let posted: { readonly channel: string; readonly ts: string } | null = null;
  const write = async (text: string) => {
    const notice = renderNotice(text);
    if (posted !== null) return void (await client.chat.update({ ...posted, ...notice }));
    const { channel } = await client.conversations.open({ users: user });
    if (!channel?.id) return;
    const unfurl = { unfurl_links: false, unfurl_media: false };
    const { ts } = await client.chat.postMessage({ channel: channel.id, ...notice, ...unfurl });
    if (ts) posted = { channel: channel.id, ts };
  };
  const tryTo = async (run: () => Promise<void>) => {
    try {
      await run();
    } catch (error) {
      logger.warn({ err: error }, 'the progress of a command could not be shown');
    }
  };
  return {
    show: (text) => tryTo(() => write(text)),
    async end() {
      if (posted !== null) await tryTo(() => write(DONE_TEXT));
    },
  };
}
