import { MAX_QUESTION_CHARACTERS } from '../../retrieval/answer-question.ts';
import { counted } from '../../retrieval/counted.ts';
import { ROLE_NAMES } from '../wording.ts';
import type { Conversation } from './conversation.ts';
import { type Html, html } from './html.ts';
import { icon } from './icons.ts';
import { avatar, formField } from './layout.ts';
import { replyCard } from './reply-card.ts';
import type { ThreadView } from './thread-view.ts';
import { nameOf } from './words.ts';

// As many as stand in a line on a phone.
const FACES = 6;

/** A conversation with its threads. */
export interface ChatView {
  readonly conversation: Conversation;
  readonly threads: readonly ThreadView[];
  readonly suggestions: readonly string[];
  readonly formToken: string;
  /** A question that could not be asked, given back to be changed. */
  readonly draft?: string;
  /** There is more than is shown. */
  readonly more: boolean;
}

/** The page of a conversation. */
export function chatPage(view: ChatView): Html {
  const { conversation, threads, formToken } = view;
  return html`<div class="chat">
${conversationHead(conversation)}
${askBox(view)}
<section class="threads" id="threads" aria-label="Questions and answers">
${threads.map((thread) => threadSection(thread, conversation, formToken))}
</section>
${threads.length === 0 && emptyState(view)}
${view.more && html`<p class="older"><a href="${conversation.path}?all=1">Show older questions</a></p>`}
</div>`;
}

/** One thread: questions, replies, and a box to go on. */
export function threadSection({ threadId, replies }: ThreadView, conversation: Conversation, formToken: string): Html {
  const first = replies[0]?.posted.question ?? '';
  return html`<section class="thread" id="thread-${threadId}" aria-label="${first}">
${replies.map((reply) => replyCard(reply, conversation, formToken))}
<details class="follow-up"><summary class="quiet">Ask a follow-up</summary>
<form method="post" action="/ask" data-ask>
${formField(formToken)}<input type="hidden" name="place" value="${conversation.key}"><input type="hidden" name="thread" value="${threadId}">
<label class="unseen" for="follow-up-${threadId}">Your follow-up question</label>
<div class="ask-line"><textarea id="follow-up-${threadId}" name="question" rows="1" required maxlength="${MAX_QUESTION_CHARACTERS}" placeholder="And what about …"></textarea>
<button class="primary" aria-label="Ask">${icon('send')}</button></div>
</form></details>
</section>`;
}

function conversationHead({ channel, members }: Conversation): Html {
  if (!channel) {
    return html`<header class="page-head"><p class="eyebrow">${icon('lock')}<span>Private</span></p><h1>Ask the documents</h1>
<p class="muted">Only you see this. Answers quote whatever you may read, word for word.</p></header>`;
  }
  const guests = members.filter((person) => person.guest).length;
  return html`<header class="page-head"><p class="eyebrow">${icon('channel')}<span>Channel</span></p><h1 dir="auto">${channel.name}</h1>
${channel.purpose && html`<p class="muted" dir="auto">${channel.purpose}</p>`}
<details class="members"><summary><span class="faces">${members.slice(0, FACES).map(avatar)}</span><span>${counted(members.length, 'member')}${guests > 0 && `, ${counted(guests, 'guest')} among them`}</span></summary>
<ul>${members.map(
    (person) =>
      html`<li>${avatar(person)}<span>${nameOf(person)} <span class="muted">${person.guest ? 'Guest' : ROLE_NAMES[person.role]}</span></span></li>`,
  )}</ul></details>
<p class="rule">Answers here quote only what <b>every one of them</b> may read.</p></header>`;
}

function askBox({ conversation, formToken, draft = '' }: ChatView): Html {
  const hint = conversation.channel ? `Ask in ${conversation.channel.name}` : 'What would you like to know?';
  return html`<form class="ask" method="post" action="/ask" data-ask>
${formField(formToken)}<input type="hidden" name="place" value="${conversation.key}">
<label class="unseen" for="question">Your question</label>
<div class="ask-line"><textarea id="question" name="question" rows="1" required maxlength="${MAX_QUESTION_CHARACTERS}" placeholder="${hint}">${draft}</textarea>
<button class="primary" aria-label="Ask">${icon('send')}<span>Ask</span></button></div>
</form>
<div class="progress" id="progress" role="status" aria-live="polite"></div>`;
}

function emptyState({ conversation, suggestions, formToken }: ChatView): Html {
  if (suggestions.length === 0) {
    return html`<div class="empty" data-empty><p>Nothing has been asked here yet.</p></div>`;
  }
  return html`<div class="empty" data-empty><h2>To begin with</h2><ul class="suggestions">${suggestions.map(
    (text) =>
      html`<li><form method="post" action="/ask" data-ask>${formField(formToken)}<input type="hidden" name="place" value="${conversation.key}"><input type="hidden" name="question" value="${text}"><button class="suggestion" dir="auto">${text}</button></form></li>`,
  )}</ul></div>`;
}
