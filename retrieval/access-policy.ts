// The rules of access in words: what a principal may look like, and what a level and a role mean. The data of the rules
// (layers, ACLs, memberships) is in the database, and visible-acls.ts applies them.
import { UsageError } from './errors.ts';
import { ACCESS_LEVELS, type AccessLevel, type Principal, ROLES, type Role } from './model.ts';

/** Every member of the tenant; guests and external users do not hold it. */
export const EVERYONE: Principal = 'verbatim:everyone';

const NAMESPACES: Readonly<Record<string, readonly string[]>> = {
  verbatim: ['user', 'group', 'role'],
  confluence: ['user', 'group'],
  drive: ['user', 'group', 'domain'],
  slack: ['user', 'usergroup'],
  entra: ['user', 'group'],
};

// E-mails and domains are compared without regard to case; ids of a source are its own and keep theirs.
const LOWER_CASED = new Set(['verbatim:user', 'drive:user', 'drive:group', 'drive:domain', 'verbatim:role']);

const EXAMPLES = 'verbatim:everyone, verbatim:group:finance, verbatim:user:ann@example.com or verbatim:role:manager';

/**
 * Checks and normalises a principal as an admin or a source writes it.
 * @throws UsageError when the namespace, kind or role is unknown or the id is empty.
 */
export function parsePrincipal(text: string): Principal {
  const trimmed = text.trim();
  if (trimmed === EVERYONE) return EVERYONE;
  const [namespace = '', kind = '', ...rest] = trimmed.split(':');
  const id = rest.join(':');
  if (!NAMESPACES[namespace]?.includes(kind) || id === '' || /\s/.test(id)) {
    throw new UsageError(`"${text}" is not a principal; write it like ${EXAMPLES}`);
  }
  const prefix = `${namespace}:${kind}`;
  const principal = `${prefix}:${LOWER_CASED.has(prefix) ? id.toLowerCase() : id}`;
  if (prefix === 'verbatim:role' && !ROLES.includes(id.toLowerCase() as Role)) {
    throw new UsageError(`"${text}" names no role; the roles are ${ROLES.join(', ')}`);
  }
  if (prefix === 'verbatim:user' && !id.includes('@')) {
    throw new UsageError(`"${text}" must name a person by e-mail, like verbatim:user:ann@example.com`);
  }
  return principal;
}

/** @throws UsageError when `text` is none of the four levels. */
export function parseAccessLevel(text: string): AccessLevel {
  const level = ACCESS_LEVELS.find((candidate) => candidate === text.trim().toLowerCase());
  if (!level) throw new UsageError(`"${text}" is not an access level; the levels are ${ACCESS_LEVELS.join(', ')}`);
  return level;
}

/** The principals of `role` and of every role above it: what a role clears, the ones above it clear too. */
export function rolesFrom(role: Role): Principal[] {
  return ROLES.slice(ROLES.indexOf(role)).map((each) => `verbatim:role:${each}`);
}

/** A grant to a role is a grant to the roles above it; any other principal stands for itself. */
export function withHigherRoles(principals: readonly Principal[]): Principal[] {
  const expanded = principals.flatMap((principal) =>
    principal.startsWith('verbatim:role:') ? rolesFrom(principal.slice('verbatim:role:'.length) as Role) : [principal],
  );
  return [...new Set(expanded)].sort();
}

/**
 * Who clears a level by role, or null where the level asks for nothing beyond the document's own layers. `internal` is
 * every member's, so that a large channel can be answered from internal documents; guests do not clear it.
 */
export function levelPrincipals(level: AccessLevel): Principal[] | null {
  switch (level) {
    case 'public':
      return null;
    case 'internal':
      return [EVERYONE];
    case 'confidential':
      return rolesFrom('manager');
    case 'restricted':
      return rolesFrom('exec');
  }
}

/** Whether a principal names particular people (a user or a group), not a role or everyone. */
export function namesPeople(principal: Principal): boolean {
  return principal !== EVERYONE && !principal.startsWith('verbatim:role:') && !principal.startsWith('drive:domain:');
}
