import { marked, namesAnotherHost } from '../shown-text.ts';
import { type Html, html } from './html.ts';

/** A link under the name of what it leads to. */
export interface NamedLink {
  readonly name: string;
  readonly href: string;
  /** What the link is called where the name reads like the address of somewhere else and stands beside it. */
  readonly label: string;
  /** The name as markup, where it is more than its text. */
  readonly words?: Html;
  readonly rel?: string;
}

/** The link; a name of a document is never the text of a link that does not go where it says. */
export function namedLink({ name, href, label, words = html`${marked(name)}`, rel }: NamedLink): Html {
  const attribute = rel && html` rel="${rel}"`;
  if (!namesAnotherHost(name, href)) return html`<a href="${href}"${attribute}>${words}</a>`;
  return html`<span>${words} <a href="${href}"${attribute}>${label}</a></span>`;
}
