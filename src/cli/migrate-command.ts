import type { Command } from 'commander';
import { counted } from '../../retrieval/counted.ts';
import { tenantOf } from './audience-options.ts';
import type { CliContext } from './run-cli.ts';

/** `verbatim migrate` */
export function addMigrateCommand(program: Command, context: CliContext): void {
  program
    .command('migrate')
    .description('bring the database schema up to date (every command does so by itself)')
    .action(() =>
      context.withProduct(async ({ database, config }) => {
        const rows = await database.owner((query) =>
          query<{ count: number; last: string }>(
            'select count(*)::int as count, max(name) as last from verbatim_migrations',
          ),
        );
        const place = config.databaseUrl ? 'DATABASE_URL' : config.dataDir;
        context.streams.stdout.write(
          `The schema in ${place} is up to date: ${counted(rows[0]?.count ?? 0, 'migration')}, last ${rows[0]?.last}. ` +
            `Default tenant: ${tenantOf(context, undefined)}.\n`,
        );
      }),
    );
}
