import { isUtf8 } from 'node:buffer';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { UsageError } from '../../retrieval/errors.ts';
import { audit } from '../audit.ts';
import { createPeople } from '../operations/people.ts';
import { hashPassword, storePassword } from '../service/passwords.ts';
import { tenantOf } from './audience-options.ts';
import type { CliContext } from './run-cli.ts';
import type { Streams } from './terminal.ts';
import { notActive } from './token-command.ts';

/** `verbatim user` */
export function addUserCommand(program: Command, context: CliContext): void {
  program
    .command('user')
    .description('how people sign in')
    .command('password')
    .description('set the password of a person of the directory; it is read from standard input. Ends their sessions')
    .argument('<email>')
    .option('--tenant <tenant>', 'of which tenant (default: VERBATIM_TENANT)')
    .action((email: string, options: { tenant?: string }) => setPassword(context, email, options));
}

async function setPassword(context: CliContext, email: string, options: { tenant?: string }): Promise<void> {
  const tenantId = tenantOf(context, options.tenant);
  const digest = await hashPassword(await readPassword(context.streams, email));
  await context.withProduct(async (product) => {
    const person = await createPeople(product).find(tenantId, email);
    if (!person?.active) throw notActive(email, tenantId);
    await product.database.transaction(async (query) => {
      await storePassword(query, tenantId, person.email, digest);
      await audit(query, tenantId, { actor: 'terminal', action: 'user.password', target: person.email });
    });
  });
  context.streams.stderr.write(`The password of ${email} is set; their sessions until now have ended.\n`);
}

async function readPassword({ stdin, stderr }: Streams, email: string): Promise<string> {
  if (stdin.isTTY !== true) {
    const bytes = await buffer(stdin);
    // Read all the same, it would be another password than its owner types.
    if (!isUtf8(bytes)) throw new UsageError('the password is not valid UTF-8; save or send it as UTF-8');
    return bytes.toString('utf8').replace(/\r?\n$/, '');
  }
  stderr.write(`Password for ${email} (it is not shown): `);
  // A terminal's line editor would print what is typed.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: silent, terminal: true });
  const password = await lines.question('');
  lines.close();
  stderr.write('\n');
  return password;
}
