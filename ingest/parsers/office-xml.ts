// What the three office formats share: parts as trees, relationships, and the properties of the file.

import { decodeText } from '../decode-text.ts';
import { ParseError } from '../parsed-document.ts';
import { childElements, findElements, type MarkupElement, parseMarkup, rawText } from './markup-tree.ts';
import type { Archive } from './read-archive.ts';

/** The tree of a part, or null when the file has no such part. */
export function readPart(archive: Archive, name: string): MarkupElement | null {
  const bytes = archive.get(name);
  return bytes ? parseMarkup(decodeText(bytes, 'xml'), 'xml') : null;
}

/** The tree of a part that every file of the format has. @throws ParseError `corrupt` */
export function requirePart(archive: Archive, name: string): MarkupElement {
  const part = readPart(archive, name);
  if (!part) throw new ParseError('corrupt', `the file has no ${name}; save it again`);
  return part;
}

/** A relationship of a part: where it points and what it is (the last word of its type). */
export interface Relationship {
  readonly id: string;
  readonly type: string;
  /** The part's full name in the archive. */
  readonly target: string;
}

/** The relationships of a part, such as `ppt/slides/slide1.xml`, to other parts of the file. */
export function relationshipsOf(archive: Archive, part: string): Relationship[] {
  const at = part.lastIndexOf('/') + 1;
  const root = readPart(archive, `${part.slice(0, at)}_rels/${part.slice(at)}.rels`);
  if (!root) return [];
  return findElements(root, (element) => localName(element) === 'Relationship')
    .filter((element) => element.attributes.TargetMode !== 'External')
    .map(({ attributes }) => ({
      id: attributes.Id ?? '',
      type: (attributes.Type ?? '').split('/').at(-1) ?? '',
      target: resolveTarget(part.slice(0, at), attributes.Target ?? ''),
    }));
}

function resolveTarget(folder: string, target: string): string {
  const path = target.startsWith('/') ? target : `${folder}${target}`;
  const steps: string[] = [];
  for (const step of path.split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/** The name of an element without its namespace prefix, which writers choose. */
export function localName(element: MarkupElement): string {
  return element.name.slice(element.name.indexOf(':') + 1);
}

/** The child elements of this local name. */
export function childrenNamed(element: MarkupElement, name: string): MarkupElement[] {
  return childElements(element).filter((child) => localName(child) === name);
}

/** All elements below of this local name, in order. */
export function allNamed(element: MarkupElement, name: string): MarkupElement[] {
  return findElements(element, (found) => localName(found) === name);
}

/** The file's own properties (title, creator, created, modified, keywords, …) and its custom ones, as `custom.<name>`. */
export function officeProperties(archive: Archive): Record<string, string> {
  const properties: [string, string][] = [];
  const core = readPart(archive, 'docProps/core.xml');
  for (const element of core ? childElements(core).flatMap((root) => childElements(root)) : []) {
    properties.push([localName(element), rawText(element)]);
  }
  const custom = readPart(archive, 'docProps/custom.xml');
  for (const element of custom ? allNamed(custom, 'property') : []) {
    properties.push([`custom.${element.attributes.name ?? ''}`, rawText(element)]);
  }
  return Object.fromEntries(properties.filter(([, value]) => value.trim() !== ''));
}

// What programs write as a title when nobody gave one.
const PLACEHOLDER_TITLE =
  /^(?:\(.*\)|\S*_\S*|untitled.*|document\d*|presentation\d*|book\d*|powerpoint presentation|microsoft word - .*|.*\.(?:docx?|pptx?|xlsx?|indd|tex|dvi|pdf))$/i;

/** A title from a file's properties that somebody meant, else null. */
export function meantTitle(title: string | undefined): string | null {
  const text = title?.trim() ?? '';
  return text === '' || PLACEHOLDER_TITLE.test(text) ? null : text;
}
