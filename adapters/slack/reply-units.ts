// What of a reply belongs together, as pieces that fit into a message: a claim with its quotes, never a claim away from them.
import type { types } from '@slack/bolt';
import type { ReplyQuote } from '../reply.ts';
import { isolated } from '../shown-text.ts';
import { pageText } from '../wording.ts';
import { cutText, literal, markdownToRichText } from './markdown-to-rich-text.ts';
import { divideMarkdown } from './split-markdown.ts';

/** Blocks that stay in one message. */
export interface Unit {
  readonly blocks: types.KnownBlock[];
  /** For notifications and screen readers. */
  readonly fallback: string;
}

// docs.slack.dev: 50 blocks a message, about 13,200 characters in them; some are kept for labels and buttons.
const MAX_BLOCKS = 45;
const MAX_CHARACTERS = 11_000;
const MAX_ELEMENTS = 400; // of one rich text; Slack states none, and took 500
const MAX_TITLE = 300;
// A claim that is repeated above the rest of its quotes; a longer one is cut there.
const MAX_REPEATED = 1_500;

/** Whether units fit into one message. */
export function fits(units: readonly Unit[]): boolean {
  const blocks = units.flatMap((unit) => unit.blocks);
  return (
    blocks.length <= MAX_BLOCKS &&
    sizeOf(blocks) <= MAX_CHARACTERS &&
    blocks.every((block) => block.type !== 'rich_text' || block.elements.length <= MAX_ELEMENTS)
  );
}

// As Slack counts, the texts and the addresses in blocks.
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item), 0);
  if (value === null || typeof value !== 'object') return 0;
  const { text, url, elements } = value as { text?: unknown; url?: unknown; elements?: unknown };
  return sizeOf(text) + sizeOf(url) + sizeOf(elements);
}

/** Plain text, cut where it is too long. */
export function textUnits(text: string): Unit[] {
  return cutText(text || ' ', MAX_CHARACTERS - 500).map((part) => ({
    blocks: [richText([{ type: 'rich_text_section', elements: literal(part) }])],
    fallback: part,
  }));
}

/** Markdown as it is, one unit a top-level piece, whatever their sizes. */
export function markdownUnits(markdown: string): Unit[] {
  return markdownToRichText(markdown)
    .filter(({ elements }) => elements.length > 0)
    .map(({ source, elements }) => ({ blocks: [richText(elements)], fallback: source }));
}

/** Quotes alone, each one in as many units as it needs. */
export function quoteUnits(quotes: readonly ReplyQuote[]): Unit[] {
  return quotes.flatMap((quote) => quoteParts(quote, MAX_CHARACTERS));
}

/** A text with its quotes, cut into units: each claim takes the quotes that it refers to along. */
export function claimUnits(markdown: string, quotes: readonly ReplyQuote[]): Unit[] {
  const shown = new Set<number>();
  const sources = markdownToRichText(markdown).filter(({ elements }) => elements.length > 0);
  const units = sources.flatMap(({ source }) => unitsOfClaim(source, take(source, quotes, shown)));
  return [...units, ...quoteUnits(quotes.filter(({ number }) => !shown.has(number)))];
}

// A quote stands with the first claim that refers to it.
function take(source: string, quotes: readonly ReplyQuote[], shown: Set<number>): ReplyQuote[] {
  const cited = quotes.filter(({ number }) => !shown.has(number) && source.includes(`[${number}]`));
  for (const { number } of cited) shown.add(number);
  return cited;
}

function unitsOfClaim(source: string, quotes: readonly ReplyQuote[]): Unit[] {
  const whole = join([...markdownUnits(source), ...quotes.map((quote) => quoteUnit(quote))]);
  if (fits([whole])) return [whole];
  const { parts, build } = divideMarkdown(source);
  return parts.length > 1 ? unitsOfParts(parts, build, quotes) : unitsOfOneClaim(build(parts), quotes);
}

// As many parts at a time as fit with their quotes.
function unitsOfParts(
  parts: readonly string[],
  build: (parts: readonly string[]) => string,
  quotes: readonly ReplyQuote[],
): Unit[] {
  const shown = new Set<number>();
  const groups: { parts: string[]; quotes: ReplyQuote[] }[] = [];
  for (const part of parts) {
    const cited = take(part, quotes, shown);
    const last = groups.at(-1);
    const joined = last && { parts: [...last.parts, part], quotes: [...last.quotes, ...cited] };
    const fitting =
      joined && fits([...markdownUnits(build(joined.parts)), ...joined.quotes.map((quote) => quoteUnit(quote))]);
    if (fitting) groups[groups.length - 1] = joined;
    else groups.push({ parts: [part], quotes: cited });
  }
  return groups.flatMap((group) => {
    const source = build(group.parts);
    return group.parts.length > 1
      ? [join([...markdownUnits(source), ...group.quotes.map((quote) => quoteUnit(quote))])]
      : unitsOfOneClaim(source, group.quotes);
  });
}

// One claim whose quotes do not fit beside it stands above each run of them that does.
function unitsOfOneClaim(source: string, quotes: readonly ReplyQuote[]): Unit[] {
  const rendered = join(markdownUnits(source));
  const pieces = fits([rendered]) ? [rendered] : textUnits(source);
  const claim = pieces.pop() ?? rendered;
  const again = repeatedClaim(source);
  const room = MAX_CHARACTERS - Math.max(sizeOf(claim.blocks), sizeOf(again.blocks));
  // A long claim leaves no room for a quote: the quotes then stand below its beginning, said again.
  const first = room > MAX_REPEATED ? claim : again;
  const before = room > MAX_REPEATED ? pieces : [...pieces, claim];
  const groups: Unit[][] = [];
  for (const part of quotes.flatMap((quote) => quoteParts(quote, MAX_CHARACTERS - sizeOf(first.blocks) - 50))) {
    const last = groups.at(-1);
    if (last && fits([...last, part])) last.push(part);
    else groups.push([groups.length === 0 ? first : again, part]);
  }
  return [...before, ...(groups.length === 0 && room > MAX_REPEATED ? [claim] : groups.map(join))];
}

function repeatedClaim(source: string): Unit {
  const [beginning = ''] = cutText(source, MAX_REPEATED);
  const text = beginning.length < source.length ? `${beginning.trimEnd()} …` : beginning;
  const unit = join(markdownUnits(text));
  // A table grows when its columns are aligned.
  return sizeOf(unit.blocks) <= 2 * MAX_REPEATED ? unit : join(textUnits(text));
}

// A quote of pages goes on under the same head, which says so.
function quoteParts(quote: ReplyQuote, limit: number): Unit[] {
  const whole = quoteUnit(quote);
  if (sizeOf(whole.blocks) <= limit) return [whole];
  const head = sizeOf(whole.blocks) - isolated(quote.quote).length;
  const parts = cutText(quote.quote, Math.max(500, limit - head - 50));
  return parts.map((part, index) => quoteUnit({ ...quote, quote: part }, index > 0));
}

function quoteUnit(shown: ReplyQuote, continued = false): Unit {
  const { number, quote, title, headingPath, page, url, linkLabel } = shown;
  const name = cutText(title, MAX_TITLE)[0] ?? 'Untitled';
  const path = headingPath.length === 0 ? '' : ` › ${cutText(headingPath.join(' › '), MAX_TITLE)[0] ?? ''}`;
  const goesOn = continued ? ' (continued)' : '';
  const named = url !== null && linkLabel === null;
  const head: types.RichTextElement[] = [
    ...literal(`[${number}] `, { bold: true }),
    ...(named
      ? [{ type: 'link' as const, url, text: isolated(name), style: { bold: true } }]
      : literal(name, { bold: true })),
    ...literal(`${path}${pageText(page)}${goesOn}`),
    // A title that reads like another address is no text for a link.
    ...(url !== null && linkLabel !== null ? [...literal('  '), { type: 'link' as const, url, text: linkLabel }] : []),
  ];
  return {
    blocks: [
      richText([
        { type: 'rich_text_section', elements: head },
        { type: 'rich_text_quote', elements: literal(quote) },
      ]),
    ],
    fallback: `[${number}] ${isolated(name)}${isolated(path)}${goesOn}: “${isolated(quote)}”`,
  };
}

function join(units: readonly Unit[]): Unit {
  return {
    blocks: units.flatMap((unit) => unit.blocks),
    fallback: units.map((unit) => unit.fallback).join('\n'),
  };
}

/** A block of rich text. Slack refuses an empty list of elements, which an empty link or heading of a model would make. */
export function richText(elements: types.RichTextBlockElement[]): types.RichTextBlock {
  return { type: 'rich_text', elements: elements.map((element) => (element.elements.length > 0 ? element : BLANK)) };
}

const BLANK: types.RichTextSection = { type: 'rich_text_section', elements: [{ type: 'text', text: ' ' }] };
