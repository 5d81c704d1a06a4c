// A reply as Slack messages. What comes from documents and models is rich text, which is literal; only fixed sentences and
// escaped text go where Slack reads markup.
import type { types } from '@slack/bolt';
import type { Reply, ReplyQuote } from '../reply.ts';
import { RETRACTED_TEXT } from '../wording.ts';
import { escapeMrkdwn } from './escape-mrkdwn.ts';
import { cutText, literal, markdownToRichText } from './markdown-to-rich-text.ts';

/** One message: its blocks, and the text for notifications and screen readers. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: types.KnownBlock[];
}

/** Action ids of the buttons, as they come back. */
export const ACTIONS = {
  helpful: 'feedback_up',
  notHelpful: 'feedback_down',
  explain: 'feedback_explain',
  askPrivately: 'ask_privately',
  postToChannel: 'post_to_channel',
  confirmForget: 'forget_confirm',
  cancel: 'cancel',
  ingestFile: 'ingest_file',
} as const;

// docs.slack.dev: 50 blocks a message; about 13,200 characters in its blocks, of which some are kept for labels and buttons.
const MAX_BLOCKS = 45;
const MAX_CHARACTERS = 11_000;
// Best practice of chat.postMessage for `text`: it is cut off above 40,000 and should stay below 4,000.
const MAX_FALLBACK = 3_500;
const MAX_TITLE = 300;

interface Unit {
  readonly blocks: types.KnownBlock[];
  readonly characters: number;
  readonly fallback: string;
}

/** How a reply is shown: `feedback` adds the buttons, `postable` the one that shows it to the channel. */
export interface RenderOptions {
  readonly feedback: boolean;
  readonly postable: boolean;
}

/** A reply as one message, or as several that keep each claim beside its quotes. */
export function renderReply(reply: Reply, { feedback, postable }: RenderOptions): SlackMessage[] {
  const made = unitsOf(reply);
  // Nobody is left without a word, whatever a model said.
  const units = splitLong(made.length > 0 ? made : [textUnit(reply.text)]);
  const pages = paginate(units);
  return pages.map((page, index) => {
    const last = index === pages.length - 1;
    const blocks = page.flatMap((unit) => unit.blocks);
    if (pages.length > 1) blocks.push(context([`Part ${index + 1} of ${pages.length}`]));
    if (last) blocks.push(...footer(reply), ...buttons(reply, { feedback, postable }));
    return { text: fallbackText(page.map((unit) => unit.fallback).join('\n')), blocks };
  });
}

/** What replaces a message whose evidence went. */
export function renderRetraction(): SlackMessage {
  return {
    text: RETRACTED_TEXT,
    blocks: [richText([{ type: 'rich_text_section', elements: literal(RETRACTED_TEXT, { italic: true }) }])],
  };
}

/** A sentence of ours, with buttons. */
export function renderNotice(
  text: string,
  buttonsOf: readonly {
    readonly id: string;
    readonly label: string;
    readonly value: string;
    readonly danger?: boolean;
  }[] = [],
): SlackMessage {
  const section = cutText(text, 10_000).map((part) =>
    richText([{ type: 'rich_text_section', elements: literal(part) }]),
  );
  const actions: types.KnownBlock[] =
    buttonsOf.length === 0
      ? []
      : [
          {
            type: 'actions',
            elements: buttonsOf.map(({ id, label, value, danger }) =>
              button(id, label, value, danger ? 'danger' : undefined),
            ),
          },
        ];
  return { text: fallbackText(text), blocks: [...section, ...actions] };
}

/** Literal preformatted text, such as a status. */
export function renderPreformatted(title: string, text: string): SlackMessage {
  const pre = cutText(text, MAX_CHARACTERS)[0] ?? ' ';
  return {
    text: fallbackText(title),
    blocks: [
      richText([
        { type: 'rich_text_section', elements: literal(title, { bold: true }) },
        { type: 'rich_text_preformatted', elements: literal(pre || ' ') },
      ]),
    ],
  };
}

function unitsOf(reply: Reply): Unit[] {
  if (reply.kind !== 'answer') return [textUnit(reply.text)];
  if (reply.bareQuotes) return reply.quotes.map(quoteUnit);
  const whole = [textUnits(reply.text), reply.quotes.map(quoteUnit)].flat();
  if (fits(whole)) return whole;
  // Too long for one message: each paragraph takes the quotes that it refers to along.
  const shown = new Set<number>();
  const pieces = markdownToRichText(reply.text).filter(({ elements }) => elements.length > 0);
  const units = pieces.map(({ source, elements }) => {
    const cited = reply.quotes.filter(({ number }) => !shown.has(number) && source.includes(`[${number}]`));
    for (const { number } of cited) shown.add(number);
    return join([
      { blocks: [richText(elements)], characters: source.length, fallback: source },
      ...cited.map(quoteUnit),
    ]);
  });
  return [...units, ...reply.quotes.filter(({ number }) => !shown.has(number)).map(quoteUnit)];
}

function textUnits(markdown: string): Unit[] {
  return markdownToRichText(markdown)
    .filter(({ elements }) => elements.length > 0)
    .map(({ source, elements }) => ({ blocks: [richText(elements)], characters: source.length, fallback: source }));
}

function textUnit(text: string): Unit {
  return {
    blocks: [richText([{ type: 'rich_text_section', elements: literal(text || ' ') }])],
    characters: text.length,
    fallback: text,
  };
}

function quoteUnit({ number, quote, title, headingPath, url }: ReplyQuote): Unit {
  const name = cutText(title, MAX_TITLE)[0] ?? 'Untitled';
  const path = headingPath.length === 0 ? '' : ` › ${cutText(headingPath.join(' › '), MAX_TITLE)[0] ?? ''}`;
  const head: types.RichTextElement[] = [
    ...literal(`[${number}] `, { bold: true }),
    ...(url === null
      ? literal(name, { bold: true })
      : [{ type: 'link' as const, url, text: name, style: { bold: true } }]),
    ...literal(path),
  ];
  return {
    blocks: [
      richText([
        { type: 'rich_text_section', elements: head },
        { type: 'rich_text_quote', elements: literal(quote) },
      ]),
    ],
    characters: quote.length + name.length + path.length + (url?.length ?? 0) + 8,
    fallback: `[${number}] ${name}${path}: “${quote}”`,
  };
}

function join(units: readonly Unit[]): Unit {
  return {
    blocks: units.flatMap((unit) => unit.blocks),
    characters: units.reduce((sum, unit) => sum + unit.characters, 0),
    fallback: units.map((unit) => unit.fallback).join('\n'),
  };
}

function fits(units: readonly Unit[]): boolean {
  const { blocks, characters } = join(units);
  return blocks.length <= MAX_BLOCKS && characters <= MAX_CHARACTERS;
}

// A single unit over the limit (a quote of pages) is cut inside its own text; what follows says so.
function splitLong(units: readonly Unit[]): Unit[] {
  return units.flatMap((unit) => {
    if (fits([unit])) return [unit];
    return cutText(unit.fallback, MAX_CHARACTERS - 100).map((part, index) => {
      const text = index === 0 ? part : `(continued) ${part}`;
      return { ...textUnit(text), blocks: [richText([{ type: 'rich_text_quote', elements: literal(text) }])] };
    });
  });
}

function paginate(units: readonly Unit[]): Unit[][] {
  const pages: Unit[][] = [];
  for (const unit of units) {
    const page = pages.at(-1);
    if (page && fits([...page, unit])) page.push(unit);
    else pages.push([unit]);
  }
  return pages;
}

// A line each: elements of one context block run on.
function footer({ note, sources, label }: Reply): types.KnownBlock[] {
  return [note === null ? [] : [note], sources, label === null ? [] : [label]]
    .filter((lines) => lines.length > 0)
    .map((lines) => context(lines));
}

// docs.slack.dev: a context block has at most 10 elements. Plain text shows markup as it is.
function context(lines: readonly string[]): types.KnownBlock {
  const elements = lines.length <= 10 ? lines : [...lines.slice(0, 9), `and ${lines.length - 9} more sources`];
  return {
    type: 'context',
    elements: elements.map((line) => ({ type: 'plain_text', text: cutText(line, 1_900)[0] ?? ' ', emoji: false })),
  };
}

function buttons({ answerId, kind }: Reply, { feedback, postable }: RenderOptions): types.KnownBlock[] {
  if (answerId === null) return [];
  const elements = [
    ...(feedback
      ? [button(ACTIONS.helpful, '👍 Helpful', answerId), button(ACTIONS.notHelpful, '👎 Not helpful', answerId)]
      : []),
    ...(postable && kind === 'answer' ? [button(ACTIONS.postToChannel, 'Show in this channel', answerId)] : []),
  ];
  return elements.length === 0 ? [] : [{ type: 'actions', elements }];
}

function button(actionId: string, label: string, value: string, style?: 'primary' | 'danger'): types.Button {
  return {
    type: 'button',
    action_id: actionId,
    text: { type: 'plain_text', text: label, emoji: true },
    value,
    ...(style ? { style } : {}),
  };
}

// Slack refuses an empty list of elements, which an empty link or heading of a model would make.
function richText(elements: types.RichTextBlockElement[]): types.RichTextBlock {
  return { type: 'rich_text', elements: elements.map((element) => (element.elements.length > 0 ? element : BLANK)) };
}

const BLANK: types.RichTextSection = { type: 'rich_text_section', elements: [{ type: 'text', text: ' ' }] };

function fallbackText(text: string): string {
  const [first = ' ', ...rest] = cutText(text, MAX_FALLBACK);
  return escapeMrkdwn(rest.length > 0 ? `${first.trimEnd()} …` : first);
}
