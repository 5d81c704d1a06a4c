// The commands of admins, the same on every chat platform: what was typed, who may, and what is said back.

import { createHash } from 'node:crypto';
import { UsageError, VerbatimError } from '../retrieval/errors.ts';
import { ACCESS_LEVELS, type AccessLevel } from '../retrieval/model.ts';
import type { Logger } from '../retrieval/ports.ts';
import { counted } from './counted.ts';
import type { Answers, DocumentSummary, Documents, ForgetReceipt, Place, Readers } from './ports.ts';
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
  readonly text: string;
  /** The answer that a link to a message of the platform means. */
  readonly answerAt: (link: string) => Omit<Place, 'thread'> | null;
  /** Called with each step of a long command. */
  readonly onProgress: (text: string) => Promise<void>;
}

export interface AdminCommands {
  run(request: AdminRequest): Promise<AdminReply>;
  /** What a confirmed `forget` does. Null: not an admin. */
  forget(request: Pick<AdminRequest, 'tenantId' | 'email' | 'actor'>, documentId: string): Promise<AdminReply>;
  /** What a file that an admin gave does. */
  ingestFile(request: Pick<AdminRequest, 'tenantId' | 'email' | 'actor'>, file: IngestFile): Promise<AdminReply>;
  isAdmin(tenantId: string, email: string | null): Promise<boolean>;
}

/** A file with who may read it. */
export interface IngestFile {
  readonly uri: string;
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
  'ingest <url or text> [--allow <principal>] [--require <principal>] [--level <level>]   add a document',
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
  sync: async ({ tools }, { tenantId, onProgress }, source) => {
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
  return {
    isAdmin,
    async run(request) {
      const [name = '', ...rest] = request.text.trim().split(/\s+/);
      const command = name.toLowerCase() || 'help';
      const action = `command.${Object.hasOwn(HANDLERS, command) ? command : 'unknown'}`;
      const allowed = await isAdmin(request.tenantId, request.email);
      await tools.audit(request.tenantId, { actor: request.actor, action, target: '', details: { denied: !allowed } });
      if (!allowed) return { text: DENIED_TEXT };
      const handler = Object.hasOwn(HANDLERS, command) ? HANDLERS[command] : undefined;
      if (!handler)
        return { text: `I do not know "${name}". These are the commands:\n${HELP_TEXT}`, preformatted: true };
      return guarded(logger, action, () =>
        handler(options, request, request.text.trim().slice(name.length).trim() || rest.join(' ')),
      );
    },
    async forget({ tenantId, email, actor }, documentId) {
      if (!(await isAdmin(tenantId, email))) return { text: DENIED_TEXT };
      return guarded(logger, 'command.forget', async () => {
        const receipt = await documents.forget(tenantId, actor, documentId);
        return { text: receipt ? receiptText(receipt) : 'That document is gone already.' };
      });
    },
    async ingestFile({ tenantId, email, actor }, { readers, ...file }) {
      if (!(await isAdmin(tenantId, email))) return { text: DENIED_TEXT };
      return guarded(logger, 'command.ingest', async () => {
        const summary = await documents.submit(tenantId, actor, { ...file, readers, replaces: 'any' });
        return { text: await outcomeOf(options, tenantId, summary) };
      });
    },
  };
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
  const { readers, rest } = readReaders(argument);
  if (rest === '')
    throw new UsageError('give an address or a text: ingest https://docs.example.com/page, or ingest <text>');
  const { tenantId, actor, onProgress } = request;
  const isUrl = /^https?:\/\/\S+$/i.test(rest);
  await onProgress(isUrl ? `Fetching ${rest}…` : 'Reading the text…');
  const document = isUrl
    ? { uri: new URL(rest).href, ...(await options.tools.fetch(rest)) }
    : { ...textDocument(rest), title: titleOf(rest) };
  await onProgress('Indexing…');
  const summary = await options.documents.submit(tenantId, actor, { ...document, readers, replaces: 'any' });
  return { text: await outcomeOf(options, tenantId, summary) };
}

function textDocument(text: string) {
  const bytes = Buffer.from(text);
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return { uri: `chat:${digest}`, fileName: `note-${digest}.md`, mediaType: 'text/markdown', bytes };
}

const MAX_TITLE = 80;

function titleOf(text: string): string {
  const line = (text.split('\n')[0] ?? '').replace(/^#+\s*/, '').trim();
  return line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE).replace(/\s+\S*$/, '')}…`;
}

/** The options `--allow`, `--require` and `--level` of a command, and what is left of it. */
export function readReaders(argument: string): { readonly readers: Readers | null; readonly rest: string } {
  const allow: string[] = [];
  const require: string[] = [];
  let level: AccessLevel | null = null;
  const rest = argument.replaceAll(
    /(?:^|\s)[-—–]{1,2}(allow|require|level)[ =](\S+)/g,
    (_all, name: string, value: string) => {
      if (name === 'level') level = readLevel(value);
      else (name === 'allow' ? allow : require).push(value);
      return ' ';
    },
  );
  const given = allow.length > 0 || require.length > 0 || level !== null;
  return { readers: given ? { allow, require, level } : null, rest: rest.trim() };
}

function readLevel(value: string): AccessLevel {
  const level = ACCESS_LEVELS.find((candidate) => candidate === value.toLowerCase());
  if (!level) throw new UsageError(`"${value}" is no access level; the levels are ${ACCESS_LEVELS.join(', ')}`);
  return level;
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
  return `${name} is in: ${counted(current.chunks, 'chunk')}, version ${current.version}, ${current.accessLevel}; readers: ${readersInWords(current)}.`;
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
  const [link = '', ...rest] = argument.split(/\s+/);
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
  const document = await findDocument(options, tenantId, argument.replace(/^can\s+see\b/i, '').trim());
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
