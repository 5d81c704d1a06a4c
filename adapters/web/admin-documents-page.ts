import { counted } from '../../retrieval/counted.ts';
import {
  DOCUMENT_STATES,
  type DocumentPage,
  type DocumentState,
  type DocumentSummary,
  type ForgetReceipt,
} from '../ports.ts';
import { readersInWords } from '../readers-in-words.ts';
import { marked } from '../shown-text.ts';
import { type Html, html, raw } from './html.ts';
import { icon } from './icons.ts';
import { formField } from './layout.ts';
import { STATE_NAMES, time } from './words.ts';

/** What of the documents is shown. */
export interface DocumentFilter {
  readonly state: DocumentState | null;
  readonly search: string;
  readonly cursor: string | null;
}

/** The list of documents with what an admin may do with each. */
export function documentsPage(page: DocumentPage, filter: DocumentFilter, token: string, done: string | null): Html {
  return html`<header class="page-head"><p class="eyebrow">${icon('document')}<span>Operations</span></p><h1>Documents</h1></header>
${done && html`<p class="notice notice-good" role="status">${icon('check')}<span>${done}</span></p>`}
${filterForm(filter)}
${page.documents.length === 0 ? html`<p class="panel muted">No document is like that.</p>` : html`<ul class="cards">${page.documents.map((document) => documentCard(document, token))}</ul>`}
${pager(filter, page.nextCursor)}`;
}

function filterForm({ state, search }: DocumentFilter): Html {
  const option = (value: string, name: string, chosen: boolean) =>
    html`<option value="${value}"${chosen && raw(' selected')}>${name}</option>`;
  return html`<form class="filter" method="get" action="/admin/documents" role="search">
<label class="field">Search<input type="search" name="search" value="${search}" placeholder="Title or address"></label>
<label class="field">State<select name="state">${option('', 'All', state === null)}${DOCUMENT_STATES.map((each) => option(each, STATE_NAMES[each], each === state))}</select></label>
<button class="secondary">${icon('search')}<span>Show</span></button></form>`;
}

function documentCard(document: DocumentSummary, token: string): Html {
  const { documentId, title, uri, state, version, accessLevel, department, chunks } = document;
  const level = html`<span class="tag level-${accessLevel}">${accessLevel}</span>`;
  return html`<li class="card" id="document-${documentId}">
<div class="card-head"><h2 dir="auto">${marked(title || uri)}</h2><span class="tag state-${state}">${STATE_NAMES[state]}</span>${level}</div>
<p class="muted uri">${marked(uri)}</p>
${document.failure && html`<p class="notice">${icon('warning')}<span><b>${document.failure.code}</b>: ${document.failure.reason}</span></p>`}
<dl class="facts">
<div><dt>Version</dt><dd>${version}</dd></div>
<div><dt>Chunks</dt><dd>${chunks.toLocaleString('en')}</dd></div>
${department && html`<div><dt>Department</dt><dd>${department}</dd></div>`}
${document.mediaType && html`<div><dt>Type</dt><dd>${document.mediaType}</dd></div>`}
${document.tookEffectAt && html`<div><dt>In effect since</dt><dd>${time(document.tookEffectAt)}</dd></div>`}
${document.createdBy && html`<div><dt>From</dt><dd>${document.createdBy}</dd></div>`}
</dl>
${state !== 'deleted' && html`<p class="acl">${icon('people')}<span><span class="unseen">Readers: </span>${readersInWords(document) || 'Nobody yet'}</span></p>`}
${actions(document, token)}
</li>`;
}

function actions({ documentId, title, uri, state }: DocumentSummary, token: string): Html | null {
  if (state === 'deleted') return null;
  const path = `/admin/documents/${encodeURIComponent(documentId)}`;
  const name = html`<span class="unseen"> ${marked(title || uri)}</span>`;
  const hold = { live: ['quarantine', 'Quarantine'], quarantined: ['release', 'Release'] }[state as string];
  return html`<div class="actions">
${state === 'live' && html`<a class="button quiet" href="/documents/${encodeURIComponent(documentId)}">Open${name}</a>`}
${hold && html`<form method="post" action="${path}/${hold[0]}">${formField(token)}<button class="secondary">${hold[1]}${name}</button></form>`}
<a class="button danger" href="${path}/forget">Forget …${name}</a></div>`;
}

function pager({ state, search }: DocumentFilter, nextCursor: string | null): Html | null {
  if (nextCursor === null) return null;
  const query = new URLSearchParams({ ...(state ? { state } : {}), ...(search ? { search } : {}), cursor: nextCursor });
  return html`<p class="pager"><a class="button" href="/admin/documents?${query.toString()}">Next page</a></p>`;
}

/** Asks before a document goes for good. */
export function forgetPage(
  document: DocumentSummary,
  quoted: { readonly answers: number; readonly messages: number },
  token: string,
): Html {
  const { documentId, title, uri, version, chunks } = document;
  return html`<header class="page-head"><p class="eyebrow">${icon('warning')}<span>For good</span></p><h1>Forget this document?</h1>
<p class="lead" dir="auto">${marked(title || uri)}</p><p class="muted uri">${marked(uri)}</p></header>
<section class="panel"><h2>What goes</h2><ul class="plain">
<li>its text and original, in ${counted(version, 'version')}</li>
<li>${counted(chunks, 'chunk')} with their vectors: nobody finds it any more</li>
<li>the text of ${counted(quoted.answers, 'answer')} that quote it, shown in ${counted(quoted.messages, 'place')}: a notice takes their place</li>
</ul><p>A tombstone without content stays, so that it is known what was deleted, when, and by whom. This cannot be undone.</p>
<div class="actions"><form method="post" action="/admin/documents/${encodeURIComponent(documentId)}/forget">${formField(token)}<button class="danger solid">Forget it</button></form>
<a class="button quiet" href="/admin/documents">Keep it</a></div></section>`;
}

/** What forgetting removed. */
export function receiptPage(receipt: ForgetReceipt): Html {
  const rows: [string, number][] = [
    ['Versions', receipt.versions],
    ['Chunks', receipt.chunks],
    ['Vectors', receipt.vectors],
    ['Answers emptied', receipt.answers],
    ['Posted messages being edited', receipt.postedAnswers],
  ];
  return html`<header class="page-head"><p class="eyebrow">${icon('check')}<span>Receipt</span></p><h1>Forgotten</h1>
<p class="lead" dir="auto">${marked(receipt.title || receipt.uri)}</p><p class="muted uri">${marked(receipt.uri)}</p></header>
<section class="panel"><h2>What was removed</h2><dl class="receipt">${rows.map(([name, count]) => html`<div><dt>${name}</dt><dd>${count.toLocaleString('en')}</dd></div>`)}</dl>
<p class="muted">Document ${receipt.documentId}</p><p><a class="button" href="/admin/documents">${icon('back')}<span>All documents</span></a></p></section>`;
}
