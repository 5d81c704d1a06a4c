// What Slack would refuse, or act on, in a message: limits of docs.slack.dev, and markup that must never be live.

type Json = { readonly [key: string]: unknown };

// Elements of rich text that do something when they are shown; `link` is checked for its address.
const INERT = new Set(['text', 'link', 'emoji']);
const RICH = new Set(['rich_text_section', 'rich_text_list', 'rich_text_quote', 'rich_text_preformatted']);
const BLOCKS = new Set(['rich_text', 'section', 'context', 'actions', 'header', 'divider', 'input']);

/** Why Slack would refuse the message, or what in it would act; null when neither. */
export function messageFault(message: { text?: string; blocks?: unknown; unfurl_links?: unknown }): string | null {
  const text = message.text ?? '';
  if (text.length > 40_000) return 'msg_too_long';
  const live = liveMarkup(text);
  if (live !== null) return `live markup in text: ${live}`;
  if (message.blocks === undefined) return text === '' ? 'no_text' : null;
  return blocksFault(message.blocks, 50);
}

/** The same for the blocks of a message (50) or a view (100). */
export function blocksFault(blocks: unknown, limit: number): string | null {
  if (!Array.isArray(blocks)) return 'invalid_blocks_format';
  if (blocks.length === 0 || blocks.length > limit) return `invalid_blocks: ${blocks.length} blocks`;
  if (textLength(blocks) > 13_200) return `msg_blocks_too_long: ${textLength(blocks)}`;
  for (const block of blocks as Json[]) {
    const fault = blockFault(block);
    if (fault !== null) return `invalid_blocks: ${fault}`;
  }
  return null;
}

/** The first sequence in mrkdwn that Slack would turn into a mention, a broadcast or a link. */
export function liveMarkup(text: string): string | null {
  return /<[^<>]*>|[<>]|&(?!(?:amp|lt|gt);)/.exec(text)?.[0] ?? null;
}

function blockFault(block: Json): string | null {
  if (!BLOCKS.has(String(block.type))) return `unknown block ${String(block.type)}`;
  switch (block.type) {
    case 'rich_text':
      return listOf(block.elements, 1, 500).map(richFault).find(Boolean) ?? null;
    case 'section':
      return textFault(block.text, 3_000);
    case 'header':
      return (block.text as Json).type !== 'plain_text' ? 'a header is plain text' : textFault(block.text, 150);
    case 'context':
      return (
        listOf(block.elements, 1, 10)
          .map((element) => textFault(element, 2_000))
          .find(Boolean) ?? null
      );
    case 'actions':
      return actionsFault(listOf(block.elements, 1, 25));
    case 'input':
      return textFault(block.label, 2_000) ?? elementFault(block.element as Json);
    default:
      return null;
  }
}

function actionsFault(elements: Json[]): string | null {
  const ids = elements.map((element) => String(element.action_id));
  if (new Set(ids).size !== ids.length) return 'action_id is not unique';
  return elements.map(elementFault).find(Boolean) ?? null;
}

function elementFault(element: Json): string | null {
  if (String(element.action_id ?? '').length > 255) return 'action_id is too long';
  if (element.type === 'button') {
    if (String(element.value ?? '').length > 2_000) return 'the value of a button is too long';
    return textFault(element.text, 75);
  }
  const options = (element.options ?? []) as Json[];
  if (options.length > (element.type === 'radio_buttons' ? 10 : 100)) return 'too many options';
  return options.map((option) => textFault(option.text, 75)).find(Boolean) ?? null;
}

function textFault(value: unknown, limit: number): string | null {
  const { type, text } = (value ?? {}) as Json;
  if (typeof text !== 'string' || text.length === 0) return 'a text is empty';
  if (text.length > limit) return `a text has ${text.length} characters, more than ${limit}`;
  if (type === 'plain_text') return null;
  if (type !== 'mrkdwn') return `unknown text ${String(type)}`;
  const live = liveMarkup(text);
  return live === null ? null : `live markup in mrkdwn: ${live}`;
}

function richFault(element: Json): string | null {
  if (!RICH.has(String(element.type))) return `unknown rich text ${String(element.type)}`;
  const inner = listOf(element.elements, 1, 10_000);
  if (element.type === 'rich_text_list') return inner.map(richFault).find(Boolean) ?? null;
  for (const part of inner) {
    if (!INERT.has(String(part.type))) return `an element that acts: ${String(part.type)}`;
    if (part.type === 'link' && !/^https?:\/\//.test(String(part.url))) return `a link that acts: ${String(part.url)}`;
    if (part.type === 'text' && (typeof part.text !== 'string' || part.text === '')) return 'an empty text element';
  }
  return null;
}

function listOf(value: unknown, minimum: number, maximum: number): Json[] {
  if (!Array.isArray(value) || value.length < minimum || value.length > maximum) {
    return [{ type: `a list of ${Array.isArray(value) ? value.length : 'nothing'}` }];
  }
  return value as Json[];
}

function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + textLength(item), 0);
  if (value === null || typeof value !== 'object') return 0;
  return Object.entries(value).reduce(
    (sum, [key, item]) =>
      sum + (['text', 'elements', 'label', 'element', 'url', 'fields'].includes(key) ? textLength(item) : 0),
    0,
  );
}

/** All words of a message's blocks, as a reader sees them. */
export function visibleText(blocks: unknown): string {
  if (Array.isArray(blocks)) return blocks.map(visibleText).join('');
  if (blocks === null || typeof blocks !== 'object') return '';
  const { type, text, elements } = blocks as Json;
  const own = typeof text === 'string' ? text : visibleText(text);
  const inner = own + visibleText(elements);
  return [
    'rich_text_section',
    'rich_text_quote',
    'rich_text_preformatted',
    'context',
    'actions',
    'header',
    'button',
    'plain_text',
  ].includes(String(type))
    ? `${inner}\n`
    : inner;
}
