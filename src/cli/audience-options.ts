import type { Command } from 'commander';
import { UsageError } from '../../retrieval/errors.ts';
import type { Audience } from '../../retrieval/model.ts';
import type { Product } from '../product.ts';
import type { CliContext } from './run-cli.ts';

/** Who asks and who else will see the answer, as the options give them. */
export interface AudienceOptions {
  readonly as: string;
  readonly with: readonly string[];
  readonly tenant?: string;
}

/** Adds `--as`, `--with` and `--tenant` to a command. */
export function addAudienceOptions(command: Command): Command {
  return command
    .requiredOption('--as <email>', 'who asks')
    .option('--with <email>', 'who else will see the answer; repeatable', collect, [])
    .option('--tenant <tenant>', 'whose documents (default: VERBATIM_TENANT)');
}

/** For options that may be given several times. */
export function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}

/** The tenant that a command works on. @throws UsageError when its name has another form. */
export function tenantOf(context: CliContext, given: string | undefined): string {
  if (given === undefined) return context.config.tenantId;
  if (!/^[a-z0-9-]{1,63}$/.test(given)) {
    throw new UsageError(`"${given}" is not a tenant; use lower-case letters, digits and hyphens, such as acme`);
  }
  return given;
}

/** Who sees the answer. */
export interface CliAudience {
  readonly tenantId: string;
  readonly asker: string;
  readonly audience: Audience;
  readonly emails: readonly string[];
}

/** The audience of the options. @throws UsageError for what is no e-mail, before anything is opened. */
export function readAudience(context: CliContext, options: AudienceOptions): CliAudience {
  const tenantId = tenantOf(context, options.tenant);
  const emails = [...new Set([options.as, ...options.with].map((email) => email.trim().toLowerCase()))];
  for (const email of emails) {
    if (!/^[^\s@]+@[^\s@]+$/.test(email))
      throw new UsageError(`"${email}" is not an e-mail; give one like ann@example.com`);
  }
  return { tenantId, asker: emails[0] ?? '', audience: emails.map((person) => ({ person })), emails };
}

/** Says on stderr which of the people may read nothing because the directory does not know them or not any more. */
export async function warnOfStrangers(
  context: CliContext,
  product: Product,
  { tenantId, emails }: CliAudience,
): Promise<void> {
  const known = await product.database.transaction((query) =>
    query<{ email: string; active: boolean }>(
      'select email, active from people where tenant_id = $1 and email = any($2::text[])',
      [tenantId, emails],
    ),
  );
  for (const email of emails) {
    const person = known.find((row) => row.email === email);
    if (!person) {
      context.hint(
        `${email} is not in the directory of tenant ${tenantId} and may read nothing; see "verbatim directory import --help"`,
      );
    } else if (!person.active) {
      context.hint(`${email} is not active any more and may read nothing`);
    }
  }
}
