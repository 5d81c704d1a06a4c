// Words and numbers that say how sensitive a document is. Careful on purpose: a page that speaks about confidential things is
// not confidential, and whatever is raised wrongly is an answer that nobody gets.
import { ACCESS_LEVELS, type AccessLevel } from '../retrieval/model.ts';
import { splitSentences } from '../retrieval/sentences.ts';
import { wordsOf } from './tagger-departments.ts';

/** A level and where it comes from, in words for an admin. */
export interface Finding {
  readonly level: AccessLevel;
  readonly reason: string;
}

/** The higher of two levels. */
export function higherLevel(one: AccessLevel, other: AccessLevel): AccessLevel {
  return ACCESS_LEVELS.indexOf(one) >= ACCESS_LEVELS.indexOf(other) ? one : other;
}

// Labels and property values. TLP: FIRST's Traffic Light Protocol 2.0.
const LEVEL_NAMES: ReadonlyMap<string, AccessLevel> = new Map(
  Object.entries({
    public: ['public', 'tlp clear', 'tlp white'],
    internal: ['internal', 'internal use only', 'internal only', 'for internal use', 'company', 'tlp green', 'intern'],
    confidential: [
      ...[
        'confidential',
        'company confidential',
        'private',
        'sensitive',
        'personal data',
        'pii',
        'tlp amber',
        'vertraulich',
      ],
    ],
    restricted: [
      ...[
        'restricted',
        'strictly confidential',
        'highly confidential',
        'most confidential',
        'secret',
        'top secret',
        'need to know',
      ],
      ...[
        'privileged',
        'legal privilege',
        'attorney client',
        'attorney client privileged',
        'privileged and confidential',
      ],
      ...['insider', 'inside information', 'tlp amber strict', 'tlp red', 'streng vertraulich', 'geheim'],
    ],
  } satisfies Record<AccessLevel, string[]>).flatMap(([level, names]) =>
    names.map((name) => [name, level as AccessLevel] as const),
  ),
);

// As labels and folders these say what a page is about, as a `classification` how it is to be treated.
const TOPICS = new Set(['secret', 'sensitive', 'personal data', 'pii', 'company']);

/** The level that a label or a folder names, such as `Strictly-Confidential`; else undefined. */
export function levelLabelled(name: string): AccessLevel | undefined {
  return TOPICS.has(wordsOf(name).join(' ')) ? undefined : levelNamed(name);
}

/** The level that the value of a property names; else undefined. */
export function levelNamed(name: string): AccessLevel | undefined {
  const words = wordsOf(name);
  return (
    LEVEL_NAMES.get(words.join(' ')) ?? LEVEL_NAMES.get(words.filter((word) => !LEVEL_PREFIXES.has(word)).join(' '))
  );
}

const LEVEL_PREFIXES = new Set(['classification', 'level', 'sensitivity', 'access', 'data', 'security']);

// A marking is words of this list and nothing else: "STRICTLY CONFIDENTIAL", "Privileged & confidential", "Nur intern".
const MARKING_WORDS = new Set(
  `strictly highly most company private privileged attorney client and & confidential internal communication work product
  information document for only use restricted secret top insider insiders list streng vertraulich geheim personal`.split(
    /\s+/,
  ),
);
const RESTRICTED_MARK =
  /\b(?:(?:strictly|highly|most)[\s-]+confidential|restricted|privileged|insiders?|top[\s-]secret|secret|streng vertraulich|geheim)\b/i;
const CONFIDENTIAL_MARK = /\b(?:confidential|vertraulich)\b/i;
const DO_NOT_SHARE = /^(?:please )?do not (?:distribute|forward|circulate|share|redistribute|copy or distribute)\b/i;
const LONGEST_MARKING_WORDS = 10;

/** The level that a phrase marks when it is a marking and nothing else; else undefined. */
function markedBy(phrase: string): AccessLevel | undefined {
  const words = wordsOf(phrase);
  if (words.length === 0 || words.length > LONGEST_MARKING_WORDS) return undefined;
  if (words.every((word) => MARKING_WORDS.has(word))) {
    if (RESTRICTED_MARK.test(phrase)) return 'restricted';
    if (CONFIDENTIAL_MARK.test(phrase)) return 'confidential';
  }
  return DO_NOT_SHARE.test(phrase.trim()) ? 'confidential' : undefined;
}

// What a title says a document is. Compounds only: "salary" or "budget" alone stands on pages that are for everybody.
const TITLE_TOPICS: readonly { readonly pattern: RegExp; readonly level: AccessLevel }[] = [
  { pattern: /\bboard (?:minutes|papers?|packs?|resolutions?)\b|\bminutes of the board\b/, level: 'restricted' },
  { pattern: /\blitigation holds?\b|\bsettlement agreements?\b/, level: 'restricted' },
  { pattern: /\b(?:layoff|redundancy|reduction in force) (?:plan|list)s?\b/, level: 'restricted' },
  { pattern: /\b(?:salary|pay|compensation) (?:bands?|ranges?|lists?|tables?|data)\b/, level: 'confidential' },
  {
    pattern: /\bpayroll (?:register|runs?|reports?|data|list)\b|\bcap(?:italisation|italization)? table\b/,
    level: 'confidential',
  },
  {
    pattern: /\b(?:penetration|pen) ?tests?\b|\bpentests?\b|\bvulnerability (?:report|assessment)s?\b/,
    level: 'confidential',
  },
  {
    pattern: /\b(?:disciplinary|grievance) (?:record|hearing|report|case)s?\b|\bseverance agreements?\b/,
    level: 'confidential',
  },
];

/** What a title or a file's name says: a marking set apart by brackets or a dash, or a kind of document. */
export function titleFindings(title: string): Finding[] {
  const findings: Finding[] = [];
  const parts = title.split(/[[\](){}:|–—]|\s-+\s|^-|_/).filter((part) => wordsOf(part).length > 0);
  // A title that is nothing but the words is about them ("Top secret").
  for (const part of parts.length > 1 ? parts : []) {
    const level = markedBy(part);
    if (level) findings.push({ level, reason: `the title is marked "${part.trim()}"` });
  }
  const words = wordsOf(title).join(' ');
  for (const { pattern, level } of TITLE_TOPICS) {
    const topic = pattern.exec(words)?.[0];
    if (topic) findings.push({ level, reason: `the title says "${topic}"` });
  }
  return findings;
}

// A marking stands at the head or the foot of a document; further in, it is an example or a quotation.
const HEAD_CHARS = 1200;
const FOOT_CHARS = 300;

/** Markings in the text: a sentence or line at its head or foot that is a marking and nothing else. */
export function textMarkings(text: string): Finding[] {
  const parts = text.length <= HEAD_CHARS + FOOT_CHARS ? [text] : [text.slice(0, HEAD_CHARS), text.slice(-FOOT_CHARS)];
  return parts.flatMap((part) =>
    splitSentences(part).flatMap(({ start, end }) =>
      part
        .slice(start, end)
        .split('\n')
        .flatMap((line) => {
          // In a heading, a list or a table it is a term that is explained.
          const level = /^\s*(?:[#|>*+-]|\d+[.)])/.test(line) ? undefined : markedBy(line);
          return level ? [{ level, reason: `the text is marked "${line.trim()}"` }] : [];
        }),
    ),
  );
}

// Three of a kind are a list of persons; one may be an example. A labelled one is a person's.
const NUMBERS_OF_A_LIST = 3;
const SOCIAL_SECURITY = /(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/g;
const LABELLED_SOCIAL_SECURITY =
  /\b(?:ssn|social security (?:number|no\.?)):?\s{0,3}(?!000|666|9|123-45-6789)\d{3}-(?!00)\d{2}-(?!0000)\d{4}\b/i;
const CARD = /(?<![\d-])[3-6]\d{3}(?:[ -]?\d{4}){2}[ -]?\d{3,4}(?![\d-])/g;
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b/g;

/** Numbers of persons in the text: national insurance and payment cards make it restricted, bank accounts confidential. */
export function numberFindings(text: string): Finding[] {
  const findings: Finding[] = [];
  const socialSecurity = distinct(text, SOCIAL_SECURITY).length;
  if (socialSecurity >= NUMBERS_OF_A_LIST || LABELLED_SOCIAL_SECURITY.test(text)) {
    findings.push({ level: 'restricted', reason: 'the text has social security numbers' });
  }
  // One number in ten passes the check digit by chance: serial numbers are told from cards by how many pass.
  const cards = distinct(text, CARD);
  const valid = cards.filter(passesLuhn).length;
  if (valid >= NUMBERS_OF_A_LIST && valid * 2 > cards.length) {
    findings.push({ level: 'restricted', reason: `the text has ${valid} payment card numbers` });
  }
  const accounts = distinct(text, IBAN).filter(passesIban).length;
  if (accounts >= NUMBERS_OF_A_LIST)
    findings.push({ level: 'confidential', reason: `the text has ${accounts} bank accounts` });
  return findings;
}

function distinct(text: string, pattern: RegExp): string[] {
  return [...new Set([...text.matchAll(pattern)].map(([match]) => match.replace(/[ -]/g, '')))];
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index]) * (index % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

/** ISO 13616: the country and check digits moved to the end, letters as 10 to 35, modulo 97. */
function passesIban(iban: string): boolean {
  let rest = 0;
  for (const sign of iban.slice(4) + iban.slice(0, 4)) {
    for (const digit of String(Number.parseInt(sign, 36))) rest = (rest * 10 + Number(digit)) % 97;
  }
  return rest === 1;
}
