import type { App, BlockAction, ButtonAction, Context, RespondFn } from '@slack/bolt';
import { contextOf } from './event-listeners.ts';
import type { Workspace } from './ports.ts';
import { endVisibly, type Listener, type TellParts } from './tell.ts';

/** A button that somebody pressed. */
export interface Pressed {
  readonly workspace: Workspace;
  readonly user: string;
  readonly value: string;
  readonly body: BlockAction;
  /** Who pressed it, to be told something. */
  readonly listener: Listener;
}

/** Adds the listener of a button: acknowledged at once, and ended with a word also when it fails. */
export function onButton(
  app: App,
  parts: TellParts,
  actionId: string | RegExp,
  run: (pressed: Pressed) => Promise<void>,
): void {
  app.action<BlockAction<ButtonAction>>({ type: 'block_actions', action_id: actionId }, async (args) => {
    await args.ack();
    const { workspace } = contextOf(args.context as Context);
    const { body } = args;
    const user = body.user.id;
    // A button of a view has no response URL.
    const respond = (args.respond as RespondFn | undefined) ?? null;
    const listener = { workspace, user, respond, channel: body.channel?.id ?? null };
    await endVisibly(parts, listener, () => run({ workspace, user, value: args.action.value ?? '', body, listener }));
  });
}
