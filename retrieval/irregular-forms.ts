// English words whose forms no stemmer brings together: who asks about a lost laptop finds what to do when one loses it.

/**
 * Forms of one word each. Left out are forms that are words of their own, more often meant (`left`, `saw`, `ground`, `felt`,
 * `bound`, `rose`), and what every stemmer unites.
 */
const FORMS = `
  lose lost; buy bought; pay paid; send sent; spend spent; build built; rebuild rebuilt; lend lent; bring brought; think thought;
  teach taught; catch caught; sell sold; tell told; hold held; withhold withheld; keep kept; sleep slept; meet met;
  choose chose chosen; speak spoke spoken; write wrote written; drive drove driven; ride rode ridden; take took taken;
  mistake mistook mistaken; undertake undertook undertaken; give gave given; forgive forgave forgiven; get got gotten;
  know knew known; grow grew grown; throw threw thrown; begin began begun; break broke broken; steal stole stolen;
  forget forgot forgotten; hide hid hidden; eat ate eaten; fall fell fallen; go went gone; make made; say said; see seen;
  come came; become became; overcome overcame; run ran; win won; lead led; feed fed; understand understood;
  withdraw withdrew withdrawn; undergo underwent undergone; mean meant; deal dealt; seek sought; fight fought;
  freeze froze frozen; wear wore worn; tear tore torn; swear swore sworn; shake shook shaken; stick stuck; hang hung;
  shoot shot; sit sat; swim swam swum; sing sang sung; drink drank drunk; sink sank sunk; shrink shrank shrunk;
  fly flew flown; draw drew drawn; blow blew blown; bite bit bitten; rise risen; arise arose arisen; wake woke woken;
  sweep swept; weep wept; breed bred; bleed bled; flee fled; slide slid; spin spun; swing swung; sting stung; cling clung;
  oversee oversaw overseen; override overrode overridden; rewrite rewrote rewritten; retake retook retaken; repay repaid;
  resell resold; overpay overpaid; underpay underpaid; prepay prepaid; mislead misled; misunderstand misunderstood;
  child children; man men; woman women; foot feet; tooth teeth; mouse mice; criterion criteria; phenomenon phenomena;
  wife wives; shelf shelves; knife knives`;

const GROUPS: ReadonlyMap<string, readonly string[]> = new Map(
  FORMS.split(';').flatMap((line) => {
    const forms = line.trim().split(/\s+/);
    return forms.map((form) => [form, forms] as const);
  }),
);

/** All forms of a lower-case word, itself included; only itself where the forms are regular or the word is unknown. */
export function formsOf(word: string): readonly string[] {
  return GROUPS.get(word) ?? [word];
}

/** Forms that begin with another letter than their base form: `went`. Of all other words the stem begins as the word does. */
export const OTHER_INITIALS: ReadonlySet<string> = new Set(
  [...GROUPS].flatMap(([form, [base = '']]) => (form.charAt(0) === base.charAt(0) ? [] : [form])),
);

/** The form that stands for all of them: `lose` for `lost`. */
export function baseForm(word: string): string {
  return GROUPS.get(word)?.[0] ?? word;
}
