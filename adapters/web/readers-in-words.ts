import { ROLES } from '../../retrieval/model.ts';
import { ROLE_NAMES } from './words.ts';

/**
 * An ACL as `DocumentSummary.readers` states it, `(a or b) and (c) not d`, as a sentence: who must be what. What is not of
 * that form is given back as it is.
 */
export function readersInWords(readers: string): string {
  const parts = /^\((.*)\)(?: not (.*))?$/s.exec(readers);
  if (!parts) return readers;
  const layers = [...new Set((parts[1] ?? '').split(') and (').map(layerInWords))];
  const denied = parts[2]?.split(', ').map(principalInWords) ?? [];
  return `${layers.join(', and ')}${denied.length > 0 ? `; never ${denied.join(', ')}` : ''}`;
}

function layerInWords(layer: string): string {
  const principals = layer.split(' or ');
  const roles = ROLES.filter((role) => principals.includes(`verbatim:role:${role}`));
  const lowest = roles[0];
  // A level asks for a role and all above it.
  const isLevel = lowest !== undefined && roles.length === ROLES.length - ROLES.indexOf(lowest) && roles.length > 1;
  if (!isLevel) return principals.map(principalInWords).join(' or ');
  const others = principals.filter((principal) => !principal.startsWith('verbatim:role:')).map(principalInWords);
  return [...others, `role ${ROLE_NAMES[lowest]} or above`].join(' or ');
}

function principalInWords(principal: string): string {
  if (principal === 'verbatim:everyone') return 'every member';
  const [, kind, name] = /^verbatim:(user|group|role):(.+)$/.exec(principal) ?? [];
  if (kind === undefined || name === undefined) return principal;
  return kind === 'user' ? name : `${kind} ${name}`;
}
