import { counted } from '../../retrieval/counted.ts';
import type { DropStage } from '../../retrieval/search.ts';
import { FEEDBACK_REASON_TEXTS } from '../wording.ts';
import { type Html, html, raw } from './html.ts';
import { icon } from './icons.ts';
import {
  type LoggedCandidate,
  type LoggedOpinion,
  type LoggedQuestion,
  QUESTION_KINDS,
  type QuestionKind,
} from './ports.ts';
import { dollars, duration, inWords, percent, time } from './words.ts';

/** What of the log is shown. */
export interface QuestionFilter {
  readonly kind: QuestionKind | null;
  readonly search: string;
}

const KIND_NAMES: Readonly<Record<QuestionKind, string>> = {
  answered: 'Answered',
  refused: 'Refused',
  permission_drops: 'With permission drops',
  zero_confidence: 'Zero confidence',
  degraded: 'Degraded',
  complaint: 'With a complaint',
  not_allowed_to_see: 'Seen by somebody who should not',
};

const DROP_NAMES: Readonly<Record<DropStage, string>> = {
  beyond_limit: 'Ranked too low',
  not_live: 'Not live any more',
  source_cap: 'Enough of this document',
  permission: 'Permission',
  state: 'Not live',
  version: 'Other version',
  not_in_effect: 'Not in effect',
  stale_source: 'Source too old',
  not_quoted: 'Read, not quoted',
};

/** The log of questions; each row opens to what became of it. */
export function questionsPage(
  questions: readonly LoggedQuestion[],
  filter: QuestionFilter,
  nextCursor: string | null,
): Html {
  return html`<header class="page-head"><p class="eyebrow">${icon('search')}<span>Operations</span></p><h1>Questions</h1></header>
${filterForm(filter)}
${questions.length === 0 ? html`<p class="panel muted">No question is like that.</p>` : html`<ul class="cards log">${questions.map(questionRow)}</ul>`}
${pager(filter, nextCursor)}`;
}

/** One question with all its candidates. */
export function questionPage(question: LoggedQuestion): Html {
  return html`<header class="page-head"><p class="eyebrow">${icon('search')}<span>Question</span></p><h1 dir="auto">${question.question}</h1>
<p class="row-tags">${tags(question)}</p><p class="muted">${question.asker}, ${time(question.askedAt)}</p></header>
<section class="panel">${facts(question)}${opinionList(question)}${candidateTable(question.candidates, 'Candidates')}</section>
<p><a class="button" href="/admin/questions">${icon('back')}<span>All questions</span></a></p>`;
}

function filterForm({ kind, search }: QuestionFilter): Html {
  const option = (value: string, name: string, chosen: boolean) =>
    html`<option value="${value}"${chosen && raw(' selected')}>${name}</option>`;
  return html`<form class="filter" method="get" action="/admin/questions" role="search">
<label class="field">Search<input type="search" name="search" value="${search}" placeholder="Words or an e-mail"></label>
<label class="field">Show<select name="kind">${option('', 'All', kind === null)}${QUESTION_KINDS.map((each) => option(each, KIND_NAMES[each], each === kind))}</select></label>
<button class="secondary">${icon('search')}<span>Show</span></button></form>`;
}

const hasNoConfidence = ({ confidence }: LoggedQuestion): boolean => Math.round((confidence ?? 0) * 100) === 0;

function questionRow(question: LoggedQuestion): Html {
  const { droppedByPermission, answerId, candidates, retrieved } = question;
  const notable =
    droppedByPermission > 0 || wasOverseen(question) ? ' row-permission' : hasNoConfidence(question) ? ' row-zero' : '';
  const all =
    retrieved > candidates.length &&
    html`<p><a href="/admin/questions/${encodeURIComponent(answerId)}">All ${retrieved} candidates</a></p>`;
  return html`<li class="card${notable}"><details><summary>
<span class="row-question" dir="auto">${question.question}</span>
<span class="row-tags">${tags(question)}</span>
<span class="row-facts muted">${question.asker} · ${time(question.askedAt)} · ${duration(question.timingsMs.total ?? null)}</span>
</summary>${facts(question)}${opinionList(question)}${candidateTable(candidates, 'Best candidates')}${all}</details></li>`;
}

// Somebody says that it was seen by who should not see it.
const wasOverseen = ({ opinions }: LoggedQuestion): boolean =>
  opinions.some(({ reason }) => reason === 'not_allowed_to_see');

function tags(question: LoggedQuestion): Html {
  const { status, refusal, confidence, droppedByPermission, cached, degraded } = question;
  const outcome =
    status === 'answered'
      ? html`<span class="tag tag-good">answered${confidence !== null && ` ${percent(confidence)}`}</span>`
      : html`<span class="tag">${refusal ? inWords(refusal) : 'refused'}</span>`;
  return html`${outcome}
${droppedByPermission > 0 && html`<span class="tag tag-bad">${counted(droppedByPermission, 'permission drop')}</span>`}
${complaintTag(question)}
${hasNoConfidence(question) && html`<span class="tag tag-warn">zero confidence</span>`}
${degraded.length > 0 && html`<span class="tag tag-warn">degraded</span>`}
${cached && html`<span class="tag">cached</span>`}`;
}

function complaintTag(question: LoggedQuestion): Html | false {
  if (wasOverseen(question)) return html`<span class="tag tag-bad">not for their eyes</span>`;
  const complaints = question.opinions.filter(({ verdict }) => verdict === 'down').length;
  return complaints > 0 && html`<span class="tag tag-warn">${counted(complaints, 'complaint')}</span>`;
}

function opinionList({ opinions }: LoggedQuestion): Html | false {
  return opinions.length > 0 && html`<h3>What people said</h3><ul class="opinions">${opinions.map(opinionItem)}</ul>`;
}

function opinionItem({ verdict, reason, comment, givenBy, givenAt, platform }: LoggedOpinion): Html {
  const said = verdict === 'up' ? 'It helped' : reason ? FEEDBACK_REASON_TEXTS[reason] : 'It did not help';
  const bad = reason === 'not_allowed_to_see';
  return html`<li><p><b${bad && raw(' class="bad"')}>${said}</b> <span class="muted">${givenBy}, ${time(givenAt)}, ${platform}</span></p>${comment !== '' && html`<blockquote dir="auto">${comment}</blockquote>`}</li>`;
}

function facts(question: LoggedQuestion): Html {
  const { timingsMs, degraded } = question;
  const list: [string, string | number][] = [
    ['Route', question.route || '–'],
    ['Audience', counted(question.audienceSize, 'person', 'people')],
    ['Retrieved', question.retrieved],
    ['Dropped by permission', question.droppedByPermission],
    ['Quotes', question.cited],
    ['Unknown quotes', question.unknownCitations],
    ['Confidence', question.confidence === null ? 'none' : percent(question.confidence)],
    ['Model', question.model || '–'],
    ['Cost', question.costUsd === null ? 'unknown' : dollars(question.costUsd)],
    ...(degraded.length > 0 ? [['Done without', degraded.map(inWords).join(', ')] as [string, string]] : []),
  ];
  return html`<dl class="facts">${list.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${stageBars(timingsMs)}`;
}

// In which they run; a stage that is not named comes last.
const STAGE_ORDER = [
  'queue',
  'permissions',
  'rewrite',
  'cache',
  'search',
  'embed',
  'lexical',
  'vector',
  'load',
  'rerank',
  'checkpoint',
  'context',
  'model',
  'recheck',
  'store',
];

// Stages as bars on one scale. They overlap in time (both searches run at once), so they need not sum to the total.
function stageBars(timingsMs: LoggedQuestion['timingsMs']): Html | null {
  const place = (name: string) => (STAGE_ORDER.includes(name) ? STAGE_ORDER.indexOf(name) : STAGE_ORDER.length);
  const stages = Object.entries(timingsMs)
    .filter(([name]) => name !== 'total')
    .sort(([a], [b]) => place(a) - place(b));
  if (stages.length === 0) return null;
  const most = Math.max(1, ...stages.map(([, ms]) => ms));
  return html`<h3>Stages</h3><ul class="bar-list stages">${stages.map(([name, ms]) => {
    const width = Math.round((ms / most) * 100);
    return html`<li><span>${inWords(name)}</span><b>${duration(ms)}</b><svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="2"/><rect class="tint-0" width="${width}" height="2"/></svg></li>`;
  })}</ul>`;
}

function candidateTable(candidates: readonly LoggedCandidate[], title: string): Html {
  if (candidates.length === 0)
    return html`<p class="muted">No candidates are kept: nothing was found, or the trace has expired.</p>`;
  const rows = candidates.map(({ title: name, headingPath, score, contributions, dropped, layer }, index) => {
    const path = [...new Set([name || 'A document that is gone', ...headingPath])].join(' › ');
    return html`<tr${dropped === null && raw(' class="kept"')}><td>${index + 1}</td><td dir="auto">${path}</td><td>${points(score)}</td><td>${points(contributions.lexical)}</td><td>${points(contributions.vector)}</td><td>${contributions.rerank === undefined ? '–' : points(contributions.rerank)}</td><td>${dropped === null ? html`<b>Quoted</b>` : DROP_NAMES[dropped]}${layer && html` <span class="muted">${layer}</span>`}</td></tr>`;
  });
  return html`<h3>${title}</h3><div class="table-scroll" tabindex="0" role="group" aria-label="${title}"><table class="candidates">
<thead><tr>${['#', 'Passage', 'Score', 'Words', 'Meaning', 'Rerank', 'End'].map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

function points(value: number): string {
  return value.toFixed(3);
}

function pager({ kind, search }: QuestionFilter, nextCursor: string | null): Html | null {
  if (nextCursor === null) return null;
  const query = new URLSearchParams({ ...(kind ? { kind } : {}), ...(search ? { search } : {}), cursor: nextCursor });
  return html`<p class="pager"><a class="button" href="/admin/questions?${query.toString()}">Older questions</a></p>`;
}
