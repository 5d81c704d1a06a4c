// HTML by tagged templates: what is put in is escaped, whoever wrote it. Only `raw` is not, and it is searched for in review.

const MARKUP = Symbol('markup');

/** Finished markup. Only `html` and `raw` make it. */
export interface Html {
  readonly [MARKUP]: string;
}

/** What a template takes: text and numbers are escaped, lists are joined, null, undefined and booleans are nothing. */
export type Interpolated = string | number | boolean | null | undefined | Html | readonly Interpolated[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  // Closes an attribute without quotes in old parsers.
  '`': '&#96;',
};

/** Markup with all values escaped for text and for quoted attributes alike. */
export function html(strings: TemplateStringsArray, ...values: readonly Interpolated[]): Html {
  const last = strings.length - 1;
  return raw(strings.map((part, index) => (index < last ? part + toMarkup(values[index]) : part)).join(''));
}

/** Takes markup as it is: for constants of this folder, never for what comes from outside. */
export function raw(markup: string): Html {
  return { [MARKUP]: markup };
}

/** The markup as text, for sending. */
export function renderHtml(markup: Html): string {
  return markup[MARKUP];
}

/** Text as it must stand in HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"'`]/g, (character) => ENTITIES[character] ?? character);
}

function toMarkup(value: Interpolated): string {
  if (value === null || value === undefined || typeof value === 'boolean') return '';
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  if (isHtml(value)) return value[MARKUP];
  return value.map(toMarkup).join('');
}

function isHtml(value: Html | readonly Interpolated[]): value is Html {
  return MARKUP in value;
}
