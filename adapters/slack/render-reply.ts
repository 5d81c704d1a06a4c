// A reply as Slack messages. What comes from documents and models is rich text, which is literal; only fixed sentences and
// escaped text go where Slack reads markup.
import type { types } from '@slack/bolt';
import type { Reply } from '../reply.ts';
import { isolated } from '../shown-text.ts';
import { RETRACTED_TEXT } from '../wording.ts';
import { escapeMrkdwn } from './escape-mrkdwn.ts';
import { cutText, literal } from './markdown-to-rich-text.ts';
import { claimUnits, fits, markdownUnits, quoteUnits, richText, textUnits, type Unit } from './reply-units.ts';

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

// Best practice of chat.postMessage for `text`: it is cut off above 40,000 and should stay below 4,000.
const MAX_FALLBACK = 3_500;
const MAX_PREFORMATTED = 11_000;
const MAX_SOURCE = 300; // characters of a line in the footer

/** How a reply is shown: `feedback` adds the buttons, `postable` the one that shows it to the channel. */
export interface RenderOptions {
  readonly feedback: boolean;
  readonly postable: boolean;
}

/** A reply as one message, or as several that keep each claim beside its quotes. */
export function renderReply(reply: Reply, { feedback, postable }: RenderOptions): SlackMessage[] {
  const made = unitsOf(reply);
  const end: Unit = { blocks: [...footer(reply), ...buttons(reply, { feedback, postable })], fallback: '' };
  // Nobody is left without a word, whatever a model said.
  const pages = paginate(made.length > 0 ? made : textUnits(reply.text), end);
  return pages.map((page, index) => {
    const blocks = page.flatMap((unit) => unit.blocks);
    if (pages.length > 1) blocks.push(context([`Part ${index + 1} of ${pages.length}`]));
    if (index === pages.length - 1) blocks.push(...end.blocks);
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
  const [pre = ' ', ...rest] = cutText(text, MAX_PREFORMATTED);
  return {
    text: fallbackText(title),
    blocks: [
      richText([
        { type: 'rich_text_section', elements: literal(title, { bold: true }) },
        { type: 'rich_text_preformatted', elements: literal(rest.length > 0 ? `${pre}\n… and more` : pre) },
      ]),
    ],
  };
}

function unitsOf(reply: Reply): Unit[] {
  if (reply.kind !== 'answer') return textUnits(reply.text);
  if (reply.bareQuotes) return quoteUnits(reply.quotes);
  const whole = [...markdownUnits(reply.text), ...quoteUnits(reply.quotes)];
  // Too long for one message: each claim takes the quotes that it refers to along.
  return fits(whole) ? whole : claimUnits(reply.text, reply.quotes);
}

// The footer stands in the last message, and counts there.
function paginate(units: readonly Unit[], end: Unit): Unit[][] {
  const pages: Unit[][] = [];
  for (const [index, unit] of units.entries()) {
    const page = pages.at(-1);
    const following = index === units.length - 1 ? [unit, end] : [unit];
    if (page && fits([...page, ...following])) page.push(unit);
    else pages.push([unit]);
  }
  const last = pages.at(-1);
  if (last && !fits([...last, end])) pages.push([{ blocks: [], fallback: '…' }]);
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
    elements: elements.map((line) => ({ type: 'plain_text', text: isolated(short(line)), emoji: false })),
  };
}

function short(line: string): string {
  const [first = ' ', ...rest] = cutText(line, MAX_SOURCE);
  return rest.length > 0 ? `${first.trimEnd()}…` : first;
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

function fallbackText(text: string): string {
  const [first = ' ', ...rest] = cutText(text, MAX_FALLBACK);
  return escapeMrkdwn(isolated(rest.length > 0 ? `${first.trimEnd()} …` : first));
}
