import type { Span } from '../../retrieval/model.ts';
import type { DocumentText } from '../../retrieval/read-document.ts';
import type { DocumentSummary } from '../ports.ts';
import { readersInWords } from '../readers-in-words.ts';
import { linkLabel, marked } from '../shown-text.ts';
import { documentText } from './document-text.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { namedLink } from './named-link.ts';
import { time } from './words.ts';

/** What the document view shows. */
export interface DocumentView {
  readonly document: DocumentText;
  /** What is highlighted. */
  readonly mark: Span | null;
  /** How the quote relates to the text: as it was quoted, found again in a newer version, or no longer there. */
  readonly quote: 'none' | 'current' | 'moved' | 'gone';
  /** The version that was quoted. */
  readonly quotedVersion: number | null;
  /** Only for admins. */
  readonly summary: DocumentSummary | null;
}

// An outline of one or two lines is no help.
const MIN_OUTLINE = 3;

/** A document with the quote highlighted. */
export function documentView(view: DocumentView): Html {
  const { document, mark } = view;
  const headings = new Set(document.headings.map(({ start }) => start));
  return html`<article class="document">
<header class="page-head">
<p class="eyebrow">${icon('document')}<span>Document</span></p>
<h1 dir="auto">${marked(document.title || document.uri)}</h1>
${headingPath(document, mark)}
<dl class="facts">
<div><dt>Version</dt><dd>${document.version}</dd></div>
${document.tookEffectAt && html`<div><dt>Updated</dt><dd>${time(document.tookEffectAt)}</dd></div>`}
<div><dt>Source</dt><dd>${document.source}</dd></div>
<div><dt>Your permission</dt><dd class="good">${icon('check')}checked just now</dd></div>
</dl>
${origin(document.uri)}
${view.summary && readers(view.summary)}
${quoteNote(view)}
</header>
${outline(document)}
<div class="document-text">${documentText(document.text, { headings, mark })}</div>
</article>`;
}

function headingPath({ headings, title }: DocumentText, mark: Span | null): Html | null {
  if (!mark) return null;
  const above = headings.filter(({ start }) => start <= mark.start).at(-1);
  const path = (above?.path ?? []).filter((part) => part !== title);
  if (path.length === 0) return null;
  return html`<p class="heading-path"><span class="unseen">The quote stands under: </span>${path.map(
    (part, index) => html`${index > 0 && html`<span class="path-mark"> › </span>`}${marked(part)}`,
  )}</p>`;
}

// A link only to where a browser goes anyway: other schemes could run something. Its text is where it goes.
function origin(uri: string): Html {
  if (!/^https?:\/\//i.test(uri) || !URL.canParse(uri)) return html`<p class="origin muted">${marked(uri)}</p>`;
  const { href } = new URL(uri);
  return html`<p class="origin">${namedLink({ name: href, href, label: linkLabel(href), rel: 'noopener noreferrer external' })}</p>`;
}

function readers(document: DocumentSummary): Html {
  const { accessLevel, department } = document;
  return html`<details class="readers"><summary>${icon('people')}<span>Who may see this (admins only)</span></summary>
<p><b>${accessLevel}</b>${department && html`, ${department}`}: <span class="acl">${readersInWords(document)}</span></p></details>`;
}

function quoteNote({ quote, quotedVersion, document }: DocumentView): Html | null {
  if (quote === 'current') return html`<p class="jump"><a href="#quote">Go to the quote</a></p>`;
  if (quote === 'none') return null;
  const text = {
    moved: `The answer quoted version ${quotedVersion}; this is version ${document.version}. The quoted words are still in it.`,
    gone: `The answer quoted version ${quotedVersion}; this is version ${document.version}, and the quoted words are no longer in it.`,
  }[quote];
  const jump = quote === 'moved' && html` <a href="#quote">Go to the quote</a>`;
  return html`<p class="notice" role="note">${icon('warning')}<span>${text}${jump}</span></p>`;
}

function outline({ headings, text }: DocumentText): Html | null {
  if (headings.length < MIN_OUTLINE) return null;
  const links = headings.map(({ start, path }) => {
    const level = /^#{1,6}/.exec(text.slice(start, start + 6))?.[0].length ?? 1;
    return html`<li class="outline-${Math.min(level, 3)}">${namedLink({ name: path.at(-1) ?? '', href: `#at-${start}`, label: 'go there' })}</li>`;
  });
  return html`<nav class="outline" aria-label="Outline"><details><summary>Outline</summary><ul>${links}</ul></details></nav>`;
}
