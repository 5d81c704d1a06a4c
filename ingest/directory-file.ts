// People and groups as an admin hands them over: JSON, or CSV with a header.
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
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
      .default([]),
    groups: z
      .array(z.object({ id: groupId, name: z.string().default(''), members: z.array(member).default([]) }).strict())
      .default([]),
    channels: z.array(channel).optional(),
  })
  .strict();

/**
 * Reads a directory file; which format it is shows in its first character.
 * @throws UsageError naming every fault and where it is. Nothing is half read.
 */
export function readDirectoryFile(text: string): Directory {
  const content = text.replace(/^\uFEFF/, '').trim();
  if (content === '') throw new UsageError('the directory file is empty; it needs at least a header or {"people": []}');
  const input = content.startsWith('{') ? parseJson(content) : parseCsv(content);
  const result = jsonDirectory.safeParse(input.directory);
  if (!result.success) {
    const faults = result.error.issues.map((issue) => `${input.place(issue.path)}: ${issue.message}`);
    throw new UsageError(`the directory file has ${faults.length} fault(s):\n  ${faults.slice(0, 20).join('\n  ')}`);
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
  const rows = readRows(content);
  const unknown = Object.keys(rows[0] ?? {}).filter((column) => !CSV_COLUMNS.includes(column));
  if (unknown.length > 0 || (rows[0] && !('email' in rows[0]))) {
    throw new UsageError(`the CSV header must name columns of ${CSV_COLUMNS.join(', ')}, with email among them`);
  }
  const members = new Map<string, string[]>();
  const people = rows.map((row) => {
    for (const id of splitList(row.groups)) members.set(id, [...(members.get(id) ?? []), row.email ?? '']);
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

function readRows(content: string): Record<string, string>[] {
  try {
    return parse(content, {
      columns: (header: string[]) => header.map((name) => name.trim().toLowerCase()),
      skip_empty_lines: true,
      trim: true,
    });
  } catch (cause) {
    throw new UsageError(`the directory file is not valid CSV: ${(cause as Error).message}`, { cause });
  }
}

function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .split(';')
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
