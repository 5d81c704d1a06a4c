import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { AclRequest } from '../../ingest/acl.ts';
import { type CollectedFiles, collectFiles } from '../../ingest/collect-files.ts';
import { fetchDocument } from '../../ingest/fetch-url.ts';
import { MAX_DOCUMENT_BYTES } from '../../ingest/parse-document.ts';
import { parseAccessLevel, parsePrincipal } from '../../retrieval/access-policy.ts';
import { counted } from '../../retrieval/counted.ts';
import { UsageError } from '../../retrieval/errors.ts';
import { fileIntake, type IngestedDocument, type Intake, ingestAll } from '../ingest-run.ts';
import type { Product } from '../product.ts';
import { collect, tenantOf } from './audience-options.ts';
import { createProgress } from './progress.ts';
import type { CliContext } from './run-cli.ts';
import { coloursFor, printableLine } from './terminal.ts';

interface IngestOptions {
  readonly allow: readonly string[];
  readonly require: readonly string[];
  readonly deny: readonly string[];
  readonly grant: readonly string[];
  readonly level?: string;
  readonly name?: string;
  readonly title?: string;
  readonly tenant?: string;
  readonly json?: boolean;
}

const NOTES = `
A reader must hold one of all --allow principals, and each --require principal, and none of --deny.
Principals: verbatim:everyone, verbatim:user:<email>, verbatim:group:<id>, verbatim:role:<role> (and the roles above it).
Without --allow and --require only admins can read the documents; on a repeat the rights stay as they were.
The access level is derived (finance is never below confidential) unless --level gives it. confidential asks for a manager,
restricted for an exec; users and groups named by --allow read a document of a derived level in spite of their role.
"-" reads one document from standard input; --name says what kind it is.
Formats: Markdown, text, HTML, PDF, DOCX, PPTX, XLSX, CSV, JSON, JSONL, up to 50 MiB each.
Exit status 1 only when every document failed; each failure is recorded with its reason, see "verbatim status".`;

/** `verbatim ingest` */
export function addIngestCommand(program: Command, context: CliContext): void {
  program
    .command('ingest')
    .description('read files, folders, URLs or standard input into the documents that answers quote')
    .argument('<path|url...>')
    .option('--allow <principal>', 'who may read: any of these; repeatable', collect, [])
    .option('--require <principal>', 'what a reader must hold as well; repeatable', collect, [])
    .option('--deny <principal>', 'who may not read, whatever else they hold; repeatable', collect, [])
    .option('--grant <principal>', 'who may read in spite of the access level; repeatable', collect, [])
    .option('--level <level>', 'public, internal, confidential or restricted')
    .option('--title <title>', 'what the document is called; for a single document')
    .option('--name <file name>', 'of standard input: the same name again replaces the document')
    .option('--tenant <tenant>', 'whose documents (default: VERBATIM_TENANT)')
    .option('--json', 'print what became of each document as JSON')
    .addHelpText('after', NOTES)
    .action((targets: string[], options: IngestOptions) => ingest(context, targets, options));
}

async function ingest(context: CliContext, targets: readonly string[], options: IngestOptions): Promise<void> {
  const tenantId = tenantOf(context, options.tenant);
  const acl = readAcl(options);
  const { intakes, skipped } = await readTargets(context, targets, options, acl);
  if (intakes.length === 0) {
    const without = skipped.size === 0 ? '' : ` (${skippedText(skipped)})`;
    throw new UsageError(`${targets.join(', ')} holds no files${without}; nothing was ingested`);
  }
  const progress = createProgress(context.streams.stderr, 'documents');
  const documents = await context.withProduct(async (product) => {
    if (acl) await warnOfUnknown(context, product, tenantId, acl);
    return ingestAll(product, intakes, {
      tenantId,
      submittedBy: 'terminal',
      onProgress: ({ done, total }) => progress.show(done, total),
    });
  });
  progress.end();
  if (options.json)
    context.streams.stdout.write(`${JSON.stringify({ documents, skipped: Object.fromEntries(skipped) }, null, 2)}\n`);
  else printSummary(context, documents, skipped);
  if (!acl && documents.some((document) => document.version === 1 && document.outcome === 'indexed')) {
    context.hint(
      'only admins can read new documents; add --allow verbatim:everyone, --allow verbatim:group:<id> or the like',
    );
  }
  if (documents.every((document) => document.outcome === 'failed')) context.setExitStatus(1);
}

function readAcl(options: IngestOptions): AclRequest | null {
  const { allow, require, deny, grant, level } = options;
  const given = allow.length + require.length + deny.length + grant.length > 0 || level !== undefined;
  if (!given) return null;
  return {
    allow: allow.map(parsePrincipal),
    require: require.map(parsePrincipal),
    deny: deny.map(parsePrincipal),
    grant: grant.map(parsePrincipal),
    level: level === undefined ? null : parseAccessLevel(level),
  };
}

async function readTargets(
  context: CliContext,
  targets: readonly string[],
  options: IngestOptions,
  acl: AclRequest | null,
): Promise<{ intakes: Intake[]; skipped: CollectedFiles['skipped'] }> {
  const isUrl = (target: string) => /^[a-z][a-z0-9+.-]+:\/\//i.test(target);
  const urls = targets.filter(isUrl);
  const { files, skipped } = await collectFiles(targets.filter((target) => target !== '-' && !isUrl(target)));
  const intakes = [
    ...files.map((path) => fileIntake(path, acl)),
    ...urls.map((url) => urlIntake(context, url, acl)),
    ...(targets.includes('-') ? [await stdinIntake(context, options.name, acl)] : []),
  ];
  if (options.title === undefined) return { intakes, skipped };
  if (intakes.length > 1) throw new UsageError('--title names one document; ingest them one by one');
  return { intakes: intakes.map((intake) => ({ ...intake, title: options.title ?? '' })), skipped };
}

function urlIntake({ config }: CliContext, url: string, acl: AclRequest | null): Intake {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (!parsed) throw new UsageError(`"${url}" is not a URL; write it like https://docs.example.com/page.html`);
  if (parsed.username || parsed.password) {
    throw new UsageError(
      `a URL with a user name or password is not fetched; give ${parsed.protocol}//${parsed.host}${parsed.pathname}`,
    );
  }
  return {
    uri: parsed.href,
    fileName: basename(parsed.pathname) || 'index.html',
    acl,
    read: async () => {
      const fetched = await fetchDocument(url, {
        allowedHosts: config.fetchHosts,
        maxBytes: MAX_DOCUMENT_BYTES,
        timeoutMs: 30_000,
      });
      const changedAt = fetched.lastModified ? { changedAt: fetched.lastModified } : {};
      return { bytes: fetched.bytes, mediaType: fetched.mediaType, ...changedAt };
    },
  };
}

// Without a name it is named by its content, so that a second text does not replace the first.
async function stdinIntake({ streams }: CliContext, name: string | undefined, acl: AclRequest | null): Promise<Intake> {
  const bytes = await buffer(streams.stdin);
  const given = name ?? `${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.txt`;
  return { uri: `stdin:${given}`, fileName: given, acl, read: async () => ({ bytes, mediaType: '' }) };
}

async function warnOfUnknown(
  context: CliContext,
  { database }: Product,
  tenantId: string,
  acl: AclRequest,
): Promise<void> {
  const named = [...acl.allow, ...acl.require, ...acl.grant].filter((each) => /^verbatim:(group|user):/.test(each));
  const unknown = await database.transaction((query) =>
    query<{ principal: string }>(
      `select principal from unnest($2::text[]) principal
         where not exists (select 1 from memberships where tenant_id = $1 and group_principal = principal)
           and not exists (select 1 from people where tenant_id = $1 and 'verbatim:user:' || email = principal)`,
      [tenantId, named],
    ),
  );
  for (const { principal } of unknown) {
    context.hint(`nobody in the directory of tenant ${tenantId} holds ${principal} yet`);
  }
}

// What was left out without being asked for must not look as if it were in.
function skippedText(skipped: CollectedFiles['skipped']): string {
  const counts = [...skipped].map(([kind, count]) =>
    counted(count, kind, kind.replace(/^folder|(folder|file|link)$/, '$&s')),
  );
  return `skipped: ${counts.join(', ')}`;
}

function printSummary(
  { streams }: CliContext,
  documents: readonly IngestedDocument[],
  skipped: CollectedFiles['skipped'],
): void {
  const colours = coloursFor(streams.stdout);
  const write = (line: string) => streams.stdout.write(`${line}\n`);
  for (const document of documents) {
    if (!document.failure) continue;
    const stays = document.version > 0 ? ` (version ${document.version} stays in use)` : '';
    write(
      `${colours.red('failed')} ${printableLine(document.uri)}: ${document.failure.code}: ${printableLine(document.failure.reason)}${stays}`,
    );
  }
  for (const document of documents) {
    const raised = document.accessLevel === 'confidential' || document.accessLevel === 'restricted';
    if (document.failure || !raised) continue;
    write(
      `${colours.yellow(document.accessLevel)} ${printableLine(document.uri)}: ${document.classification.join('; ')}`,
    );
  }
  const count = (outcome: IngestedDocument['outcome']) => documents.filter((each) => each.outcome === outcome).length;
  const chunks = documents.filter((each) => each.outcome === 'indexed').reduce((sum, each) => sum + each.chunks, 0);
  const parts = [
    `${count('indexed')} indexed (${counted(chunks, 'chunk')})`,
    `${count('unchanged')} unchanged`,
    ...(count('acl_changed') > 0 ? [`${count('acl_changed')} with new rights`] : []),
    `${count('failed')} failed`,
    ...(skipped.size > 0 ? [skippedText(skipped)] : []),
  ];
  write(`${colours.bold(counted(documents.length, 'document'))}: ${parts.join(', ')}.`);
}
