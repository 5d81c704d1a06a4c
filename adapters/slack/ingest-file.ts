// A file that an admin shares with the bot, or points at, becomes a document: who may read it is chosen in a modal.
import type { types } from '@slack/bolt';
import { withDeadline } from '../../retrieval/deadline.ts';
import { VerbatimError } from '../../retrieval/errors.ts';
import { ACCESS_LEVELS, type AccessLevel } from '../../retrieval/model.ts';
import type { AdminCommands, AdminReply } from '../admin-command.ts';
import type { Readers } from '../ports.ts';
import { marked } from '../shown-text.ts';
import { cutText } from './markdown-to-rich-text.ts';
import type { Workspace } from './ports.ts';
import type { PostMessages } from './post-messages.ts';
import { ACTIONS, renderNotice } from './render-reply.ts';
import { type ClientFor, slackErrorCode } from './slack-client.ts';
import type { SlackPeople } from './slack-people.ts';

export interface IngestParts {
  readonly clientFor: ClientFor;
  readonly slackPeople: SlackPeople;
  readonly admin: AdminCommands;
}

/** The modal's id, as it comes back. */
export const INGEST_VIEW = 'ingest_file';

/** The largest file that is fetched; the same as for every document. */
const MAX_BYTES = 50 * 2 ** 20;
const DOWNLOAD_TIMEOUT_MS = 60_000;
const DERIVED = 'derived';

/** Offers admins a button for each file. @returns false for everybody else. */
export async function offerIngest(
  parts: IngestParts & { readonly post: PostMessages },
  workspace: Workspace,
  { channel, thread, user, eventKey }: { channel: string; thread: string; user: string; eventKey: string },
  files: readonly object[],
): Promise<boolean> {
  const { tenantId, email } = await parts.slackPeople.commander(workspace, user);
  if (!(await parts.admin.isAdmin(tenantId, email))) return false;
  const known = files.flatMap((file) => {
    const { id, name } = file as { id?: string; name?: string | null };
    return id === undefined
      ? []
      : [
          {
            id: ACTIONS.ingestFile,
            label: cutText(`Ingest ${marked(name ?? 'file')}`, 75)[0] ?? 'Ingest',
            value: id,
          },
        ];
  });
  // Action ids must differ within a message, so each file has a message of its own.
  const text = 'Shall I add this file to the documents? You choose next who may read it.';
  const notices = known.slice(0, 10).map((button) => renderNotice(text, [button]));
  await parts.post({ workspace, channel, thread, eventKey }, notices);
  return known.length > 0;
}

/** Opens the modal in which the readers are chosen. */
export async function openIngestModal(
  { clientFor }: IngestParts,
  workspace: Workspace,
  triggerId: string,
  target: { readonly fileId: string; readonly channel: string },
): Promise<void> {
  await clientFor(workspace).views.open({ trigger_id: triggerId, view: ingestView(target) });
}

/** What the modal gives back. */
export interface IngestSubmission {
  readonly fileId: string;
  readonly channel: string;
  readonly readers: Readers;
}

/** Fetches the file from Slack and submits it. */
export async function ingestSharedFile(
  { clientFor, slackPeople, admin }: IngestParts,
  workspace: Workspace,
  user: string,
  { fileId, readers }: IngestSubmission,
): Promise<AdminReply> {
  const who = await slackPeople.commander(workspace, user);
  return admin.ingestFile(who, `slack:file:${workspace.teamId}/${fileId}`, async () => {
    const file = await readFile(clientFor, workspace, fileId);
    if (!file?.url_private_download) return { text: NOT_GIVEN_TEXT };
    if ((file.size ?? 0) > MAX_BYTES) return { text: `The file is larger than ${MAX_BYTES / 2 ** 20} MiB; split it.` };
    const bytes = await download(workspace, clientFor, file.url_private_download, file.size);
    if (bytes === null) return { text: 'The file could not be fetched from Slack. Try again in a moment.' };
    return { fileName: file.name ?? fileId, mediaType: file.mimetype ?? '', bytes, readers };
  });
}

const NOT_GIVEN_TEXT =
  'Slack does not give me this file: it was deleted, or it is not shared where I am. Share it with me in a direct message.';

async function readFile(clientFor: ClientFor, workspace: Workspace, fileId: string) {
  try {
    return (await clientFor(workspace).files.info({ file: fileId })).file ?? null;
  } catch (error) {
    const code = slackErrorCode(error);
    if (code !== null && NOT_GIVEN.has(code)) return null;
    throw error;
  }
}

// docs.slack.dev, errors of files.info that say that the file is not there for us.
const NOT_GIVEN = new Set(['file_not_found', 'file_deleted', 'not_visible', 'access_denied']);

// The token goes to Slack alone: to its file host, or to where its API was configured to be.
async function download(
  workspace: Workspace,
  clientFor: ClientFor,
  address: string,
  size: number | undefined,
): Promise<Uint8Array | null> {
  const url = new URL(address);
  const api = new URL(clientFor(workspace).slackApiUrl);
  const isSlack = url.protocol === 'https:' && (url.hostname === 'slack.com' || url.hostname.endsWith('.slack.com'));
  if (!isSlack && url.origin !== api.origin) return null;
  const late = () => new VerbatimError('slack_download_timeout', `Slack gave no file in ${DOWNLOAD_TIMEOUT_MS} ms`);
  return withDeadline({ timeoutMs: DOWNLOAD_TIMEOUT_MS, late }, (signal) =>
    downloadFrom(url, workspace.botToken, size, signal),
  );
}

async function downloadFrom(
  url: URL,
  token: string,
  size: number | undefined,
  signal: AbortSignal,
): Promise<Uint8Array | null> {
  // Without `files:read` Slack sends to its sign-in page, or answers with it.
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual', signal });
  if (!response.ok) return null;
  const parts: Uint8Array[] = [];
  let received = 0;
  for await (const part of response.body ?? []) {
    // `fetch` may have lost the signal since.
    signal.throwIfAborted();
    received += part.byteLength;
    if (received > MAX_BYTES) return null;
    parts.push(part);
  }
  const bytes = Buffer.concat(parts);
  const isPage = response.headers.get('content-type')?.startsWith('text/html') === true;
  return isPage && isSignInPage(bytes, size) ? null : bytes;
}

// A page is the file itself when it has the file's size. Where Slack states none, its form for signing in tells.
function isSignInPage(bytes: Buffer, size: number | undefined): boolean {
  if (size !== undefined) return bytes.byteLength !== size;
  return /<form[^>]+id="signin_form"|data-qa="signin|class="[^"]*\bp-signin/.test(bytes.toString('latin1', 0, 200_000));
}

function ingestView(target: { readonly fileId: string; readonly channel: string }): types.ModalView {
  const option = (value: string, text: string) => ({ value, text: { type: 'plain_text' as const, text } });
  const levels = [option(DERIVED, 'Derived from the content'), ...ACCESS_LEVELS.map((level) => option(level, level))];
  return {
    type: 'modal',
    callback_id: INGEST_VIEW,
    private_metadata: JSON.stringify(target),
    title: { type: 'plain_text', text: 'Ingest this file' },
    submit: { type: 'plain_text', text: 'Ingest' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      {
        type: 'input',
        block_id: 'allow',
        optional: true,
        label: { type: 'plain_text', text: 'Who may read it' },
        hint: {
          type: 'plain_text',
          text: 'Principals, separated by spaces: verbatim:everyone, verbatim:group:finance, verbatim:user:ann@example.com. Empty: administrators only.',
        },
        element: { type: 'plain_text_input', action_id: 'value', max_length: 1_000 },
      },
      {
        type: 'input',
        block_id: 'level',
        label: { type: 'plain_text', text: 'How sensitive it is' },
        element: {
          type: 'static_select',
          action_id: 'value',
          options: levels,
          initial_option: levels[0] as (typeof levels)[number],
        },
      },
    ],
  };
}

/** The values of the modal. */
export function readIngest(view: {
  readonly private_metadata: string;
  readonly state: {
    readonly values: Record<
      string,
      Record<string, { selected_option?: { value?: string } | null; value?: string | null }>
    >;
  };
}): IngestSubmission {
  const { fileId, channel } = JSON.parse(view.private_metadata) as { fileId: string; channel: string };
  const { allow, level } = view.state.values;
  const chosen = level?.value?.selected_option?.value;
  return {
    fileId,
    channel,
    readers: {
      allow: (allow?.value?.value ?? '').split(/[\s,]+/).filter(Boolean),
      require: [],
      level: ACCESS_LEVELS.find((known): known is AccessLevel => known === chosen) ?? null,
    },
  };
}
