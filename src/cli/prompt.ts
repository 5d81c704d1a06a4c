import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { FAILURE_TEXT } from '../../adapters/wording.ts';
import { UsageError } from '../../retrieval/errors.ts';
import { withRequestId } from '../logger.ts';
import type { Product } from '../product.ts';
import { renderAnswer } from './render-answer.ts';
import type { CliContext } from './run-cli.ts';
import { coloursFor, printableLine, widthOf } from './terminal.ts';

interface Person {
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly guest: boolean;
  readonly groups: string;
}

/** Who asks, who else sees the answers, and the conversation. A change of either begins a new conversation. */
interface Session {
  asker: string | null;
  others: string[];
  threadId: string;
  /** Whom the list that was shown last names, in its order. */
  listed: readonly Person[];
}

const HELP = `Type a question, or:
  /as <number or email>     ask as somebody else
  /with <email> [<email>…]  who else will see the answers (none: nobody); numbers too
  /people                   who there is
  /quit`;

interface PromptOptions {
  /** Ends the input. */
  readonly signal?: AbortSignal;
  /** Nothing is shown before the first line has come: nobody may be there, and a log is no place for a list of people. */
  readonly quiet?: boolean;
}

/**
 * Reads questions line by line until the input ends or `/quit`. Resolves to `no_input` when the input ended before it
 * gave a line, as under a process manager.
 */
export async function runPrompt(
  context: CliContext,
  product: Product,
  tenantId: string,
  { signal, quiet = false }: PromptOptions = {},
): Promise<'ended' | 'no_input'> {
  const { stdin, stdout } = context.streams;
  const session: Session = {
    asker: null,
    others: [],
    threadId: randomUUID(),
    listed: await readPeople(product, tenantId),
  };
  const lines = createInterface({ input: stdin, output: stdout, terminal: stdin.isTTY === true });
  // In a terminal the line editor gets Ctrl-C; it means the process, as everywhere.
  lines.on('SIGINT', () => void process.kill(process.pid, 'SIGINT'));
  signal?.addEventListener('abort', () => lines.close(), { once: true });
  const prompt = () => {
    lines.setPrompt(
      session.asker
        ? `${session.asker}${session.others.map((each) => ` + ${each}`).join('')}> `
        : 'Who is asking? (number or email) > ',
    );
    lines.prompt();
  };
  if (!quiet) {
    stdout.write(`${listPeople(session.listed)}\n`);
    prompt();
  }
  let given = false;
  for await (const line of lines) {
    given = true;
    if (/^\/(quit|exit)\s*$/.test(line)) break;
    await handleLine(context, product, { tenantId, session, line: line.trim() });
    prompt();
  }
  lines.close();
  return given ? 'ended' : 'no_input';
}

async function handleLine(
  context: CliContext,
  product: Product,
  input: { tenantId: string; session: Session; line: string },
): Promise<void> {
  const { session, line } = input;
  const { stdout } = context.streams;
  const [command = '', ...rest] = line.split(/\s+/);
  if (line === '') return;
  if (command === '/people') {
    session.listed = await readPeople(product, input.tenantId);
    stdout.write(`${listPeople(session.listed)}\n`);
  } else if (command === '/as') await pickAsker(context, product, input, rest[0]);
  else if (command === '/with') await pickOthers(context, product, input, rest);
  else if (command.startsWith('/')) stdout.write(`${HELP}\n`);
  else if (session.asker === null) await pickAsker(context, product, input, line);
  else await ask(context, product, input);
}

// A number means the list as it was shown; whether that person is still there is asked anew.
function emailOf(choice: string, { listed }: Session): string {
  return listed[Number(choice) - 1]?.email ?? choice.toLowerCase();
}

async function pickAsker(
  { streams: { stdout } }: CliContext,
  product: Product,
  { tenantId, session }: { tenantId: string; session: Session },
  choice: string | undefined,
): Promise<void> {
  if (choice === undefined) {
    stdout.write('Say who asks: /as and a number of the list or an email; /people shows the list.\n');
    return;
  }
  const email = emailOf(choice, session);
  const person = (await readPeople(product, tenantId)).find((each) => each.email === email);
  if (!person) {
    stdout.write(`There is no "${printableLine(choice)}"; give a number of the list or an email, /people shows it.\n`);
    return;
  }
  session.asker = person.email;
  session.threadId = randomUUID();
  stdout.write(
    `Asking as ${printableLine(person.name || person.email)}. Type a question, /as to change, /quit to end.\n`,
  );
}

async function pickOthers(
  { streams: { stdout } }: CliContext,
  product: Product,
  { tenantId, session }: { tenantId: string; session: Session },
  choices: readonly string[],
): Promise<void> {
  const emails = choices.map((choice) => emailOf(choice, session));
  const wrong = emails.find((email) => !/^[^\s@]+@[^\s@]+$/.test(email));
  if (wrong !== undefined) {
    stdout.write(`"${printableLine(wrong)}" is neither a number of the list nor an email; nothing was changed.\n`);
    return;
  }
  session.others = emails;
  session.threadId = randomUUID();
  const people = await readPeople(product, tenantId);
  const strangers = emails.filter((email) => !people.some((person) => person.email === email));
  if (strangers.length === 0) return;
  const who = printableLine(strangers.join(', '));
  stdout.write(
    `${who} is not in the directory and may read nothing: while they see the answers, nothing can be said. /with alone takes them out.\n`,
  );
}

async function ask(
  context: CliContext,
  product: Product,
  { tenantId, session, line }: { tenantId: string; session: Session; line: string },
): Promise<void> {
  const { stdout } = context.streams;
  const asker = session.asker ?? '';
  const audience = [asker, ...session.others].map((person) => ({ person }));
  try {
    const answer = await withRequestId(randomUUID(), () =>
      product.answerQuestion({ tenantId, asker, audience, text: line, threadId: session.threadId }),
    );
    stdout.write(`\n${renderAnswer(answer, { colours: coloursFor(stdout), width: widthOf(stdout) })}\n\n`);
  } catch (error) {
    if (!(error instanceof UsageError)) context.logger.error({ err: error }, 'a question failed');
    stdout.write(`${error instanceof UsageError ? error.message : FAILURE_TEXT}\n`);
  }
}

async function readPeople({ database }: Product, tenantId: string): Promise<Person[]> {
  return database.transaction((query) =>
    query<Person>(
      `select p.email, p.name, p.role, p.guest, coalesce(string_agg(g.name, ', ' order by g.name), '') as groups
         from people p
         left join memberships m on m.tenant_id = p.tenant_id and m.member = 'verbatim:user:' || p.email
         left join groups g on g.tenant_id = m.tenant_id and g.principal = m.group_principal
         where p.tenant_id = $1 and p.active
         group by p.email, p.name, p.role, p.guest order by p.email`,
      [tenantId],
    ),
  );
}

function listPeople(people: readonly Person[]): string {
  if (people.length === 0) return 'Nobody is in the directory yet: verbatim directory import FILE.';
  return people
    .map((person, index) => {
      const what = [person.guest ? 'guest' : person.role, person.groups].filter(Boolean).join(', ');
      return `${String(index + 1).padStart(3)}  ${person.email}  (${what})`;
    })
    .join('\n');
}
