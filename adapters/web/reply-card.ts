// A reply as a person reads it: what the documents say, numbered quotes, how fresh they are, and what one may do with it.
import type { Answer, Citation } from '../../retrieval/model.ts';
import { type Reply, toReply } from '../reply.ts';
import { isolated, marked } from '../shown-text.ts';
import { pageText } from '../wording.ts';
import type { Conversation } from './conversation.ts';
import { documentText } from './document-text.ts';
import { feedbackBox } from './feedback-box.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { avatar, formField } from './layout.ts';
import { namedLink } from './named-link.ts';
import type { QuoteView, ReplyView } from './thread-view.ts';
import { nameOf, percent, time } from './words.ts';

/** A question and its reply. */
export function replyCard(reply: ReplyView, conversation: Conversation, token: string): Html {
  return html`${questionBubble(reply)}${answerCard(reply, conversation, token)}`;
}

function questionBubble({ posted, asker }: ReplyView): Html {
  const person = asker ?? { email: posted.asker, name: '' };
  return html`<div class="question">
${avatar(person)}
<div>
<p class="byline"><b>${nameOf(person)}</b> <span class="muted">${time(posted.askedAt)}</span></p>
<p class="question-text" dir="auto">${posted.question}</p>
</div>
</div>`;
}

function answerCard(view: ReplyView, conversation: Conversation, token: string): Html {
  const { answer } = view.posted;
  const context = { private: conversation.channel === null, offerPrivate: view.offerPrivate, publicUrl: null };
  const reply = toReply(answer, context);
  return html`<article class="answer" id="answer-${answer.answerId}" data-state="${stateOf(view)}" aria-label="Answer">
<span class="avatar avatar-product" aria-hidden="true">${icon('quote')}</span>
<div class="answer-body">
<p class="byline"><b>Verbatim</b> ${view.shown && label(reply)}</p>
${view.shown ? answerBody(view, reply) : withheldNotice(view)}
${reply.offerPrivate && privateOffer(view, token)}
${view.shown && feedbackBox(view, conversation, token)}
</div>
</article>`;
}

// Changes exactly when the card must be shown anew in a page that is open.
function stateOf({ posted, shown, quotes, feedback }: ReplyView): string {
  const states = quotes.map(({ state }) => state.slice(0, 2)).join('');
  return [posted.retractedAt ? 'gone' : shown ? 'shown' : 'withheld', states, feedback?.verdict]
    .filter(Boolean)
    .join('-');
}

function label({ kind, bareQuotes }: Reply): Html {
  if (kind === 'refusal') return html`<span class="tag">No answer</span>`;
  return bareQuotes ? html`<span class="tag tag-good">Word for word</span>` : html`<span class="tag tag-ai">AI</span>`;
}

function withheldNotice({ posted }: ReplyView): Html {
  const text = posted.retractedAt
    ? 'This answer was taken back: a document that it quoted was deleted or is no longer for everyone here. Ask again for what the documents say now.'
    : 'This answer is not shown: you may not read all that it quotes at the moment. Ask again for what you may read now.';
  return html`<p class="notice">${icon('warning')}<span>${text}</span></p>`;
}

function answerBody({ posted, quotes }: ReplyView, reply: Reply): Html {
  const { answer } = posted;
  const warning = reply.note && html`<p class="notice">${icon('warning')}<span>${reply.note}</span></p>`;
  if (reply.kind === 'refusal') return html`<p class="refusal">${reply.text}</p>${warning}`;
  return html`${!reply.bareQuotes && html`<p class="lead" dir="auto">${withQuoteLinks(answer)}</p>`}
<ol class="quotes">${quotes.map((quote, index) => quoteCard(answer.answerId, quote, index + 1))}</ol>
${freshness(reply, answer.confidence?.overall ?? null)}${warning}`;
}

function withQuoteLinks({ answerId, text, citations }: Answer): Html[] {
  return text.split(/(\[\d+\])/).map((part) => {
    const number = Number(/^\[(\d+)\]$/.exec(part)?.[1]);
    if (!(number >= 1 && number <= citations.length)) return html`${isolated(part)}`;
    return html`<a class="quote-number" href="#quote-${answerId}-${number}" aria-label="Quote ${number}">${number}</a>`;
  });
}

const QUOTE_NOTES = {
  current: null,
  changed: 'The document has changed since this answer.',
  superseded: 'This document is no longer in effect.',
  withheld: null,
} as const;

// A quote is inside an answer, so a line that looks like a heading is none of the page's.
const NO_HEADINGS: ReadonlySet<number> = new Set();

function quoteCard(answerId: string, { citation, state }: QuoteView, number: number): Html {
  const note = QUOTE_NOTES[state];
  return html`<li class="quote" id="quote-${answerId}-${number}">
<blockquote cite="${citation.uri}" dir="auto">${documentText(citation.quote, { headings: NO_HEADINGS })}</blockquote>
<p class="quote-source"><span class="quote-number" aria-hidden="true">${number}</span>${sourceLink(citation, documentLink(answerId, citation, number))}</p>
${note && html`<p class="quote-note">${icon('warning')}${note}</p>`}
</li>`;
}

function sourceLink({ title, headingPath, page, uri }: Citation, href: string): Html {
  const path = [...new Set([title || uri, ...headingPath])];
  const place = pageText(page);
  const words = html`${path.map((part, index) => html`${index > 0 && html`<span class="path-mark"> › </span>`}<bdi>${marked(part)}</bdi>`)}${place}`;
  return namedLink({ name: `${path.join(' › ')}${place}`, words, href, label: 'open the document' });
}

/** Where the quote stands in its document. */
export function documentLink(answerId: string, citation: Citation, number: number): string {
  const { documentId, documentVersion, start, end } = citation;
  const query = new URLSearchParams({
    version: String(documentVersion),
    start: String(start),
    end: String(end),
    answer: answerId,
    quote: String(number),
  });
  return `/documents/${encodeURIComponent(documentId)}?${query}#quote`;
}

function freshness({ sources, label: writtenBy }: Reply, confidence: number | null): Html {
  const lines = [...sources, ...(confidence === null ? [] : [`Confidence ${percent(confidence)}`]), writtenBy];
  return html`<p class="freshness">${lines.map((line) => line && html`<span>${line}</span>`)}</p>`;
}

function privateOffer({ posted }: ReplyView, token: string): Html {
  return html`<form class="offer" method="post" action="/ask" data-leaves>
${formField(token)}<input type="hidden" name="place" value="private"><input type="hidden" name="question" value="${posted.question}">
<p>${icon('lock')}<span><b>Only you see this.</b> You may read more than this channel as a whole.</span></p>
<button class="secondary">Ask again privately</button>
</form>`;
}
