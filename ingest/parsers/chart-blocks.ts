// The numbers of a chart of an office file, as a table: categories down, series across.
import { paragraphBlock, tableBlock } from '../markdown-blocks.ts';
import type { DraftBlock } from './build-document.ts';
import { type MarkupElement, rawText } from './markup-tree.ts';
import { allNamed, childrenNamed } from './office-xml.ts';

/** The title and the cached values of a chart part. */
export function chartBlocks(chart: MarkupElement): DraftBlock[] {
  const [title] = allNamed(chart, 'title');
  const titleText = title ? allNamed(title, 't').map(rawText).join('') : '';
  const series = allNamed(chart, 'ser');
  const [first] = series;
  if (!first) return [paragraphBlock(titleText)];
  const names = series.map((one) => points(one, 'tx')[0] ?? '');
  const columns = series.map((one) => [...points(one, 'val'), ...points(one, 'yVal')]);
  const labels = [...points(first, 'cat'), ...points(first, 'xVal')];
  const length = Math.max(labels.length, ...columns.map((column) => column.length));
  const rows = Array.from({ length }, (_, row) => [labels[row] ?? '', ...columns.map((column) => column[row] ?? '')]);
  return [paragraphBlock(titleText), tableBlock([['', ...names], ...rows])];
}

// The cached points of a part of a series, by their index. 32,000 points is what a chart of Excel can show.
const MAX_POINTS = 32_000;

function points(series: MarkupElement, part: string): string[] {
  const values: string[] = [];
  for (const point of childrenNamed(series, part).flatMap((element) => allNamed(element, 'pt'))) {
    const index = Number(point.attributes.idx ?? values.length);
    if (index < MAX_POINTS) values[index] = allNamed(point, 'v').map(rawText).join('').trim();
  }
  return Array.from(values, (value) => value ?? '');
}
