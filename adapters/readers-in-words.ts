import { ROLES } from '../retrieval/model.ts';
import type { DocumentSummary } from './ports.ts';
import { ROLE_NAMES } from './wording.ts';

/**
 * Who may read a document, as a part of a sentence: what stands in `readers` as `(a or b) and (c) not d`. One layer says who, such
 * as "every member or group Finance"; of several each must hold, as in "who is both a member and in group Editors". Empty for a
 * document that nobody may read yet; what is not of that form is given back as it is.
 */
export function readersInWords({ readers, groupNames }: Pick<DocumentSummary, 'readers' | 'groupNames'>): string {
  const parts = /^\((.*)\)(?: not (.*))?$/s.exec(readers);
  if (!parts) return readers;
  const layers = [...new Set(parts[1]?.split(') and ('))].map((layer) => readLayer(layer, groupNames));
  const denied = parts[2]?.split(', ').map((principal) => principalInWords(principal, groupNames).one) ?? [];
  return `${together(layers)}${denied.length > 0 ? `; never ${denied.join(', ')}` : ''}`;
}

/** One principal, as whoever reads and as what must be true of whoever reads. */
interface Words {
  readonly one: string;
  readonly is: string;
}

function together(layers: readonly (readonly Words[])[]): string {
  const [only] = layers;
  if (layers.length === 1) return only?.map(({ one }) => one).join(' or ') ?? '';
  const conditions = layers.map((words) => {
    const any = words.map(({ is }) => is).join(' or ');
    return words.length > 1 ? `(${any})` : any;
  });
  return `who is ${conditions.length === 2 ? 'both' : 'all of'} ${listed(conditions)}`;
}

function listed(texts: readonly string[]): string {
  return `${texts.slice(0, -1).join(', ')} and ${texts.at(-1)}`;
}

function readLayer(layer: string, groupNames: Readonly<Record<string, string>>): Words[] {
  const principals = layer.split(' or ');
  const roles = ROLES.filter((role) => principals.includes(`verbatim:role:${role}`));
  const lowest = roles[0];
  // A level asks for a role and all above it.
  const isLevel = lowest !== undefined && roles.length === ROLES.length - ROLES.indexOf(lowest) && roles.length > 1;
  const named = isLevel ? principals.filter((principal) => !principal.startsWith('verbatim:role:')) : principals;
  const words = named.map((principal) => principalInWords(principal, groupNames));
  if (!isLevel) return words;
  const level = `${ROLE_NAMES[lowest]} or above`;
  return [...words, { one: `role ${level}`, is: `of role ${level}` }];
}

function principalInWords(principal: string, groupNames: Readonly<Record<string, string>>): Words {
  if (principal === 'verbatim:everyone') return { one: 'every member', is: 'a member' };
  const name = Object.hasOwn(groupNames, principal) ? groupNames[principal] : undefined;
  if (name) return { one: `group ${name}`, is: `in group ${name}` };
  const [, kind, id] = /^verbatim:(user|group|role):(.+)$/.exec(principal) ?? [];
  if (kind === undefined || id === undefined) return { one: principal, is: principal };
  if (kind === 'user') return { one: id, is: id };
  const role = ROLES.find((each) => kind === 'role' && each === id);
  const shown = `${kind} ${role ? ROLE_NAMES[role] : id}`;
  return { one: shown, is: `${kind === 'group' ? 'in' : 'of'} ${shown}` };
}
