// People and groups as an admin hands them over: JSON, or CSV with a header.
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { counted } from '../retrieval/counted.ts';
import { UsageError } from '../retrieval/errors.ts';
import { ROLES, type Role } from '../retrieval/model.ts';
import type { DirectoryChannel } from './channels.ts';

/** A directory as it should be. E-mails are lower-case; members are e-mails or `group:` and a group's id. */
export interface Directory {
  readonly people: readonly {
    readonly email: string;
    readonly name: string;
    readonly role: Role;
    readonly active: boolean;
    readonly guest: boolean;
  }[];
  readonly groups: readonly { readonly id: string; readonly name: string; readonly members: readonly string[] }[];
  /** Of the chat page. Not given: the channels stay as they are. */
  readonly channels?: readonly DirectoryChannel[] | undefined;
}

const EMAIL = /^[^\s@:,]+@[^\s@:,]+$/;
const email = z
  .string()
  .trim()
  .regex(EMAIL, 'must be an e-mail address, like ann@example.com')
  .transform((text) => text.toLowerCase());
const groupId = z.string().trim().regex(/^\S+$/, 'must be an id without blanks, like finance');
const role = z.enum(ROLES, { message: `must be one of ${ROLES.join(', ')}` });
// One pattern and not a union: of a union's faults zod reports the first one's, which says nothing of the others.
const memberOf = (also: string, message: string) =>
  z
    .string()
    .trim()
    .regex(new RegExp(`^(group:\\S+|${also}${EMAIL.source.slice(1, -1)})$`), message)
    .transform((text) => (text.startsWith('group:') ? text : text.toLowerCase()));
const member = memberOf('', 'must be an e-mail address or "group:" and a group\'s id');
const channelMember = memberOf('everyone|', 'must be an e-mail address, "group:" and a group\'s id, or "everyone"');

const channel = z
  .object({
    id: z
      .string()
      .trim()
      .regex(/^[a-z0-9][a-z0-9_-]*$/, 'must be lower-case letters, digits, "-" and "_", like travel-help'),
    name: z.string().trim().min(1, 'must not be empty'),
    purpose: z.string().default(''),
    members: z.array(channelMember).default([]),
  })
  .strict();

const jsonDirectory = z
  .object({
    people: z
      .array(
        z
          .object({
            email,
            name: z.string().default(''),
            role: role.default('intern'),
            active: z.boolean().default(true),
            guest: z.boolean().default(false),
          })
          .strict(),
      )
      .optional(),
    groups: z
      .array(z.object({ id: groupId, name: z.string().default(''), members: z.array(member).default([]) }).strict())
      .optional(),
    channels: z.array(channel).optional(),
  })
  .strict()
  // An object of something else must not be taken for a directory that nobody is in.
  .refine(({ people, groups, channels }) => people ?? groups ?? channels, 'it needs a list "people"')
  .transform(({ people = [], groups = [], channels }) => ({ people, groups, channels }));

const SHAPE =
  '{"people": [{"email": "ann@example.com", "role": "manager"}], "groups": [{"id": "finance", "members": []}]}';

/**
 * Reads a directory file; which format it is shows in its first character.
 * @throws UsageError naming every fault and where it is. Nothing is half read.
 */
export function readDirectoryFile(text: string): Directory {
  const content = text.replace(/^\uFEFF/, '').trim();
  if (content === '') throw new UsageError('the directory file is empty; it needs at least a header or {"people": []}');
  const input = /^[{[]/.test(content) ? parseJson(content) : parseCsv(content);
  if (Array.isArray(input.directory)) {
    throw new UsageError(`the directory file is a JSON array; it must be an object like ${SHAPE}`);
  }
  const result = jsonDirectory.safeParse(input.directory);
  if (!result.success) {
    const faults = result.error.issues.map((issue) => `${input.place(issue.path)}: ${issue.message}`);
    throw new UsageError(
      `the directory file has ${counted(faults.length, 'fault')}:\n  ${faults.slice(0, 20).join('\n  ')}`,
    );
  }
  refuseDuplicates(
    result.data.people.map((person) => person.email),
    'person',
  );
  refuseDuplicates(
    result.data.groups.map((group) => group.id),
    'group',
  );
  refuseDuplicates(
    (result.data.channels ?? []).map((each) => each.id),
    'channel',
  );
  return result.data;
}

interface Input {
  directory: unknown;
  place(path: readonly (string | number)[]): string;
}

function parseJson(content: string): Input {
  try {
    return { directory: JSON.parse(content), place: (path) => path.join('.') || 'the file' };
  } catch (cause) {
    throw new UsageError(`the directory file is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

const CSV_COLUMNS = ['email', 'name', 'role', 'active', 'guest', 'groups'];

// email,name,role,active,guest,groups; groups are separated by ";" and made as they are named.
function parseCsv(content: string): Input {
  const delimiter = delimiterOf(content);
  const rows = readRows(content, delimiter);
  const separator = delimiter === ';' ? /[;,]/ : /;/;
  const members = new Map<string, string[]>();
  const people = rows.map((row) => {
    for (const id of splitList(row.groups, separator)) members.set(id, [...(members.get(id) ?? []), row.email ?? '']);
    return {
      email: row.email,
      ...(row.name ? { name: row.name } : {}),
      ...(row.role ? { role: row.role.toLowerCase() } : {}),
      ...(row.active ? { active: readBoolean(row.active) } : {}),
      ...(row.guest ? { guest: readBoolean(row.guest) } : {}),
    };
  });
  const groups = [...members].map(([id, list]) => ({ id, members: list }));
  const place = ([kind, index, ...rest]: readonly (string | number)[]) =>
    kind === 'people' ? `line ${Number(index) + 2}, ${rest.join('.')}` : 'the column groups';
  return { directory: { people, groups }, place };
}

// Spreadsheets write ";" where the comma is the decimal sign. No name of a column holds any of these.
function delimiterOf(content: string): string {
  const header = content.slice(0, content.search(/[\r\n]|$/));
  const uses = (delimiter: string) => header.split(delimiter).length;
  return [',', ';', '\t'].reduce((best, delimiter) => (uses(delimiter) > uses(best) ? delimiter : best));
}

function readRows(content: string, delimiter: string): Record<string, string>[] {
  try {
    return parse(content, { delimiter, columns: readHeader, skip_empty_lines: true, trim: true });
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    throw new UsageError(`the directory file is not valid CSV: ${(cause as Error).message}`, { cause });
  }
}

// Checked also where no row follows: any text of one line would be a directory that nobody is in.
function readHeader(header: readonly string[]): string[] {
  const columns = header.map((name) => name.trim().toLowerCase());
  if (!columns.includes('email') || columns.some((column) => !CSV_COLUMNS.includes(column))) {
    throw new UsageError(
      `the directory file is neither JSON like ${SHAPE} nor CSV: ` +
        `a CSV header must name columns of ${CSV_COLUMNS.join(', ')}, with email among them`,
    );
  }
  return columns;
}

function splitList(text: string | undefined, separator: RegExp): string[] {
  return (text ?? '')
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);
}

// Anything else stays as it is, and the check says where it stands.
function readBoolean(text: string): boolean | string {
  if (/^(true|yes|1)$/i.test(text)) return true;
  return /^(false|no|0)$/i.test(text) ? false : text;
}

function refuseDuplicates(keys: readonly string[], kind: string): void {
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice !== undefined) throw new UsageError(`the directory file names the ${kind} ${twice} twice; keep one`);
}
