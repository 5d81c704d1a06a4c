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
/** A condition, while a policy that provides something says it. */
const AS_WRITTEN = /^provid(?:ed|ing)$/i;

/** The words that count, in order, in the form in which they are compared; with `borders` the marks between clauses as well. */
export function orderedWords(text: string, { borders = false } = {}): string[] {
  const plain = text.replace(/\bcan(?:not|['’]t)\b/gi, 'can not').replace(/n['’]t\b/gi, ' not');
  return (plain.match(TOKEN) ?? [])
    .map((token) => (IS_BORDER.test(token) || AS_WRITTEN.test(token) ? token.toLowerCase() : stem(token.toLowerCase())))
    .filter((token) => (borders || !IS_BORDER.test(token)) && !FILLING.has(token) && !OF_THE_SOURCE.has(token));
}

/** Whether a word joins others and says nothing of its own. */
export function isJoining(word: string): boolean {
  return JOINING.has(word);
}

/** What they begin says when, where or for whom something holds. */
const NARROWING = words(
  `in on at to for from with without into onto against between among during through towards under over above below beyond after
  before until till since within than`,
);

/** "27 days in a year" are 27 days a year. */
const PERIOD = words('hour day week month quarter year');

/** What they begin holds only then: behind a comma, too, it cannot be left out. */
const CONDITIONAL = words(
  `if when whenever where wherever while unless except until till once only assuming subject otherwise`,
);

/**
 * What may be left out between two words: nothing (`none`), words that only describe (`describing`: "30 days of [paid] leave"),
 * or whatever stands there (`any`). What stands before the first and behind the last may be left out unless it narrows what is
 * said: "guests may park" is more than "guests may park on weekends", or "in Lyon guests may park".
 */
export type Gaps = 'none' | 'describing' | 'any';

/** Whether `said` is in `stated` in this order. Marks of `stated` count as borders; `said` has none. */
export function inOrder(said: readonly string[], stated: readonly string[], gaps: Gaps): boolean {
  if (said.length === 0) return true;
  const free = gaps === 'any';
  return stated.some(
    (word, start) =>
      word === said[0] &&
      (free || mayLeaveOutBefore(stated.slice(0, start))) &&
      goesOn(said, stated.slice(start), gaps),
  );
}

function goesOn(said: readonly string[], stated: readonly string[], gaps: Gaps): boolean {
  let at = 0;
  for (const word of said.slice(1)) {
    const next = stated.indexOf(word, at + 1);
    if (next < 0 || !mayLeaveOut(stated.slice(at + 1, next), gaps)) return false;
    at = next;
  }
  return gaps === 'any' || mayLeaveOutBehind(stated.slice(at + 1));
}

const isCondition = (word: string): boolean => CONDITIONAL.has(word) || AS_WRITTEN.test(word);

function narrows(word: string, at: number, all: readonly string[]): boolean {
  return isCondition(word) || (NARROWING.has(word) && !PERIOD.has(all[at + 1] ?? ''));
}

// Another clause says something else, and holds no condition; "on weekends," is none.
function mayLeaveOutBefore(head: readonly string[]): boolean {
  const border = head.findLastIndex((word) => IS_BORDER.test(word));
  const [clause, attached] = [head.slice(0, Math.max(0, border)), head.slice(border + 1)];
  const isOpening = (word: string, at: number) => at === 0 && narrows(word, at, clause);
  return !attached.some(narrows) && !clause.some((word, at) => isOpening(word, at) || isCondition(word));
}

// Behind a comma stands what is said besides, if it is no condition and no other number.
function mayLeaveOutBehind(tail: readonly string[]): boolean {
  const border = tail.findIndex((word) => IS_BORDER.test(word));
  const [attached, besides] = border < 0 ? [tail, []] : [tail.slice(0, border), tail.slice(border)];
  return !attached.some(narrows) && !besides.some((word) => isCondition(word) || /\p{N}/u.test(word));
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
