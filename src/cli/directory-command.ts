import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { importDirectory } from '../../ingest/directory.ts';
import { readDirectoryFile } from '../../ingest/directory-file.ts';
import { UsageError } from '../../retrieval/errors.ts';
import { audit } from '../audit.ts';
import { tenantOf } from './audience-options.ts';
import type { CliContext } from './run-cli.ts';

interface ImportCommandOptions {
  readonly tenant?: string;
  readonly merge?: boolean;
  readonly force?: boolean;
}

const FORMATS = `
FILE is JSON:
  {"people": [{"email": "ann@example.com", "name": "Ann", "role": "manager", "active": true, "guest": false}],
   "groups": [{"id": "finance", "members": ["ann@example.com", "group:controllers"]}],
   "channels": [{"id": "month-end", "name": "month-end", "purpose": "Closing the books", "members": ["group:finance"]}]}
or CSV with the columns email,name,role,active,guest,groups (groups separated by ";"). "-" reads standard input.
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
      await audit(query, tenantId, { actor: 'terminal', action: 'directory.import', target: file, details: imported });
      return imported;
    }),
  );
  const { people, added, deactivated, groups, memberships } = summary;
  context.streams.stdout.write(
    `${people} people (${added} new, ${deactivated} deactivated), ${groups} groups with ${memberships} members.\n`,
  );
}

async function readInput({ streams }: CliContext, file: string): Promise<string> {
  if (file === '-') return text(streams.stdin);
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${file} cannot be read (${(cause as NodeJS.ErrnoException).code}); check the path`, {
      cause,
    });
  }
}
