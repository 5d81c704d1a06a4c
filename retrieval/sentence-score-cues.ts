// What kind of thing a question asks for, and whether a sentence has a thing of that kind.
import { MONTHS, WEEKDAYS } from './calendar-words.ts';

/** `none`: the question's form says nothing about its answer. */
export type AnswerKind = 'time' | 'amount' | 'person' | 'place' | 'reason' | 'steps' | 'definition' | 'yes_no' | 'none';

/** Of patterns that fit in one place the first decides; so `how long` and `how many` stand before `how`, and `what time` before `what`. */
const QUESTION_FORMS: readonly (readonly [AnswerKind, RegExp])[] = [
  [
    'time',
    /\b(?:when|(?:what|which) (?:year|date|day|month|time|quarter)|how (?:long|often|soon|early|late|old)|deadline|until when)\b/,
  ],
  [
    'amount',
    /\b(?:how (?:many|much|big|large|far|high|fast|tall)|(?:what|which) (?:percentage|percent|number|amount|price|cost|rate|version)|what(?:'s| is| are) the (?:\w+ ){0,3}(?:cost|price|number|amount|limit|rate|budget|percentage|maximum|minimum|size|population|salary))\b/,
  ],
  [
    'person',
    /\b(?:who|whom|whose|(?:what|which) (?:person|team|department|company|group|role|actor|singer|band|author|manager|owner))\b/,
  ],
  [
    'place',
    /\b(?:where|(?:what|which) (?:country|city|state|place|location|page|folder|channel|office|region|system|tool))\b/,
  ],
  ['reason', /\b(?:why|what (?:is |are |was |were )?the reasons?|reasons? (?:for|why)|what causes?|how come)\b/],
  [
    'steps',
    /\bhow (?:do|does|can|could|should|would|to|am|are|is|must|did|will)\b|\bsteps?\b|\bprocess (?:for|to|of)\b/,
  ],
  [
    'definition',
    /\b(?:what(?:'s| is| are| was| were| does .{1,60} mean)|define|definition|meaning of|difference between)\b/,
  ],
  ['yes_no', /^\s*(?:is|are|was|were|am|can|could|do|does|did|may|should|must|will|would|has|have|had)\b/],
];

/** The kind of answer that a question's form asks for; of several forms the first in the text, and `yes_no` only alone. */
export function answerKindOf(question: string): AnswerKind {
  // A pasted question is shorter than this; the bound keeps the patterns' work small.
  const text = question.slice(0, 2_000).toLowerCase().replaceAll('’', "'");
  let found: AnswerKind = 'none';
  let earliest = text.length + 1;
  for (const [kind, form] of QUESTION_FORMS) {
    const index: number = kind === 'yes_no' && found !== 'none' ? -1 : text.search(form);
    if (index >= 0 && index < earliest) [found, earliest] = [kind, index];
  }
  return found;
}

/** A plural has a verb or a pronoun behind it: "which tablets are", "what documents do I". */
const ASKS_FOR_SEVERAL =
  /^\W*(?:please )?(?:list|enumerate|name)\b|\b(?:which|what) (?:\p{L}+ )?(?:\p{L}{2,}[^s\W]s|equipment|hardware|software|people|staff) (?:is|are|was|were|do|does|did|have|has|can|may|must|should|will)\b|\ball\b/iu;

/** Whether a question asks for all of several things ("Which tablets …?", "List the …"), of which one is not the answer. */
export function asksForSeveral(question: string): boolean {
  return ASKS_FOR_SEVERAL.test(question);
}

const MONTH_OR_DAY = new RegExp(String.raw`\b(?:${MONTHS}|${WEEKDAYS})\b`);
const TIME_WORD =
  /\b(?:(?:1[0-9]|20)\d\d|\d{1,2}(?::\d\d| ?[ap]\.?m)|seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|annual(?:ly)?|daily|weekly|monthly|quarterly|yearly|century|immediately|before|after|until|by the end)\b/i;
const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|dozen|hundred|thousand|million|billion|half|twice|unlimited)\b/i;
/** A capitalised word that does not begin the sentence. */
const NAME_INSIDE = /[\p{L}\p{N},;:)] +(?:["'“‘(]? ?)\p{Lu}[\p{L}.]+/u;
const ROLE_OR_ADDRESS =
  /@|#\w|\b(?:team|manager|lead|director|officer|department|partner|owner|admin|ceo|cto|cfo|people|group|company)\b/i;
const PLACE_WORD =
  /https?:|\/\w|#\w|\b(?:in|at|on|from|near|under|via|through|located|page|folder|channel|portal|office)\b/i;
const REASON_WORD =
  /\b(?:because|due to|since|so that|in order to|therefore|as a result|reasons?|why|caused?|leads? to|allows?|helps?|ensures?|to (?:avoid|ensure|protect|prevent|make|keep|help))\b/i;
const STEP_WORD =
  /^(?:[-*•] |\d+[.)] )|\b(?:you (?:can|should|must|need|will)|should|must|please|click|select|open|go to|use|using|create|submit|contact|ask|add|send|by \w+ing|first|then|next|steps?|to \w+,)\b/i;
const DEFINITION_FORM = /\b(?:is|are|was|were|means?|refers? to|consists? of|defined|known as|called|includes?)\b/i;
const MODAL_WORD =
  /\b(?:must|may|can|cannot|can't|not|no|yes|never|always|required|allowed|permitted|prohibited|only|should|will|is|are|was|were|do|does|did)\b/i;

/** Whether a sentence holds something of the kind asked for: 1 or 0, and 0.5 when the question did not say. */
export function kindFit(kind: AnswerKind, sentence: string): number {
  const fits: Record<AnswerKind, boolean | null> = {
    time: MONTH_OR_DAY.test(sentence) || TIME_WORD.test(sentence),
    amount: NUMBER.test(sentence),
    person: NAME_INSIDE.test(sentence) || ROLE_OR_ADDRESS.test(sentence),
    place: PLACE_WORD.test(sentence),
    reason: REASON_WORD.test(sentence),
    steps: STEP_WORD.test(sentence),
    definition: DEFINITION_FORM.test(sentence),
    yes_no: MODAL_WORD.test(sentence),
    none: null,
  };
  const fit = fits[kind];
  return fit === null ? 0.5 : Number(fit);
}
