import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { decodeText } from '../../ingest/decode-text.ts';
import { importDirectory } from '../../ingest/directory.ts';
import { readDirectoryFile } from '../../ingest/directory-file.ts';
import { ParseError } from '../../ingest/parsed-document.ts';
import { counted } from '../../retrieval/counted.ts';
import { UsageError } from '../../retrieval/errors.ts';
import { audit } from '../audit.ts';
import { tenantOf } from './audience-options.ts';
import type { CliContext } from './run-cli.ts';
import { printableLine } from './terminal.ts';

interface ImportCommandOptions {
  readonly tenant?: string;
  readonly merge?: boolean;
  readonly force?: boolean;
}

const NAMED = 10; // unknown members that the hint names

const FORMATS = `
FILE is JSON:
  {"people": [{"email": "ann@example.com", "name": "Ann", "role": "manager", "active": true, "guest": false}],
   "groups": [{"id": "finance", "members": ["ann@example.com", "group:controllers"]}],
   "channels": [{"id": "month-end", "name": "month-end", "purpose": "Closing the books", "members": ["group:finance"]}]}
or CSV with the columns email,name,role,active,guest,groups (groups separated by ";"; columns by
",", ";" or tabs). "-" reads standard input.
Channels are those of the chat page; a member may be "everyone". A file without "channels" leaves them as they are.
Roles: intern, analyst, manager, exec, admin. The file is taken as complete: people it leaves out are deactivated.`;

/** `verbatim directory import` */
export function addDirectoryCommand(program: Command, context: CliContext): void {
  program
    .command('directory')
    .description('people and groups')
    .command('import')
    .description('make people, roles and groups what a file says')
    .argument('<file>')
    .option('--tenant <tenant>', 'whose people (default: VERBATIM_TENANT)')
    .option('--merge', 'keep people and groups that the file does not name')
    .option('--force', 'deactivate as many people as it takes')
    .addHelpText('after', FORMATS)
    .action((file: string, options: ImportCommandOptions) => importFile(context, file, options));
}

async function importFile(context: CliContext, file: string, options: ImportCommandOptions): Promise<void> {
  const tenantId = tenantOf(context, options.tenant);
  const directory = readDirectoryFile(await readInput(context, file));
  const summary = await context.withProduct(({ database }) =>
    database.transaction(async (query) => {
      const imported = await importDirectory(query, directory, {
        tenantId,
        name: 'import',
        merge: options.merge === true,
        force: options.force === true,
      });
      const { unknownMembers, ...counts } = imported;
      const details = { ...counts, unknownMembers: unknownMembers.length };
      await audit(query, tenantId, { actor: 'terminal', action: 'directory.import', target: file, details });
      return imported;
    }),
  );
  const { people, added, deactivated, groups, memberships, unknownMembers } = summary;
  context.streams.stdout.write(
    `${counted(people, 'person', 'people')} (${added} new, ${deactivated} deactivated), ` +
      `${counted(groups, 'group')} with ${counted(memberships, 'member')}.\n`,
  );
  if (unknownMembers.length > 0) {
    const more = unknownMembers.length > NAMED ? ` and ${unknownMembers.length - NAMED} more` : '';
    context.hint(
      `groups name members that are not in the directory of tenant ${tenantId} and hold nothing: ` +
        `${printableLine(unknownMembers.slice(0, NAMED).join(', '))}${more}`,
    );
  }
}

async function readInput({ streams }: CliContext, file: string): Promise<string> {
  try {
    return decodeText(file === '-' ? await buffer(streams.stdin) : await readFile(file));
  } catch (cause) {
    if (cause instanceof ParseError) throw new UsageError(`${file}: ${cause.message}`, { cause });
    throw new UsageError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code}); check the path`, {
      cause,
    });
  }
}
