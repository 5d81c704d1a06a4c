import { counted } from '../../retrieval/counted.ts';
import { REFUSALS } from '../../retrieval/model.ts';
import type { DocumentState } from '../ports.ts';
import { barChart, barList, lineChart } from './chart.ts';
import { type Html, html, raw } from './html.ts';
import { icon } from './icons.ts';
import { namedLink } from './named-link.ts';
import type { DayFigures, Overview } from './ports.ts';
import { dollars, duration, inWords, percent, STATE_NAMES } from './words.ts';

/** Periods to choose from, in days. */
export const PERIODS = [7, 14, 30, 90] as const;

/** Volume, speed, refusals, cost, queue and failures. */
export function overviewPage(overview: Overview): Html {
  const period = overview.days.length;
  return html`<header class="page-head row"><div><p class="eyebrow">${icon('chart')}<span>Operations</span></p><h1>Overview</h1></div>
<nav aria-label="Period"><ul class="choices">${PERIODS.map((days) => html`<li><a href="/admin?days=${days}"${days === period && raw(' aria-current="page"')}>${days} days</a></li>`)}</ul></nav></header>
${overseenNotice(overview)}
${tiles(overview)}
<div class="charts">
${volumeChart(overview)}${latencyChart(overview)}${refusalList(overview)}${costChart(overview)}
</div>
<div class="charts">
${queueTable(overview)}${documentList(overview)}
</div>
${failureList(overview)}`;
}

// The one complaint that may not wait: somebody may have read what is not for them.
function overseenNotice({ feedback: { notAllowedToSee } }: Overview): Html | false {
  return (
    notAllowedToSee > 0 &&
    html`<p class="notice notice-bad" role="alert">${icon('warning')}<span><b>${counted(notAllowedToSee, 'person says', 'people say')} that somebody saw an answer that is not for them.</b> <a href="/admin/questions?kind=not_allowed_to_see">See which</a></span></p>`
  );
}

const refusedOf = ({ refused }: DayFigures): number =>
  REFUSALS.reduce((sum, refusal) => sum + (refused[refusal] ?? 0), 0);
const askedOf = (day: DayFigures): number => day.answered + refusedOf(day);
const costPerAnswer = (day: DayFigures): number | null => (day.answered > 0 ? day.costUsd / day.answered : null);

function tiles({ total, feedback, retractions }: Overview): Html {
  const asked = askedOf(total);
  const cost = costPerAnswer(total);
  const given = feedback.up + feedback.down;
  const late = retractions.pending + retractions.failed;
  const figures: [string, string, string][] = [
    ['Questions', asked.toLocaleString('en'), asked > 0 ? `${percent(total.answered / asked)} answered` : 'none yet'],
    ['Median time', duration(total.p50Ms), `95 % ${duration(total.p95Ms)}, 99 % ${duration(total.p99Ms)}`],
    ['Cost per answer', cost === null ? '–' : dollars(cost), `${dollars(total.costUsd)} in all`],
    ['Found helpful', given > 0 ? percent(feedback.up / given) : '–', counted(given, 'opinion')],
    [
      'To be taken back',
      late.toLocaleString('en'),
      retractions.failed > 0 ? `${retractions.failed} given up` : 'posted answers',
    ],
  ];
  return html`<dl class="tiles">${figures.map(([name, value, note]) => html`<div><dt>${name}</dt><dd><b>${value}</b><span>${note}</span></dd></div>`)}</dl>`;
}

const shortDay = (day: string): string =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

function volumeChart({ days, total }: Overview): Html {
  return barChart({
    title: 'Questions a day',
    summary: `Questions a day: ${askedOf(total)} in ${days.length} days, ${total.answered} answered, ${refusedOf(total)} refused.`,
    labelName: 'Day',
    labels: days.map(({ day }) => shortDay(day)),
    series: [
      { name: 'Answered', tint: 0, values: days.map(({ answered }) => answered) },
      { name: 'Refused', tint: 2, values: days.map(refusedOf) },
    ],
    format: (value) => String(Math.round(value * 100) / 100),
  });
}

function latencyChart({ days, total }: Overview): Html {
  return lineChart({
    title: 'Time to answer',
    summary: `Time to answer: half within ${duration(total.p50Ms)}, 95 percent within ${duration(total.p95Ms)}, 99 percent within ${duration(total.p99Ms)}.`,
    labelName: 'Day',
    labels: days.map(({ day }) => shortDay(day)),
    series: [
      { name: 'p50', tint: 0, values: days.map(({ p50Ms }) => p50Ms) },
      { name: 'p95', tint: 1, values: days.map(({ p95Ms }) => p95Ms) },
      { name: 'p99', tint: 2, values: days.map(({ p99Ms }) => p99Ms) },
    ],
    format: duration,
  });
}

function refusalList({ total }: Overview): Html {
  return barList('Answered and refused', [
    { name: 'Answered', value: total.answered, href: '/admin/questions?kind=answered' },
    ...REFUSALS.map((refusal) => ({
      name: inWords(refusal),
      value: total.refused[refusal] ?? 0,
      href: '/admin/questions?kind=refused',
    })),
  ]);
}

function costChart({ days, total }: Overview): Html {
  const cost = costPerAnswer(total);
  return barChart({
    title: 'Cost per answer',
    summary: cost === null ? 'Cost per answer: no answers yet.' : `Cost per answer: ${dollars(cost)} on average.`,
    labelName: 'Day',
    labels: days.map(({ day }) => shortDay(day)),
    series: [{ name: 'Cost per answer', tint: 0, values: days.map(costPerAnswer) }],
    format: dollars,
  });
}

function queueTable({ queues }: Overview): Html {
  const rows = Object.entries(queues).map(
    ([name, { queued, active, failed }]) =>
      html`<tr><th scope="row">${inWords(name)}</th><td>${queued}</td><td>${active}</td><td${failed > 0 && raw(' class="bad"')}>${failed}</td></tr>`,
  );
  return html`<section class="chart"><h2>Background jobs</h2><div class="table-scroll" tabindex="0" role="group" aria-label="Background jobs"><table>
<thead><tr><th scope="col">Job</th><th scope="col">Waiting</th><th scope="col">Running</th><th scope="col">Failed</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}

function documentList({ documentsByState }: Overview): Html {
  return barList(
    'Documents',
    Object.entries(STATE_NAMES).map(([state, name]) => ({
      name,
      value: documentsByState[state as DocumentState] ?? 0,
      href: `/admin/documents?state=${state}`,
    })),
  );
}

function failureList({ failures }: Overview): Html {
  if (failures.length === 0)
    return html`<section class="panel"><h2>Failures</h2><p class="muted">Every document could be read.</p></section>`;
  return html`<section class="panel"><h2>Failures</h2><ul class="failures">${failures.map(
    ({ documentId, title, uri, reason }) =>
      html`<li>${namedLink({ name: title || uri, href: `/admin/documents?search=${encodeURIComponent(uri)}#document-${documentId}`, label: 'show it' })}<span>${reason}</span></li>`,
  )}</ul><p><a href="/admin/documents?state=failed">All failed documents</a></p></section>`;
}
