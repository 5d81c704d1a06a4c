import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { findForgetTargets, forgetDocument, type Receipt } from '../../ingest/forget-document.ts';
import { VerbatimError } from '../../retrieval/errors.ts';
import { audit } from '../audit.ts';
import { tenantOf } from './audience-options.ts';
import type { CliContext } from './run-cli.ts';
import { coloursFor, printable } from './terminal.ts';

interface ForgetOptions {
  readonly tenant?: string;
  readonly json?: boolean;
}

/** `verbatim forget` */
export function addForgetCommand(program: Command, context: CliContext): void {
  program
    .command('forget')
    .description('remove a document and everything made from it; a folder or URI prefix removes all below it')
    .argument('<path|uri|id>')
    .option('--tenant <tenant>', 'whose documents (default: VERBATIM_TENANT)')
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
  const names = await namesOf(target);
  const receipts = await context.withProduct(async ({ database }) => {
    const targets = await database.transaction((query) => findForgetTargets(query, tenantId, names));
    if (targets.length === 0) throw new NothingToForgetError(target, tenantId);
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
  });
  if (options.json) context.streams.stdout.write(`${JSON.stringify({ receipts }, null, 2)}\n`);
  else for (const receipt of receipts) printReceipt(context, receipt);
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
    `${bold('forgotten')} ${printable(title)} (${printable(uri)}, ${documentId}): ${versions} version(s) with original and text, ` +
      `${chunks} chunks, ${vectors} vectors, ${answers} stored answer(s) emptied, ${cachedAnswers} cached one(s) removed. A tombstone remains.\n`,
  );
}
