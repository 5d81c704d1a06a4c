import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { type ForgetTarget, findForgetTargets, forgetDocument, type Receipt } from '../../ingest/forget-document.ts';
import { counted } from '../../retrieval/counted.ts';
import { UsageError, VerbatimError } from '../../retrieval/errors.ts';
import { audit } from '../audit.ts';
import type { Product } from '../product.ts';
import { tenantOf } from './audience-options.ts';
import { confirm } from './confirm.ts';
import type { CliContext } from './run-cli.ts';
import { coloursFor, printableLine } from './terminal.ts';

interface ForgetOptions {
  readonly tenant?: string;
  readonly json?: boolean;
  readonly yes?: boolean;
}

const NAMED = 3; // documents that a question names as examples

/** `verbatim forget` */
export function addForgetCommand(program: Command, context: CliContext): void {
  program
    .command('forget')
    .description('remove a document and everything made from it; a folder or URI prefix removes all below it')
    .argument('<path|uri|id>')
    .option('--tenant <tenant>', 'whose documents (default: VERBATIM_TENANT)')
    .option('--yes', 'forget more than one document without being asked')
    .option('--json', 'print the receipts as JSON')
    .action((target: string, options: ForgetOptions) => forget(context, target, options));
}

/** Nothing has that path, URI or id. */
class NothingToForgetError extends VerbatimError {
  constructor(target: string, tenantId: string) {
    super(
      'nothing_to_forget',
      `no document of tenant ${tenantId} has the path, URI or id "${target}"; "verbatim status --documents" lists them`,
    );
  }
}

async function forget(context: CliContext, target: string, options: ForgetOptions): Promise<void> {
  const tenantId = tenantOf(context, options.tenant);
  // As a path, nothing would be the current folder with all that is in it.
  if (target.trim() === '') {
    throw new UsageError('an empty target names no document (is a variable not set?); give a path, a URI or an id');
  }
  const names = await namesOf(target);
  const receipts = await context.withProduct(async ({ database }) => {
    const targets = await database.transaction((query) => findForgetTargets(query, tenantId, names));
    if (targets.length === 0) throw new NothingToForgetError(target, tenantId);
    if (targets.length > 1 && !options.yes && !(await agreed(context, target, targets))) return null;
    return forgetAll(database, tenantId, targets);
  });
  if (receipts === null) {
    context.streams.stderr.write('Nothing was forgotten.\n');
    context.setExitStatus(1);
  } else if (options.json) context.streams.stdout.write(`${JSON.stringify({ receipts }, null, 2)}\n`);
  else for (const receipt of receipts) printReceipt(context, receipt);
}

async function forgetAll(
  database: Product['database'],
  tenantId: string,
  targets: readonly ForgetTarget[],
): Promise<Receipt[]> {
  const done: Receipt[] = [];
  for (const { documentId, uri } of targets) {
    const receipt = await database.transaction(async (query) => {
      const forgotten = await forgetDocument(query, tenantId, documentId, 'terminal');
      if (forgotten) await audit(query, tenantId, { actor: 'terminal', action: 'document.forget', target: uri });
      return forgotten;
    });
    if (receipt) done.push(receipt);
  }
  return done;
}

// What is forgotten does not come back, and a folder or prefix is soon one level too short.
async function agreed({ streams }: CliContext, target: string, targets: readonly ForgetTarget[]): Promise<boolean> {
  const examples = targets.slice(0, NAMED).map(({ uri }) => printableLine(uri));
  const such = targets.length > NAMED ? `such as ${examples.join(', ')}` : examples.join(', ');
  const what = `"${printableLine(target)}" stands for ${counted(targets.length, 'document')} (${such})`;
  if (streams.stdin.isTTY === true) return confirm(streams, `${what}. Forget them all, for good?`);
  throw new UsageError(`${what}; nothing was forgotten. Add --yes to forget them all, or name one`);
}

// A path may be given as it was ingested: relative, or through a link; the file itself may be gone.
async function namesOf(target: string): Promise<string[]> {
  const path = resolve(target);
  const real = existsSync(path) ? await realpath(path) : path;
  return [...new Set([target, pathToFileURL(path).href, pathToFileURL(real).href, `stdin:${target}`])];
}

function printReceipt({ streams }: CliContext, receipt: Receipt): void {
  const { documentId, uri, title, versions, chunks, vectors, answers, cachedAnswers } = receipt;
  const bold = coloursFor(streams.stdout).bold;
  streams.stdout.write(
    `${bold('forgotten')} ${printableLine(title)} (${printableLine(uri)}, ${documentId}): ` +
      `${counted(versions, 'version')} with original and text, ${counted(chunks, 'chunk')}, ${counted(vectors, 'vector')}, ` +
      `${counted(answers, 'stored answer')} emptied, ${counted(cachedAnswers, 'cached one')} removed. A tombstone remains.\n`,
  );
}
