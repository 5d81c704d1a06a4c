// Work that a button or a shortcut begins and that must end visibly: it goes through the inbox like a message.
import type { Inbox } from '../inbox.ts';
import type { Answers } from '../ports.ts';
import type { Claim } from '../question.ts';
import type { Workspace } from './ports.ts';
import type { PostMessages } from './post-messages.ts';
import { renderNotice } from './render-reply.ts';
import { type ClientFor, isNotThere } from './slack-client.ts';
import type { AnswerInThread } from './slack-questions.ts';

/** The payload of an event of our own. */
export interface InternalPayload {
  readonly internal:
    | { readonly kind: 'ask_privately'; readonly teamId: string; readonly user: string; readonly answerId: string }
    | {
        readonly kind: 'ask_about';
        readonly teamId: string;
        readonly user: string;
        readonly channel: string;
        readonly thread: string;
        readonly text: string;
        readonly direct: boolean;
      };
}

/** Stores such work under a key of its own; the same again is not done again. */
export async function enqueueInternal(
  inbox: Inbox,
  { tenantId, teamId }: Workspace,
  key: string,
  { internal }: InternalPayload,
): Promise<void> {
  const place = internal.kind === 'ask_about' ? internal.channel : `user/${internal.user}`;
  await inbox.receive(
    {
      tenantId,
      eventKey: `slack:${teamId}/${key}`,
      lane: `slack:${teamId}/${place}`,
      position: `${Date.now() / 1_000}`,
      payload: { internal },
    },
    { signature: null, invalidates: null },
  );
}

interface InternalParts {
  readonly clientFor: ClientFor;
  readonly post: PostMessages;
  readonly answers: Pick<Answers, 'find'>;
  readonly answerInThread: AnswerInThread;
}

/** What is said to somebody who asks in a conversation that the bot is not in. */
export function notHereText(channel: string): string {
  return channel.startsWith('D')
    ? 'I am not in that conversation and cannot be invited. Ask me in a direct message.'
    : 'I am not in that channel. Invite me, then try again.';
}

/** Does it. */
export async function handleInternal(
  { clientFor, post, answers, answerInThread }: InternalParts,
  workspace: Workspace,
  { internal }: InternalPayload,
  { eventKey, claim }: { eventKey: string; claim: Claim },
): Promise<void> {
  if (internal.kind === 'ask_about') {
    const { channel, thread, user, text, direct } = internal;
    const question = { workspace, eventKey, channel, thread, message: null, user, text, hasAttachments: false, direct };
    try {
      return await answerInThread(question, claim);
    } catch (error) {
      // The bot was removed since it was asked.
      if (!isNotThere(error)) throw error;
      const notice = renderNotice(notHereText(channel));
      const { channel: own } = await clientFor(workspace).conversations.open({ users: user });
      if (!own?.id) throw error;
      await post({ workspace, channel: own.id, thread: null, eventKey: `${eventKey}/not-there` }, [notice]);
      return;
    }
  }
  const stored = await answers.find(workspace.tenantId, internal.answerId);
  if (stored === null) return;
  const { channel } = await clientFor(workspace).conversations.open({ users: internal.user });
  if (!channel?.id) return;
  const target = { workspace, channel: channel.id, thread: null, eventKey: `${eventKey}/intro` };
  const [thread = ''] = await post(target, [renderNotice(`You asked: ${stored.question}`)]);
  await answerInThread(
    {
      workspace,
      eventKey,
      channel: channel.id,
      thread,
      message: null,
      user: internal.user,
      text: stored.question,
      hasAttachments: false,
      direct: true,
    },
    claim,
  );
}
