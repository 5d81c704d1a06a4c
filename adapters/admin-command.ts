// The commands of admins, the same on every chat platform: what was typed, who may, and what is said back.

import { createHash } from 'node:crypto';
import { counted } from '../retrieval/counted.ts';
import { UsageError, VerbatimError } from '../retrieval/errors.ts';
import type { Logger } from '../retrieval/ports.ts';
import type { Answers, DocumentSummary, Documents, ForgetReceipt, Place, Readers } from './ports.ts';
import { readIngestCommand } from './read-ingest-command.ts';
import { readersInWords } from './readers-in-words.ts';

/** What only the composition root knows. Texts are for admins' eyes. */
export interface AdminTools {
  /** Whether a person holds one of the principals that administer. */
  isAdmin(tenantId: string, email: string): Promise<boolean>;
  status(tenantId: string): Promise<string>;
  /** @throws UsageError when there is no such source, or nothing to fetch from it. */
  sync(tenantId: string, source: string): Promise<string>;
  /** The first reason why an answer does not quote a document, from what was stored with the answer. */
  why(tenantId: string, answerId: string, documentId: string): Promise<string>;
  /** E-mails of the active people who may read the document now. */
  whoCanSee(tenantId: string, documentId: string): Promise<readonly string[]>;
  /** @throws UsageError and others whose message may be shown. */
  fetch(url: string): Promise<{ fileName: string; mediaType: string; bytes: Uint8Array }>;
  /** Notes a command in the audit log, also one that was denied. */
  audit(tenantId: string, entry: { actor: string; action: string; target: string; details?: object }): Promise<void>;
}

/** What is said to the admin. */
export interface AdminReply {
  readonly text: string;
  /** Columns matter. */
  readonly preformatted?: boolean;
  /** The document that a confirmation will forget. */
  readonly confirmForget?: string;
}

/** Who commands, and in which tenant. */
export interface AdminRequest {
  readonly tenantId: string;
  /** Null: no person of the directory. */
  readonly email: string | null;
  /** Who acts, for the audit log: the e-mail or the platform's id. */
  readonly actor: string;
  /** As it was typed, blanks and all. */
  readonly text: string;
  /** The answer that a link to a message of the platform means. */
  readonly answerAt: (link: string) => Omit<Place, 'thread'> | null;
  /** Called with each step of a long command. */
  readonly onProgress: (text: string) => Promise<void>;
}

export interface AdminCommands {
  run(request: AdminRequest): Promise<AdminReply>;
  /** What a confirmed `forget` does. */
  forget(who: Commander, documentId: string): Promise<AdminReply>;
  /** What a file that an admin gave does; it is only fetched for one who may give it. */
  ingestFile(who: Commander, uri: string, fetch: () => Promise<IngestFile | AdminReply>): Promise<AdminReply>;
  /** Whether somebody may do what a button or a shortcut of admins does; audited either way. */
  permits(who: Commander, action: string, target: string): Promise<boolean>;
  /** Notes in the audit log that somebody was not let do something that is no command. */
  denied(tenantId: string, entry: { actor: string; action: string; target: string }): Promise<void>;
  isAdmin(tenantId: string, email: string | null): Promise<boolean>;
}

/** Who commands. */
export type Commander = Pick<AdminRequest, 'tenantId' | 'email' | 'actor'>;

/** A file with who may read it. */
export interface IngestFile {
  readonly fileName: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  readonly readers: Readers;
}

export interface AdminCommandOptions {
  readonly documents: Documents;
  readonly answers: Pick<Answers, 'find' | 'atPlace'>;
  readonly tools: AdminTools;
  readonly logger: Logger;
  /** Longest wait for a document to be indexed before the reply says that it is on its way. */
  readonly waitMs: number;
}

/** Says nothing of what exists. */
export const DENIED_TEXT = 'These commands are for the administrators of Verbatim. Ask one of them.';

const HELP_TEXT = [
  'ingest [--allow <principal>] [--require <principal>] [--level <level>] <url or text>   add a document',
  'forget <link, title or id>        remove a document everywhere, after asking you to confirm',
  'quarantine <link, title or id>    take a document out of all answers at once',
  'release <link, title or id>       put it back',
  'status                            sources, their age, the queue, failures',
  'sync <source>                     fetch a source anew',
  'why <answer link> <document>      why an answer does not quote a document',
  'who can see <document>            who may read a document now',
  'help                              this list',
  '',
  'Without --allow and --require a new document is for administrators only.',
].join('\n');

type Handler = (options: AdminCommandOptions, request: AdminRequest, argument: string) => Promise<AdminReply>;

const HANDLERS: Readonly<Record<string, Handler>> = {
  help: async () => ({ text: HELP_TEXT, preformatted: true }),
  status: async ({ tools }, { tenantId }) => ({ text: await tools.status(tenantId), preformatted: true }),
  sync: async ({ tools }, { tenantId, onProgress }, argument) => {
    const source = argument.trim();
    if (source === '') throw new UsageError('name a source: sync <source>; "status" lists them');
    await onProgress(`Synchronising ${source}…`);
    return { text: await tools.sync(tenantId, source) };
  },
  ingest,
  forget: askToForget,
  quarantine: (options, request, argument) => quarantine(options, request, argument, true),
  release: (options, request, argument) => quarantine(options, request, argument, false),
  why,
  who: whoCanSee,
};

/** Makes the commands over the ports. */
export function createAdminCommands(options: AdminCommandOptions): AdminCommands {
  const { tools, documents, logger } = options;
  const isAdmin = async (tenantId: string, email: string | null) =>
    email !== null && (await tools.isAdmin(tenantId, email));
  const permits = async ({ tenantId, email, actor }: Commander, action: string, target: string) => {
    const allowed = await isAdmin(tenantId, email);
    await tools.audit(tenantId, { actor, action, target, details: { denied: !allowed } });
    return allowed;
  };
  return {
    isAdmin,
    permits,
    denied: (tenantId, entry) => tools.audit(tenantId, { ...entry, details: { denied: true } }),
    async run(request) {
      const [all = '', name = ''] = /^\s*(\S*)/.exec(request.text) ?? [];
      const command = name.toLowerCase() || 'help';
      const handler = Object.hasOwn(HANDLERS, command) ? HANDLERS[command] : undefined;
      const argument = request.text.slice(all.length);
      const action = `command.${handler ? command : 'unknown'}`;
      if (!(await permits(request, action, handler ? targetOf(request, command, argument) : '')))
        return { text: DENIED_TEXT };
      if (!handler)
        return { text: `I do not know "${name}". These are the commands:\n${HELP_TEXT}`, preformatted: true };
      return guarded(logger, action, () => handler(options, request, argument));
    },
    async forget(who, documentId) {
      const { tenantId, actor } = who;
      if (!(await permits(who, 'command.forget', documentId))) return { text: DENIED_TEXT };
      return guarded(logger, 'command.forget', async () => {
        const receipt = await documents.forget(tenantId, actor, documentId);
        return { text: receipt ? receiptText(receipt) : 'That document is gone already.' };
      });
    },
    async ingestFile(who, uri, fetch) {
      const { tenantId, actor } = who;
      if (!(await permits(who, 'command.ingest', uri))) return { text: DENIED_TEXT };
      return guarded(logger, 'command.ingest', async () => {
        const fetched = await fetch();
        if ('text' in fetched) return fetched;
        const summary = await documents.submit(tenantId, actor, { ...fetched, uri, replaces: 'any' });
        return { text: await outcomeOf(options, tenantId, summary) };
      });
    },
  };
}

const MAX_TARGET = 300; // characters; longer than an address, a title or an id

// What a command is about, for the audit log, which holds no content: of a text nothing but that it was one.
function targetOf({ tenantId }: AdminRequest, command: string, argument: string): string {
  const typed = argument.trim().slice(0, MAX_TARGET);
  if (command === 'status') return tenantId;
  if (command !== 'ingest') return typed;
  try {
    const read = readIngestCommand(argument);
    return 'url' in read ? read.url.slice(0, MAX_TARGET) : '';
  } catch (error) {
    if (error instanceof UsageError) return '';
    throw error;
  }
}

// Our own errors say what to do; others have no place in a chat.
async function guarded(logger: Logger, action: string, run: () => Promise<AdminReply>): Promise<AdminReply> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof VerbatimError) return { text: `That did not work: ${error.message}.` };
    logger.error({ action, err: error }, 'a command failed');
    return { text: 'That did not work, and the reason is in the log of the service. Try again in a moment.' };
  }
}

async function ingest(options: AdminCommandOptions, request: AdminRequest, argument: string): Promise<AdminReply> {
  const command = readIngestCommand(argument);
  const { tenantId, actor, onProgress } = request;
  const isUrl = 'url' in command;
  await onProgress(isUrl ? `Fetching ${command.url}…` : 'Reading the text…');
  const document = isUrl
    ? { uri: command.url, ...(await options.tools.fetch(command.url)) }
    : textDocument(command.text);
  await onProgress('Indexing…');
  const { readers } = command;
  const summary = await options.documents.submit(tenantId, actor, { ...document, readers, replaces: 'any' });
  return { text: await outcomeOf(options, tenantId, summary) };
}

// As plain text: Markdown would take some of its characters for marks and leave them out.
function textDocument(text: string) {
  const bytes = Buffer.from(text);
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const name = { uri: `chat:${digest}`, fileName: `note-${digest}.txt`, mediaType: 'text/plain' };
  return { ...name, bytes, title: titleOf(text) };
}

const MAX_TITLE = 80;

function titleOf(text: string): string {
  const line = (text.trim().split('\n')[0] ?? '').replace(/^#+\s*/, '').trim();
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE).replace(/\s+\S*$/, '')}…`;
}

const POLL_MS = 250;

async function outcomeOf(
  { documents, waitMs }: AdminCommandOptions,
  tenantId: string,
  submitted: DocumentSummary,
): Promise<string> {
  let current = submitted;
  for (let waited = 0; current.state === 'pending' && current.failure === null && waited < waitMs; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    current = (await documents.find(tenantId, submitted.documentId)) ?? current;
  }
  const name = `“${current.title}” (${current.documentId})`;
  if (current.failure) return `${name} could not be read: ${current.failure.reason}.`;
  if (current.state === 'pending') return `${name} is on its way; "status" shows when it is done.`;
  return `${name} is in: ${counted(current.chunks, 'chunk')}, version ${current.version}, ${current.accessLevel}; readers: ${readersInWords(current) || 'nobody'}.`;
}

async function askToForget(options: AdminCommandOptions, request: AdminRequest, argument: string): Promise<AdminReply> {
  const document = await findDocument(options, request.tenantId, argument);
  if ('text' in document) return document;
  const { title, uri, documentId, chunks, version } = document;
  return {
    text: `This removes “${title}” (${uri}, version ${version}, ${counted(chunks, 'chunk')}) with its original, its text, its vectors and every answer that quotes it, also where it was posted. It cannot be undone.`,
    confirmForget: documentId,
  };
}

/** What was removed, for the admin who asked for it. */
export function receiptText({ title, uri, versions, chunks, vectors, answers, postedAnswers }: ForgetReceipt): string {
  return [
    `Forgotten: “${title}” (${uri}).`,
    `${counted(versions, 'version')} with original and text, ${counted(chunks, 'chunk')}, ${counted(vectors, 'vector')}, ${counted(answers, 'stored answer')};`,
    `${counted(postedAnswers, 'posted message')} ${postedAnswers === 1 ? 'is' : 'are'} being replaced by a notice. A tombstone without content remains.`,
  ].join(' ');
}

async function quarantine(
  options: AdminCommandOptions,
  request: AdminRequest,
  argument: string,
  into: boolean,
): Promise<AdminReply> {
  const document = await findDocument(options, request.tenantId, argument);
  if ('text' in document) return document;
  const { title, documentId } = document;
  const { documents } = options;
  const { tenantId, actor } = request;
  if (into) {
    const done = await documents.quarantine(tenantId, actor, documentId);
    return {
      text: done
        ? `“${title}” is out of all answers; "release ${documentId}" puts it back.`
        : `“${title}” is not live, so there is nothing to take out.`,
    };
  }
  const done = await documents.release(tenantId, actor, documentId);
  return { text: done ? `“${title}” can be found again.` : `“${title}” was not in quarantine.` };
}

async function why(options: AdminCommandOptions, request: AdminRequest, argument: string): Promise<AdminReply> {
  const [link = '', ...rest] = argument.trim().split(/\s+/);
  if (link === '' || rest.length === 0)
    throw new UsageError('give an answer and a document: why <answer link or id> <link, title or id>');
  const { tenantId } = request;
  const place = request.answerAt(unwrap(link));
  const stored = place
    ? await options.answers.atPlace(tenantId, place)
    : await options.answers.find(tenantId, unwrap(link));
  if (!stored) return { text: 'No answer of mine stands there. Copy the link of the message that holds the answer.' };
  const document = await findDocument(options, tenantId, rest.join(' '));
  if ('text' in document) return document;
  return { text: await options.tools.why(tenantId, stored.answer.answerId, document.documentId) };
}

const MAX_SHOWN = 30; // names; a message stays readable

async function whoCanSee(
  options: AdminCommandOptions,
  { tenantId }: AdminRequest,
  argument: string,
): Promise<AdminReply> {
  const document = await findDocument(options, tenantId, argument.trim().replace(/^can\s+see\b/i, ''));
  if ('text' in document) return document;
  const emails = await options.tools.whoCanSee(tenantId, document.documentId);
  const shown = emails.slice(0, MAX_SHOWN).join(', ') || 'nobody';
  const more = emails.length > MAX_SHOWN ? ` and ${emails.length - MAX_SHOWN} more` : '';
  return {
    text: `“${document.title}”: ${readersInWords(document) || 'nobody'}.\nThat is ${counted(emails.length, 'active person', 'active people')}: ${shown}${more}.`,
  };
}

const MAX_CANDIDATES = 10;

// An id, a link to the document view, the document's own address, its title, or a part of it: one, or the candidates.
async function findDocument(
  { documents }: AdminCommandOptions,
  tenantId: string,
  typed: string,
): Promise<DocumentSummary | { text: string }> {
  const target = unwrap(typed);
  if (target === '') throw new UsageError('name a document by its link, its title or its id');
  const id = /\/documents\/([^/?#]+)/.exec(target)?.[1];
  const byId = await documents.find(tenantId, id === undefined ? target : decodeURIComponent(id));
  if (byId && byId.state !== 'deleted') return byId;
  const { documents: found } = await documents.list(tenantId, { search: target, limit: MAX_CANDIDATES + 1 });
  const same = (text: string) => text.toLowerCase() === target.toLowerCase();
  const exact = found.filter(({ title, uri }) => same(title) || same(uri));
  const candidates = exact.length > 0 ? exact : found;
  const [only, ...others] = candidates;
  if (!only) return { text: `No document has “${target}” as its id, link or title.` };
  if (others.length === 0) return only;
  const lines = candidates
    .slice(0, MAX_CANDIDATES)
    .map(({ documentId, title, uri }) => `• ${title}: ${uri}: ${documentId}`);
  const more = candidates.length > MAX_CANDIDATES ? ['• … and more'] : [];
  return { text: [`“${target}” can mean several documents. Give the id of one:`, ...lines, ...more].join('\n') };
}

// Chat platforms wrap links and quote marks round what is typed.
function unwrap(text: string): string {
  return text
    .trim()
    .replace(/^<([^<>|]+)(?:\|[^<>]*)?>$/, '$1')
    .replace(/^["“”'](.+)["“”']$/, '$1')
    .trim();
}
