// A posted answer is taken back. What was said must not stay for a passing fault: this goes on until the message is changed,
// gone, or certain never to be either.
import { FinalEventError, TryLaterError } from '../inbox.ts';
import { renderRetraction } from './render-reply.ts';
import { isTokenRefusal, NOT_THERE, refusalCode, type SlackClient, slackErrorCode } from './slack-client.ts';

const HOUR_SECONDS = 3_600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

// docs.slack.dev, errors of chat.update and chat.delete: Slack will never let this app edit, or remove, this message.
const NEVER_EDITED = new Set([
  'cant_update_message',
  'edit_window_closed',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_too_long',
  'no_text',
]);
const NEVER_DELETED = new Set(['cant_delete_message', 'compliance_exports_prevent_deletion']);

/** Where the message is, and how often this was tried (1 for the first time). */
export interface TakeBack {
  readonly channel: string;
  readonly message: string;
  readonly attempt: number;
}

/**
 * Replaces a message by a notice, or removes it where it may not be edited.
 * @throws FinalEventError when it stays for good; TryLaterError else. The code of either is Slack's, or `no_answer`.
 */
export async function takeBack(client: SlackClient, { channel, message, attempt }: TakeBack): Promise<void> {
  try {
    await edit(client, channel, message);
  } catch (error) {
    const code = refusalCode(error);
    // Somebody deleted the message: nothing is shown any more.
    if (code === 'message_not_found') return;
    if (code !== null && (NEVER_DELETED.has(code) || (await isGone(client, channel, code)))) {
      throw new FinalEventError(code, 'an answer cannot be taken back', { cause: error });
    }
    throw later(error, attempt);
  }
}

async function edit(client: SlackClient, channel: string, message: string): Promise<void> {
  try {
    await client.chat.update({ channel, ts: message, ...renderRetraction() });
  } catch (error) {
    if (!NEVER_EDITED.has(slackErrorCode(error) ?? '')) throw error;
    await client.chat.delete({ channel, ts: message });
  }
}

// A private channel that the bot was removed from looks like a deleted one, so this ends the tries and no more: whoever brings
// the bot back begins them again.
async function isGone(client: SlackClient, channel: string, code: string): Promise<boolean> {
  if (code !== 'channel_not_found') return false;
  try {
    await client.conversations.info({ channel });
    return false;
  } catch (error) {
    return slackErrorCode(error) === 'channel_not_found';
  }
}

/** Another try after a pause that grows to an hour; to a day where somebody of the workspace must act first. */
function later(error: unknown, attempt: number): TryLaterError {
  const code = slackErrorCode(error);
  const mustAct = code !== null && (NOT_THERE.has(code) || isTokenRefusal(code));
  const pauseSeconds = mustAct ? DAY_SECONDS : Math.min(HOUR_SECONDS, 2 ** Math.min(attempt, 12));
  return new TryLaterError(code ?? 'no_answer', 'an answer could not be taken back yet', {
    pauseSeconds,
    cause: error,
  });
}

/** Another try in a day: the app is not installed in the workspace. Whoever installs it again begins the tries at once. */
export function notInstalled(): TryLaterError {
  const pauseSeconds = DAY_SECONDS;
  return new TryLaterError('slack_not_installed', 'the app is not installed in the workspace', { pauseSeconds });
}
