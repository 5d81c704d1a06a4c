// How sensitive a document is, whose it is and when it holds, derived from what it says about itself and where it lies.
import type { AccessLevel } from '../retrieval/model.ts';
import { effectiveDates, plainKey } from './tagger-dates.ts';
import { type Department, departmentById, departmentNamed, placesOf, wordsOf } from './tagger-departments.ts';
import {
  type Finding,
  higherLevel,
  levelLabelled,
  levelNamed,
  numberFindings,
  textMarkings,
  titleFindings,
} from './tagger-markings.ts';

/** What the tagger reads. */
export interface TaggerInput {
  readonly uri: string;
  readonly title: string;
  readonly text: string;
  /** Front matter or file properties, keys in lower case. */
  readonly properties: Readonly<Record<string, string>>;
  /** Labels of the source. */
  readonly labels?: readonly string[];
}

/** What the tagger says. */
export interface Tags {
  /** An id of the table of departments, or the slug of one that is not in it. */
  readonly department: string | null;
  readonly accessLevel: AccessLevel;
  /** Why, in words for an admin. */
  readonly reasons: readonly string[];
  readonly effectiveFrom: Date | null;
  /** The first moment at which the document no longer holds. */
  readonly effectiveTo: Date | null;
}

// Keys without "_", "-", "." and spaces.
const LEVEL_KEYS = ['level', 'classification', 'sensitivity', 'confidentiality', 'securitylevel', 'dataclassification'];
const DEPARTMENT_KEYS = ['department', 'dept', 'abteilung', 'businessunit'];
// Not `tags` and `keywords`: those are topics, such as "public" on a page about transport.
const LABEL_KEYS = ['labels', 'label'];
/** A label names a department only in this form; "payroll" alone is what a page is about. */
const DEPARTMENT_LABEL = /^(?:department|dept|team|abteilung)[\s:=_-]+(.+)$/i;

/** A line at the head of a text without front matter, as letters and minutes have it. */
const DEPARTMENT_LINE =
  /^[*_]{0,2}(?:department|dept|abteilung)\b[*_]{0,2}\s*:[*_]{0,2}\s*([^\n*_]{2,60}?)[*_]{0,2}\s*$/gim;
const HEAD_CHARACTERS = 500;

/**
 * Department, access level and dates of a document. The level is what `access_level` says; without it the highest of the
 * other properties, the labels, folders, title, markings at the head or foot of the text, and persons' numbers in it;
 * without any of them `internal`. Only a property or a label makes it `public`. Never below the floor of any department
 * that its properties, folders or labels, or a line at its head, name.
 */
export function tagDocument(input: TaggerInput): Tags {
  const reasons: string[] = [];
  const departments = departmentsOf(input);
  const found = explicitLevel(input.properties) ?? highest(findingsOf(input));
  reasons.push(found.reason);
  let accessLevel = found.level;
  // Properties are the author's: a page in the folder of finance stays one of finance, whatever its front matter says.
  const strictest = departments.reduce<Department | undefined>(stricter, undefined);
  if (strictest && higherLevel(accessLevel, strictest.floor) !== accessLevel) {
    accessLevel = strictest.floor;
    reasons.push(`${strictest.id} is never below ${strictest.floor}: ${strictest.reason}`);
  }
  const { reasons: unreadable, ...dates } = effectiveDates(input.properties);
  const own = valuesOf(input.properties, DEPARTMENT_KEYS)[0];
  const department = strictest?.id ?? (own === undefined ? null : wordsOf(own).join('-') || null);
  return { department, accessLevel, reasons: [...reasons, ...unreadable], ...dates };
}

/** The lowest level that a document of the department may have: `public` where there is no floor. */
export function departmentFloor(department: string | null): AccessLevel {
  return (department === null ? undefined : departmentById(department)?.floor) ?? 'public';
}

/** `level`, or the department's floor where that is higher. */
export function applyFloor(level: AccessLevel, department: string | null): AccessLevel {
  return higherLevel(level, departmentFloor(department));
}

/** Departments that the document names, most telling first: its property, its folders from the innermost, its labels. */
function departmentsOf({ uri, text, properties, labels = [] }: TaggerInput): Department[] {
  const names = [
    ...valuesOf(properties, DEPARTMENT_KEYS),
    ...Array.from(text.slice(0, HEAD_CHARACTERS).matchAll(DEPARTMENT_LINE), ([, name]) => name ?? ''),
    ...placesOf(uri).folders.reverse(),
    ...[...labels, ...labelsIn(properties)].flatMap((label) => DEPARTMENT_LABEL.exec(label)?.[1] ?? []),
  ];
  return names.flatMap((name) => departmentNamed(name) ?? []);
}

/** The one with the higher floor; of equals the first. */
function stricter(best: Department | undefined, next: Department): Department {
  return best && higherLevel(best.floor, next.floor) === best.floor ? best : next;
}

/** An author's or admin's own word. What cannot be read is not guessed: nobody but those cleared for all reads it. */
function explicitLevel(properties: TaggerInput['properties']): Finding | undefined {
  const [value] = valuesOf(properties, ['accesslevel']);
  if (value === undefined) return undefined;
  const level = levelNamed(value);
  if (level) return { level, reason: `access_level is "${value}"` };
  return {
    level: 'restricted',
    reason: `access_level "${value}" is none of public, internal, confidential, restricted; restricted until it is corrected`,
  };
}

function findingsOf(input: TaggerInput): Finding[] {
  const { folders, name } = placesOf(input.uri);
  const findings: Finding[] = [];
  for (const value of valuesOf(input.properties, LEVEL_KEYS)) {
    const level = levelNamed(value);
    if (level) findings.push({ level, reason: `it is classified as "${value}"` });
  }
  for (const label of [...(input.labels ?? []), ...labelsIn(input.properties)]) {
    const level = levelLabelled(label);
    if (level) findings.push({ level, reason: `it is labelled "${label}"` });
  }
  for (const folder of folders) {
    const level = levelLabelled(folder) ?? wordsOf(folder).map(levelLabelled).find(isRaised);
    // A folder called "public" holds what is meant to be published, not what has been.
    if (level && isRaised(level)) findings.push({ level, reason: `it lies in "${folder}"` });
  }
  findings.push(...titleFindings(input.title), ...titleFindings(name));
  return [...findings, ...textMarkings(input.text), ...numberFindings(input.text)];
}

function isRaised(level: AccessLevel | undefined): boolean {
  return level === 'confidential' || level === 'restricted';
}

function highest(findings: readonly Finding[]): Finding {
  const [first, ...rest] = findings;
  if (!first) return { level: 'internal', reason: 'nothing says otherwise' };
  return rest.reduce((best, next) => (higherLevel(best.level, next.level) === best.level ? best : next), first);
}

function valuesOf(properties: TaggerInput['properties'], keys: readonly string[]): string[] {
  return Object.entries(properties).flatMap(([key, value]) =>
    keys.includes(plainKey(key)) && value.trim() !== '' ? [value.trim()] : [],
  );
}

function labelsIn(properties: TaggerInput['properties']): string[] {
  return valuesOf(properties, LABEL_KEYS)
    .flatMap((value) => value.split(/[,;]/))
    .map((label) => label.trim());
}
