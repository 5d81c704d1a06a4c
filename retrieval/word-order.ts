// Whether a sentence has the words of a statement in the statement's order: "A reports to B" is not "B reports to A".
import { stem } from './sentence-score-stem.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/).map(stem));

/** What an answer may say of its source without the source saying it. */
const OF_THE_SOURCE = words(
  `policy document page section handbook guide text source according state say describe mention note follow mean apply provide
  give answer information detail`,
);

/** They may come and go. Whether something must, may, or holds for all is looked at apart from the order. */
const FILLING = words(
  `a an the this these those is are was were be been being am do does did have has had having will would can could may might
  must shall should you your we us our ours i me my they them their it its he him his she her each every all any always`,
);

/** They say how what stands around them belongs together, so what they join cannot be left out in the middle. */
const JOINING = words(
  `of in on at by to from for with without as into onto per about against between among during through via towards under over
  above below beyond after before until till since within upon and or but nor so yet plus who whom whose which that if when
  while where whereas because although though unless except than then not no never only instead`,
);

// A word with what is inside it (`err-4021`, `1,200`), a currency or another sign that changes a number, or a border of clauses.
const TOKEN =
  /[\p{L}\p{M}\p{N}]+(?:[.,:/’'_@-][\p{L}\p{M}\p{N}]+)*|[\p{Sc}%‰°§±<>≤≥]|(?<!\S)[-−](?=\p{N})|[,;:.!?()[\]|–—]/gu;
const IS_BORDER = /^[,;:.!?()[\]|–—]$/;

/** The words that count, in order, in the form in which they are compared; with `borders` the marks between clauses as well. */
export function orderedWords(text: string, { borders = false } = {}): string[] {
  const plain = text.replace(/\bcan(?:not|['’]t)\b/gi, 'can not').replace(/n['’]t\b/gi, ' not');
  return (plain.match(TOKEN) ?? [])
    .map((token) => (IS_BORDER.test(token) ? token : stem(token.toLowerCase())))
    .filter((token) => (borders || !IS_BORDER.test(token)) && !FILLING.has(token) && !OF_THE_SOURCE.has(token));
}

/** Whether a word joins others and says nothing of its own. */
export function isJoining(word: string): boolean {
  return JOINING.has(word);
}

/**
 * What may be left out between two words: nothing (`none`), words that only describe (`describing`: "30 days of [paid] leave"),
 * or whatever stands there (`any`). What stands before the first and behind the last may always be left out.
 */
export type Gaps = 'none' | 'describing' | 'any';

/** Whether `said` is in `stated` in this order. Marks of `stated` count as borders; `said` has none. */
export function inOrder(said: readonly string[], stated: readonly string[], gaps: Gaps): boolean {
  return said.length === 0 || stated.some((word, start) => word === said[0] && goesOn(said, stated.slice(start), gaps));
}

function goesOn(said: readonly string[], stated: readonly string[], gaps: Gaps): boolean {
  let at = 0;
  for (const word of said.slice(1)) {
    const next = stated.indexOf(word, at + 1);
    if (next < 0 || !mayLeaveOut(stated.slice(at + 1, next), gaps)) return false;
    at = next;
  }
  return true;
}

function mayLeaveOut(gap: readonly string[], gaps: Gaps): boolean {
  if (gaps === 'any' || gap.every((word) => IS_BORDER.test(word))) return true;
  return gaps === 'describing' && !gap.some((word) => IS_BORDER.test(word) || JOINING.has(word));
}

const NUMBER_WORD =
  /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty.*|hundred|thousand|million|half|quarter|third|twice|double)$/i;
// Of what begins a sentence, an item or a cell, a capital says nothing.
const NAME = /(?<=[\p{L}\p{N},;’'")%] +["“(]?)\p{Lu}[\p{L}\p{M}\p{N}-]*(?: +\p{Lu}[\p{L}\p{M}\p{N}-]*)*/gu;

/** Whether a text holds two or more numbers, amounts, dates or names, that could be mistaken for each other. */
export function hasSeveralValues(text: string): boolean {
  const numbers = (text.match(TOKEN) ?? []).filter((token) => /\p{N}/u.test(token) || NUMBER_WORD.test(token));
  const names = (text.match(NAME) ?? []).filter((name) => !/\p{N}/u.test(name));
  return new Set([...numbers, ...names].map((value) => value.toLowerCase())).size > 1;
}
