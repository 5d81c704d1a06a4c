// What kind of question it is, told from its words alone: the searches are blended by it, and the log counts by it.

/** Kinds of questions: asking for a fact, a judgement, what to do, or what is allowed. */
export const ROUTES = ['factual', 'analytical', 'operational', 'compliance'] as const;
export type Route = (typeof ROUTES)[number];

// The first that matches decides: what one may do outranks how it is done, and that outranks why. Alternations of words
// without nested repetition, so that the time is linear in the question's length: 4,000 characters take less than 1 ms.
const PATTERNS: readonly (readonly [Route, RegExp])[] = [
  // Whether one may, whether one must, and whose leave it takes.
  [
    'compliance',
    /^\W*(?:(?:may|must) (?:an?|any|anyone|anybody|every|everyone|everybody|each|all|both|the|my|our|your|their|you|they|he|she|people|staff|employees|managers|interns|contractors|visitors|guests|customers|suppliers)|(?:do|does) (?:[a-z]+ ){1,3}(?:need|have) to|(?:is|are) (?:[a-z]+ ){1,4}(?:needed|required|obligatory))\b/i,
  ],
  [
    'compliance',
    /\b(?:(?:needs?|requires?|required|without|prior|written|whose) (?:[a-z]+ ){0,2}(?:approval|permission|authori[sz]ation|clearance|permit|licen[cs]e))\b/i,
  ],
  [
    'compliance',
    /\b(?:allowed|permitted|permissible|prohibited|forbidden|mandatory|obligat(?:ion|ory|ed)|required to|may (?:i|we|one|employees)|must (?:i|we|one|employees)|compl(?:y|iance|iant)|regulat(?:ion|ions|ory)|polic(?:y|ies)|gdpr|hipaa|sox|soc ?2|iso ?\d{4,5}|data protection|personal data|retention|confidential(?:ity)?|audit(?:s|ed|or|ors)?|legal(?:ly)?|law|laws|liab(?:le|ility)|consent|sign[- ]?off|code of conduct|conflicts? of interest|who (?:must |has to |needs to )?approves?)\b/i,
  ],
  // When something was, how many there are: a number, a date or a name is asked for, whatever it is of.
  [
    'factual',
    /^\W*(?:how (?:many|much|old|tall|large|big|long|far) |(?:when|where|who) (?:was|were|is|are|did|does|has) )(?!.*\b(?:why|how (?:do|does|did|is|are)|compar|differ|versus|trend|change[ds]? (?:since|over|between)))/i,
  ],
  [
    'operational',
    /\b(?:how (?:do|can|should|would) (?:i|we|you|one)|how to|steps?|procedures?|process for|instructions?|runbooks?|set(?:ting)? up|install(?:ing|ation)?|configur(?:e|ing)|deploy(?:ing)?|restart(?:ing)?|reset(?:ting)?|rotat(?:e|ing)|troubleshoot(?:ing)?|fix(?:ing)?|resolv(?:e|ing)|roll ?back|escalat(?:e|ion)|error|fails?|failing|broken|what (?:do|should) (?:i|we) do|where do (?:i|we) (?:go|find|get)|request(?:ing)? (?:a|an|access))\b/i,
  ],
  [
    'analytical',
    /\b(?:why|compar(?:e|ed|ing|ison)|differ(?:s|ence|ences|ent from)|versus|vs|trade-?offs?|pros and cons|advantages?|disadvantages?|impacts?|effects? of|affects?|influences?|caus(?:e|es|ed)|reasons?|trends?|chang(?:e|ed|es) (?:since|over|between)|relationship|correlat(?:e|es|ion)|associated with|summari[sz]e|overview|explain|better|best way|how (?:does|did|has|have|is|are))\b/i,
  ],
  // Asks for leave, unless it is about how something is done ("Can I reset it myself?").
  [
    'compliance',
    /^\W*(?:can|could) (?:i|we|one|anyone|anybody|everyone|staff|people|(?:an? |any |our |my )?(?:employee|colleague|manager|intern|contractor|visitor|guest)s?)\b/i,
  ],
];

// "The law firm" and "the audit team" are names of somebody, and no question of what is allowed.
const NAMED_AFTER_RULES =
  /\b(?:law|legal|compliance|audit|regulatory|policy|data protection|privacy) (?:firms?|teams?|departments?|offices?|officers?|committees?|counsel|heads?|leads?|managers?|schools?|degrees?|groups?|meetings?)\b|\bhead of (?:legal|law|compliance|audit|policy)\b/gi;

/** The kind of a question; `factual` where nothing says otherwise. */
export function routeQuestion(question: string): Route {
  const asked = question.replace(NAMED_AFTER_RULES, ' ');
  return PATTERNS.find(([, pattern]) => pattern.test(asked))?.[0] ?? 'factual';
}
