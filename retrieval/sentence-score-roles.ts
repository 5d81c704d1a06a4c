// Whether a sentence says who holds a role, or only mentions the role.
import { MONTHS, WEEKDAYS } from './calendar-words.ts';
import type { ReadSentence, Standing } from './sentence-score.ts';
import { termsOf } from './sentence-score-terms.ts';

/** The role, and what it is a role of, in "Who is the owner of the payroll?" */
const WHO_IS =
  /\bwho(?:['’]s| is| are| was| were) (?:currently )?(?:the|our|my|your) (?:(?:current|new|acting) )?([\p{L}-]+(?: [\p{L}-]+){0,4}?)(?: (?:of|for) ([^,?.!]+)|(?=\s+(?:in|at|on|to|from|by|with|that|who|when|if|and)\b|\s*[?.!,]|\s*$))/iu;

const ARTICLE = '(?:[Tt]he|[Aa]n?|[Oo]ur|[Yy]our|[Mm]y|[Ii]ts|[Tt]heir|[Ee]very|[Ee]ach)';
const BE = '(?:is|are|was|were|will be|becomes?|became)';
/** A capitalised word that is no day or month. */
const NAME = String.raw`(?!${WEEKDAYS}|${MONTHS})\p{Lu}[\p{L}.’'-]+`;

/** The words of a role in any case, in singular and plural, as a pattern. */
function patternOf(role: string): string {
  const anyCase = (word: string) =>
    [...word].map((letter) => (letter === '-' ? '[ -]' : `[${letter.toLowerCase()}${letter.toUpperCase()}]`)).join('');
  return `${role.replace(/s$/, '').split(' ').map(anyCase).join('[ -]')}s?`;
}

/** What says who holds a role, beside the role itself. */
function sayingForms(role: string): RegExp[] {
  const held = String.raw`(?<![\p{L}-])${role}(?![\p{L}-])(?: (?:of|for|in|at|on|to|from|with)(?: [\p{L}\p{N}’'.-]+){1,5}?)?`;
  return [
    // "Officer: Ann Lee", "| Officer | Ann Lee", "the officer (Ann Lee)", "the officer, Ann Lee", "officer Ann Lee"
    String.raw`${held}\s*(?:[:|(=–]| - )`,
    String.raw`[:|] *${role}(?![\p{L}-])`,
    `${held},? ${NAME}`,
    // "The officer is the head of IT", "… is Ann Lee", "… was played by Ann Lee"
    String.raw`${held} ${BE} (?:also |always )?(?:${ARTICLE} |whoever |(?:\p{Ll}+ ){0,4}${NAME})`,
    // "Ann Lee is our officer", "acts as officer", "Ann Lee, the officer", "Ann Lee (officer"
    String.raw`(?:${BE}|as) (?:also |currently )?(?:${ARTICLE} )?(?:\p{Ll}+ )?${role}(?![\p{L}-])`,
    String.raw`${NAME}(?:,| \(| –) ?(?:${ARTICLE} )?${role}(?![\p{L}-])`,
  ].map((form) => new RegExp(form, 'u'));
}

/** Whether a sentence has the role of something else only: "the owner of Medico" when the owner of Rostra is asked for. */
function isOfAnother(text: string, role: string, of: ReadonlySet<string>): boolean {
  const parts = [
    ...text.matchAll(new RegExp(String.raw`(?<![\p{L}-])${role} (?:of|for)((?: [\p{L}\p{N}’'-]+){1,4})`, 'gu')),
  ];
  return (
    of.size > 0 && parts.length > 0 && !parts.some(([, other = '']) => termsOf(other).some((term) => of.has(term)))
  );
}

/**
 * How sentences stand to the role whose holder a question asks for ("Who is the fire safety officer?"). One that has the role
 * beside a name or a predicate, as the name of a value or in its heading says who it is. One that only mentions it, as in
 * "report it to the fire safety officer", misses, and so does one that has the role of something else only.
 */
export function standingToRole(question: string): (sentence: ReadSentence) => Standing {
  const [, asked, complement = ''] = WHO_IS.exec(question) ?? [];
  if (asked === undefined) return () => 'silent';
  const role = patternOf(asked);
  const of = new Set(termsOf(complement));
  const forms = sayingForms(role);
  const mentions = new RegExp(String.raw`(?<!\p{L})${ARTICLE} ${role}(?![\p{L}-])`, 'u');
  const heading = new RegExp(`^${role}$`, 'u');
  return ({ text, chunk }) => {
    if (heading.test(chunk.headingPath.at(-1) ?? chunk.title)) return 'covers';
    if (isOfAnother(text, role, of)) return 'misses';
    if (forms.some((form) => form.test(text))) return 'covers';
    return mentions.test(text) ? 'misses' : 'silent';
  };
}
