// What stands after `ingest`: options first, then an address or a text, which is taken as it was typed.
import { UsageError } from '../retrieval/errors.ts';
import { ACCESS_LEVELS, type AccessLevel } from '../retrieval/model.ts';
import type { Readers } from './ports.ts';

/** What is to be added, and for whom. */
export type IngestCommand = { readonly readers: Readers | null } & (
  | { readonly url: string }
  | { readonly text: string }
);

/**
 * Reads the options `--allow`, `--require` and `--level`, which end with `--` or where something else begins, and what follows.
 * @throws UsageError for options that are unknown or want a value, for nothing at all, and for addresses of other schemes than
 * http and https.
 */
export function readIngestCommand(argument: string): IngestCommand {
  const { readers, rest } = readOptions(argument);
  // What parts the options from the text is no part of it; an indent of its first line is.
  const text = rest.replace(/^[ \t]*(?:\r?\n)?/, '');
  const words = text.trim();
  if (words === '')
    throw new UsageError('give an address or a text: ingest https://docs.example.com/page, or ingest <text>');
  if (/^[a-z][a-z\d+.-]*:\/\/\S+\s(?:.*\s)?(?:--|—|–)(?:allow|require|level)(?![\p{L}-])/isu.test(words))
    throw new UsageError(
      'options come before the address: ingest --allow verbatim:everyone https://docs.example.com/page',
    );
  if (!/^[a-z][a-z\d+.-]*:\S+$/i.test(words)) return { readers, text };
  if (!/^https?:\/\//i.test(words) || !URL.canParse(words)) {
    throw new UsageError(
      `"${words.slice(0, 100)}" is no address that is fetched; those begin with https:// or http://, and a text has more than one word`,
    );
  }
  return { readers, url: new URL(words).href };
}

const OPTIONS = ['allow', 'require', 'level'] as const;
const EXAMPLES = { allow: 'verbatim:everyone', require: 'verbatim:role:manager', level: 'internal' } as const;

function readOptions(argument: string): { readonly readers: Readers | null; readonly rest: string } {
  const given = { allow: [] as string[], require: [] as string[], level: [] as string[] };
  let rest = argument;
  for (;;) {
    const end = /^\s*--(?=\s|$)/.exec(rest);
    if (end) {
      rest = rest.slice(end[0].length);
      break;
    }
    // Phones make one long dash of two.
    const option = /^\s*(--|—|–)([\p{L}\d-]+)(?:=(\S*)|(?=\s|$))/u.exec(rest);
    const [all = '', dash, word = '', inline] = option ?? [];
    const name = OPTIONS.find((known) => known === word.toLowerCase());
    if (!option || (dash !== '--' && !name)) break;
    if (!name)
      throw new UsageError(
        `there is no option --${word}; there are --allow, --require and --level, and -- before a text that begins with dashes`,
      );
    rest = rest.slice(all.length);
    const following = inline === undefined ? /^\s+(\S+)/.exec(rest) : null;
    const value = inline ?? following?.[1] ?? '';
    if (value === '' || /^(?:--|—|–)/.test(value))
      throw new UsageError(`--${name} wants a value, such as --${name} ${EXAMPLES[name]}`);
    rest = rest.slice(following?.[0].length ?? 0);
    given[name].push(value);
  }
  const any = Object.values(given).some((values) => values.length > 0);
  const level = given.level.map(readLevel).at(-1) ?? null;
  return { readers: any ? { allow: given.allow, require: given.require, level } : null, rest };
}

function readLevel(value: string): AccessLevel {
  const level = ACCESS_LEVELS.find((candidate) => candidate === value.toLowerCase());
  if (!level) throw new UsageError(`"${value}" is no access level; the levels are ${ACCESS_LEVELS.join(', ')}`);
  return level;
}
