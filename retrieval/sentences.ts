// Where sentences begin and end. A scanner of our own and not Intl.Segmenter: on Node 20 that one takes 13 s for 500,000
// characters of English, 51 s for a million and 253 s for two million (quadratic), and breaks after "Dr." and "U.S.".
// This scanner takes a second for ten million.
import type { Span } from './model.ts';

/** Longest unit that `splitSentences` gives, in UTF-16 code units: prose beyond it is a list of words or broken text. */
export const MAX_SENTENCE_CHARS = 1000;

/**
 * Splits a text into sentences, list items, table rows, headings and the blank-line groups of fenced code.
 * @returns spans into `text` in UTF-16 code units: ascending, apart, trimmed, covering all text that is not white space.
 * No span is longer than `MAX_SENTENCE_CHARS`, unless a single grapheme is. Takes linear time; never throws.
 */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = [];
  for (const run of lineRuns(text)) {
    if (run.prose) splitProse(text.slice(run.start, run.end), run.start, text, spans);
    else pushCapped(text, run.start, run.end, spans);
  }
  return spans;
}

// ---- Lines: what starts a new unit whatever the words say -------------------------------------------------------------

interface Run extends Span {
  /** Lines that are split at the ends of sentences; else the run is one unit. */
  readonly prose: boolean;
}

type LineKind = 'blank' | 'single' | 'item' | 'quote' | 'text';

const LINE_END = /\r\n|[\n\r\u2028\u2029]/g;
/** A marker stands within this many characters of the line's start; keeps the look at a line of megabytes short. */
const LINE_HEAD_CHARS = 200;
const HEADING = /^ {0,3}#{1,6}\s/;
// Upper-case letters are left out: "R. Tolkien" at the start of a wrapped line is no item. So are dashes other than "-".
const ITEM = /^\s*(?:[-*+•◦▪‣●○■□]|\(?(?:\d{1,3}|[a-z])[.)])\s/;
const RULE = /^\s*([-*_=])(?:\s*\1){2,}\s*$/;

function lineKind(line: string): LineKind {
  const head = line.slice(0, LINE_HEAD_CHARS);
  if (head.trim() === '' && line.trim() === '') return 'blank';
  const start = head.trimStart();
  if (start.startsWith('|') || HEADING.test(head)) return 'single';
  if (line.length <= LINE_HEAD_CHARS && RULE.test(line)) return 'single';
  // Rows without outer pipes; one pipe alone may be a shell command in a sentence.
  const pipe = line.indexOf(' | ');
  if (pipe >= 0 && line.indexOf(' | ', pipe + 2) >= 0) return 'single';
  if (ITEM.test(head)) return 'item';
  return start.startsWith('>') ? 'quote' : 'text';
}

function* lineRuns(text: string): Generator<Run> {
  const fences = fencedCode(text);
  let start = -1;
  let end = 0;
  let previous: LineKind = 'blank';
  let skipTo = 0;
  for (const line of linesOf(text)) {
    if (line.start < skipTo) continue;
    const fenceEnd = fences.get(line.start);
    const kind = fenceEnd === undefined ? lineKind(text.slice(line.start, line.end)) : 'single';
    const continues = kind === 'text' || (kind === 'quote' && previous === 'quote');
    if (!continues && start >= 0) {
      yield { start, end, prose: true };
      start = -1;
    }
    if (fenceEnd !== undefined) {
      yield* blankLineGroups(text, line.start, fenceEnd);
      skipTo = fenceEnd;
    } else if (kind === 'single') {
      yield { start: line.start, end: line.end, prose: false };
    } else if (kind !== 'blank') {
      if (start < 0) start = line.start;
      end = line.end;
    }
    previous = kind;
  }
  if (start >= 0) yield { start, end, prose: true };
}

function* linesOf(text: string): Generator<Span> {
  let start = 0;
  for (const lineEnd of text.matchAll(LINE_END)) {
    yield { start, end: lineEnd.index };
    start = lineEnd.index + lineEnd[0].length;
  }
  if (start < text.length) yield { start, end: text.length };
}

function* blankLineGroups(text: string, from: number, to: number): Generator<Run> {
  let start = -1;
  let end = from;
  for (const line of linesOf(text.slice(from, to))) {
    const blank = text.slice(from + line.start, from + line.end).trim() === '';
    if (blank && start >= 0) {
      yield { start, end, prose: false };
      start = -1;
    } else if (!blank) {
      if (start < 0) start = from + line.start;
      end = from + line.end;
    }
  }
  if (start >= 0) yield { start, end, prose: false };
}

/**
 * Start of the opening line → end of the closing line. A fence that is never closed is no fence: the text may be a cut
 * from the middle of a document, where the closing fence is the only one.
 */
function fencedCode(text: string): Map<number, number> {
  const fences = [...text.matchAll(/^[ \t]*(`{3,}|~{3,})(?!.*[`~])(.*)$/gm)].map((match) => {
    const [line, marker = '', info = ''] = match;
    return { start: match.index, end: match.index + line.length, marker, bare: info.trim() === '' };
  });
  // The longest closing marker from each fence on, so that the search below starts only when it will succeed.
  const longest = { '`': 0, '~': 0 };
  const closable: boolean[] = new Array(fences.length).fill(false);
  for (let at = fences.length - 1; at >= 0; at--) {
    const fence = fences[at];
    if (!fence) continue;
    const sign = fence.marker.startsWith('`') ? '`' : '~';
    closable[at] = longest[sign] >= fence.marker.length;
    if (fence.bare) longest[sign] = Math.max(longest[sign], fence.marker.length);
  }
  const found = new Map<number, number>();
  let open: (typeof fences)[number] | undefined;
  for (const [at, fence] of fences.entries()) {
    if (open === undefined) {
      if (closable[at]) open = fence;
    } else if (fence.bare && fence.marker.startsWith(open.marker)) {
      found.set(open.start, fence.end);
      open = undefined;
    }
  }
  return found;
}

// ---- Prose: which full stops end a sentence ---------------------------------------------------------------------------

const TERMINATOR = /[.!?…‽。！？｡．।॥؟۔։።။។]+/g;
// What may follow a full stop and still belong to its sentence: closing quotes and brackets, footnote numbers, and the
// quote marks that close in German (“ ‘) when nothing is quoted after them.
const CLOSERS = /(?:["'”’»›)\]}」』）】》〉〕*_`]|\[\d{1,3}\]|[“‘](?=\s|$))*/y;
const NEXT_WORD = /(\s*)[¿¡"'“‘«‹„([{「『（*_`]*([\p{L}\p{N}\p{M}'’]{0,24})/uy;
const WORD = /[\p{L}\p{N}]/u;
const JOINS_TO_PREVIOUS = /^(?:\p{M}|\p{Emoji_Modifier}|\u200d)/u;
/** Characters looked at before a full stop; no abbreviation is longer. */
const LONGEST_TOKEN_CHARS = 24;

/** Always followed by something: titles and "for example". Written as they are written. */
const NEVER_LAST = new Set(
  `Mr Mrs Ms Mx Dr Prof Rev Gen Sen Rep Gov Capt Lt Col Sgt Maj Cmdr Hon Fr Messrs Mme Mlle Sra Srta Hr Fam Dipl Ing
  e.g i.e eg ie E.g I.e cf Cf viz vs Vs approx Approx incl excl resp bzw ggf vgl Vgl sog z.B d.h u.a z.Z p.ex p.ej`.split(
    /\s+/,
  ),
);
/** Only before a number; else they are words: "the answer is no." Lower case. */
const BEFORE_NUMBER = new Set(
  'no nos nr núm num fig figs sec sect art arts eq eqs vol vols ch chap pp p pg pág par para ver ext tel abs ziff tab ca c § app'.split(
    ' ',
  ),
);
/** In the middle or at the end: what follows decides. Lower case. */
const MAYBE_LAST = new Set(
  `inc ltd co corp llc bros jr sr st ave blvd rd mt ft dept univ assn est govt intl natl mfg misc max min avg al ed eds
  jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thurs fri sat hrs hr mins secs usw str bldg`.split(
    /\s+/,
  ),
);
/** A capitalised word after an abbreviation is mostly a name ("U.S. Embassy"); these begin sentences. */
const STARTERS = new Set(
  `The A An This That These Those It He She We They I You There Here In On At For If When While Where What Which Who Why How
  However But And Or So Our Its His Her Their My Your As After Before By To From With Without Since Because Although Though
  Please See Not No Yes All Each Every Some Any Most Many Both Then Thus Also Once Until During Under Use Do Does Did Is Are
  Was Were Will Can Could Should Would May Must Let Der Die Das Ein Eine Es Er Sie Wir Ich Und Aber Le La Les Un Une Il Elle
  El Los Las Una`.split(/\s+/),
);
const MONTHS = new Set(
  'januar februar märz april mai juni juli august september oktober november dezember jänner quartal'.split(' '),
);
const DOTTED_LETTERS = /^(?:\p{L}{1,2}\.)+\p{L}{1,2}$/u;
const ENUMERATOR = /^(?:\d{1,3}(?:\.\d{1,3})*|\p{L}|[ivxlcIVXLC]{1,5})$/u;

function splitProse(prose: string, offset: number, text: string, spans: Span[]): void {
  let start = 0;
  for (const run of prose.matchAll(TERMINATOR)) {
    const runEnd = run.index + run[0].length;
    CLOSERS.lastIndex = runEnd;
    const end = runEnd + (CLOSERS.exec(prose)?.[0].length ?? 0);
    if (end >= prose.length) break;
    const stop = { prose, start, index: run.index, marks: run[0], closed: end > runEnd, end };
    if (!hasWord(prose, start, run.index) || !isBoundary(stop)) continue;
    pushCapped(text, offset + start, offset + end, spans);
    start = end;
  }
  pushCapped(text, offset + start, offset + prose.length, spans);
}

/** Dots alone are no sentence. Looks at a bounded stretch, so that a megabyte of "! ! !" stays linear. */
function hasWord(prose: string, start: number, end: number): boolean {
  return end - start > MAX_SENTENCE_CHARS || WORD.test(prose.slice(start, end));
}

interface Stop {
  readonly prose: string;
  /** Where the sentence begins, where its full stop is, and where that ends with its closing quotes. */
  readonly start: number;
  readonly index: number;
  readonly end: number;
  readonly marks: string;
  readonly closed: boolean;
}

function isBoundary(stop: Stop): boolean {
  const { prose, marks, closed, end } = stop;
  NEXT_WORD.lastIndex = end;
  const [, space = '', next = ''] = NEXT_WORD.exec(prose) ?? [];
  if (space === '') return isUnspacedBoundary(stop, next);
  if (JOINS_TO_PREVIOUS.test(prose.slice(end + space.length, end + space.length + 2))) return false;
  const lower = /^\p{Ll}/u.test(next);
  if (!/^[.…]+$/.test(marks)) return !(closed && lower);
  if (marks !== '.') return !lower;
  if (closed) return !lower;
  return isFullStop(stop, next, lower);
}

/** Scripts that put no space between sentences. `「はい。」と言った` goes on: a letter right after the closing quote. */
function isUnspacedBoundary({ prose, marks, closed, end }: Stop, next: string): boolean {
  if (JOINS_TO_PREVIOUS.test(prose.slice(end, end + 2))) return false;
  if (/[.…‽]$/.test(marks)) return false;
  if (/[!?]$/.test(marks)) return !closed && /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(next);
  if (marks.endsWith('．') && /^\p{N}/u.test(next)) return false;
  return !(closed && next !== '' && prose.startsWith(next, end));
}

/** A single full stop with white space after it. */
function isFullStop({ prose, start, index }: Stop, next: string, lower: boolean): boolean {
  const before = prose.slice(Math.max(start, index - LONGEST_TOKEN_CHARS), index);
  const token = /[^\s([{"'“‘«„*_/–—-]*$/.exec(before)?.[0] ?? '';
  const key = token.toLowerCase();
  if (NEVER_LAST.has(token)) return false;
  if (BEFORE_NUMBER.has(key) && /^[\p{N}]/u.test(next)) return false;
  if (ENUMERATOR.test(token) && !hasWord(prose, start, index - token.length)) return false;
  if (/^\d{1,2}$/.test(token) && MONTHS.has(next.toLowerCase())) return false;
  if (key === 'etc') return !lower;
  if (MAYBE_LAST.has(key) || DOTTED_LETTERS.test(token) || /^\p{L}$/u.test(token)) {
    // Letters without case (Arabic, Hebrew, Han …) cannot tell a name from a beginning: the full stop counts.
    return STARTERS.has(next) || /^\p{Lo}/u.test(next);
  }
  // Text that is all lower case begins sentences so too; but a word without a vowel is an abbreviation that is not listed.
  return !(lower && /^[^aeiouyäöü\d\P{L}]{1,4}$/iu.test(token));
}

// ---- Length ------------------------------------------------------------------------------------------------------------

const SPACE = /\s/;
/** Characters that never join to a neighbour, so that cutting between them needs no segmenter (a thousand times slower). */
const PLAIN_PAIR = /^[\u0020-\u02ff\u3041-\u3096\u4e00-\u9fff]{2}$/;
const LOW_SURROGATE = /[\udc00-\udfff]/;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function pushCapped(text: string, from: number, to: number, spans: Span[]): void {
  let start = skipSpace(text, from, to);
  let end = to;
  while (end > start && SPACE.test(text.charAt(end - 1))) end--;
  while (end - start > MAX_SENTENCE_CHARS) {
    const cut = cutBefore(text, start, end);
    if (cut >= end) break;
    let trimmed = cut;
    while (SPACE.test(text.charAt(trimmed - 1))) trimmed--;
    spans.push({ start, end: trimmed });
    start = skipSpace(text, cut, end);
  }
  if (end > start) spans.push({ start, end });
}

function skipSpace(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && SPACE.test(text.charAt(at))) at++;
  return at;
}

/** Where to cut an overlong unit: at white space in the second half of the allowed length, else between two graphemes. */
function cutBefore(text: string, start: number, end: number): number {
  const limit = start + MAX_SENTENCE_CHARS;
  let next = skipSpace(text, limit, end);
  for (let at = limit; at > start + MAX_SENTENCE_CHARS / 2; at--) {
    if (!SPACE.test(text.charAt(at))) next = at;
    else if (!JOINS_TO_PREVIOUS.test(text.slice(next, next + 2))) return at;
  }
  if (PLAIN_PAIR.test(text.slice(limit - 1, limit + 1))) return limit;
  let cut = start;
  for (const { index, segment } of graphemes.segment(text.slice(start, limit + LONGEST_TOKEN_CHARS))) {
    if (index + segment.length > MAX_SENTENCE_CHARS) break;
    cut = start + index + segment.length;
  }
  if (cut > start) return cut;
  // One grapheme longer than the limit (hundreds of combining marks): it stays whole.
  cut = limit;
  while (cut < end && (JOINS_TO_PREVIOUS.test(text.slice(cut, cut + 2)) || LOW_SURROGATE.test(text.charAt(cut)))) cut++;
  return cut;
}
