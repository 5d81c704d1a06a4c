// Charts as SVG without a script, each with the same figures as a table. Colours and type come from the style sheet.
import { type Html, html } from './html.ts';

/** A row of figures, one a label. */
export interface Series {
  readonly name: string;
  /** Picks the colour: 0 is the accent. */
  readonly tint: number;
  /** Null: nothing is known. */
  readonly values: readonly (number | null)[];
}

export interface ChartOptions {
  readonly title: string;
  /** What the chart says, for those who do not see it. */
  readonly summary: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Heading of the labels in the table. */
  readonly labelName: string;
}

// Units of the view box. On a phone one is a pixel less a little, so type of 12 stays readable.
const WIDTH = 420;
const HEIGHT = 190;
const LEFT = 52;
const RIGHT = 8;
const TOP = 10;
const BOTTOM = 26;
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;
const GRID_LINES = 4;
const MAX_X_LABELS = 5;

/** Bars side by side, each of the series on top of one another. */
export function barChart(options: ChartOptions): Html {
  const totals = options.labels.map((_, at) => sum(options.series.map(({ values }) => values[at] ?? 0)));
  const top = niceTop(Math.max(0, ...totals));
  const step = PLOT_WIDTH / Math.max(1, options.labels.length);
  const width = Math.min(28, step * 0.7);
  const bars = options.labels.map((_, at) => {
    let below = 0;
    return options.series.map(({ values, tint }) => {
      const value = values[at] ?? 0;
      const height = (value / top) * PLOT_HEIGHT;
      const y = TOP + PLOT_HEIGHT - (below / top) * PLOT_HEIGHT - height;
      below += value;
      if (value === 0) return null;
      return html`<rect class="tint-${tint}" x="${rounded(LEFT + at * step + (step - width) / 2)}" y="${rounded(y)}" width="${rounded(width)}" height="${rounded(height)}" rx="1.5"/>`;
    });
  });
  return figure(options, html`${axes(options, top)}${bars}`);
}

/** A line for each of the series; days without a figure break it. */
export function lineChart(options: ChartOptions): Html {
  const top = niceTop(Math.max(0, ...options.series.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const step = PLOT_WIDTH / Math.max(1, options.labels.length);
  const place = (value: number, at: number) =>
    [LEFT + (at + 0.5) * step, TOP + PLOT_HEIGHT - (value / top) * PLOT_HEIGHT] as const;
  const lines = options.series.map(({ values, tint }) => {
    const points = values.map((value, at) => (value === null ? null : place(value, at)));
    const path = points
      .map((point, at) => point && `${points[at - 1] ? 'L' : 'M'}${rounded(point[0])} ${rounded(point[1])}`)
      .filter(Boolean)
      .join('');
    const dots = points.map(
      (point) =>
        point && html`<circle class="tint-${tint}" cx="${rounded(point[0])}" cy="${rounded(point[1])}" r="2.5"/>`,
    );
    return html`<path class="line tint-${tint}" d="${path}"/>${dots}`;
  });
  return figure(options, html`${axes(options, top)}${lines}`);
}

function axes({ labels, format }: ChartOptions, top: number): Html {
  const grid = Array.from({ length: GRID_LINES + 1 }, (_, line) => {
    const y = rounded(TOP + PLOT_HEIGHT - (line / GRID_LINES) * PLOT_HEIGHT);
    return html`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/><text x="${LEFT - 6}" y="${y}" dy="4" text-anchor="end">${format((top * line) / GRID_LINES)}</text>`;
  });
  const step = PLOT_WIDTH / Math.max(1, labels.length);
  const every = Math.max(1, Math.ceil(labels.length / MAX_X_LABELS));
  const last = labels.length - 1;
  const names = labels.map(
    (label, at) =>
      (last - at) % every === 0 &&
      html`<text x="${rounded(LEFT + (at + 0.5) * step)}" y="${HEIGHT - 8}" text-anchor="middle">${label}</text>`,
  );
  return html`${grid}${names}`;
}

function figure(options: ChartOptions, drawing: Html): Html {
  const { title, summary, series } = options;
  const legend =
    series.length > 1 &&
    html`<ul class="legend">${series.map(({ name, tint }) => html`<li><span class="swatch tint-${tint}"></span>${name}</li>`)}</ul>`;
  return html`<figure class="chart"><figcaption><h2>${title}</h2></figcaption>${legend}
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary}">${drawing}</svg>
<details><summary>As a table</summary>${figuresTable(options)}</details></figure>`;
}

function figuresTable({ title, labels, series, format, labelName }: ChartOptions): Html {
  const head = html`<tr><th scope="col">${labelName}</th>${series.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr>`;
  const rows = labels.map(
    (label, at) =>
      html`<tr><th scope="row">${label}</th>${series.map(({ values }) => html`<td>${cell(values[at], format)}</td>`)}</tr>`,
  );
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label="${title} as a table"><table><thead>${head}</thead><tbody>${rows}</tbody></table></div>`;
}

function cell(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

/** A bar for each of a few things, with its name and figure as text. */
export function barList(title: string, items: readonly { name: string; value: number; href?: string }[]): Html {
  const most = Math.max(1, ...items.map(({ value }) => value));
  const rows = items.map(({ name, value, href }) => {
    const width = rounded((value / most) * 100);
    return html`<li><span>${href ? html`<a href="${href}">${name}</a>` : name}</span><b>${value.toLocaleString('en')}</b><svg viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="2"/><rect class="tint-0" width="${width}" height="2"/></svg></li>`;
  });
  return html`<section class="chart"><h2>${title}</h2><ul class="bar-list">${rows}</ul></section>`;
}

// A round number that is not below: 1, 2 or 5 times a power of ten, so that quarters of it read well.
function niceTop(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 4, 8, 10].find((each) => each * power >= value) ?? 10;
  return factor * power;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
