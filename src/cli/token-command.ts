import type { Command } from 'commander';
import { UsageError } from '../../retrieval/errors.ts';
import { audit } from '../audit.ts';
import { createPeople } from '../operations/people.ts';
import { createPasswords } from '../service/passwords.ts';
import { createSessions } from '../service/sessions.ts';
import { createSignInLimits } from '../service/sign-in-limits.ts';
import { tokenSecrets } from '../service/token-secret.ts';
import { tenantOf } from './audience-options.ts';
import type { CliContext } from './run-cli.ts';

interface TokenOptions {
  readonly as: string;
  readonly tenant?: string;
}

/** `verbatim token` */
export function addTokenCommand(program: Command, context: CliContext): void {
  program
    .command('token')
    .description('print a token of the API that holds for 8 hours, and nothing else')
    .requiredOption('--as <email>', 'whose')
    .option('--tenant <tenant>', 'of which tenant (default: VERBATIM_TENANT)')
    .action((options: TokenOptions) => printToken(context, options));
}

async function printToken(context: CliContext, options: TokenOptions): Promise<void> {
  const tenantId = tenantOf(context, options.tenant);
  const secrets = await tokenSecrets(context.config);
  const token = await context.withProduct(async (product) => {
    const { database } = product;
    const person = await createPeople(product).find(tenantId, options.as);
    if (!person?.active) throw notActive(options.as, tenantId);
    const passwords = createPasswords({ database });
    const limits = createSignInLimits({ database });
    const sessions = createSessions({ database, passwords, limits, secrets, clock: Date.now, demo: () => false });
    await database.transaction((query) =>
      audit(query, tenantId, { actor: 'terminal', action: 'token.issue', target: person.email }),
    );
    return sessions.issue(person);
  });
  context.streams.stdout.write(`${token}\n`);
}

/** Only active people of the directory sign in. */
export function notActive(email: string, tenantId: string): UsageError {
  return new UsageError(
    `${email} is not an active person of tenant ${tenantId}; "verbatim directory import" adds people`,
  );
}
