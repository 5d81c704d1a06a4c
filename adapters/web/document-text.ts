import type { Span } from '../../retrieval/model.ts';
import { isolated } from '../shown-text.ts';
import { readBlocks, readCells, type TextBlock } from './document-blocks.ts';
import { type Html, html, raw } from './html.ts';

/** How a document's text is shown. */
export interface TextOptions {
  /** Offsets at which headings begin. Not given: every line that looks like one. */
  readonly headings?: ReadonlySet<number>;
  /** What is highlighted; the first piece has the id `quote`. */
  readonly mark?: Span | null;
}

/** A text in light Markdown as HTML. Words are the text's own characters, escaped and isolated; what may be markup in them is shown. */
export function documentText(text: string, { headings, mark = null }: TextOptions = {}): Html[] {
  const write = createWriter(text, mark);
  return readBlocks(text, headings).map((block) => writeBlock(text, block, write));
}

type Write = (span: Span) => Html;

// Pieces inside the mark are marked one by one, because it may begin in one block and end in another.
function createWriter(text: string, mark: Span | null): Write {
  let first = true;
  return ({ start, end }) => {
    if (!mark || mark.end <= start || mark.start >= end) return html`${isolated(text.slice(start, end))}`;
    const from = Math.max(start, mark.start);
    const to = Math.min(end, mark.end);
    const id = first && raw(' id="quote" tabindex="-1"');
    first = false;
    return html`${isolated(text.slice(start, from))}<mark${id}>${isolated(text.slice(from, to))}</mark>${isolated(text.slice(to, end))}`;
  };
}

function writeBlock(text: string, block: TextBlock, write: Write): Html {
  const lines = block.lines.map((line, index) => html`${index > 0 && '\n'}${write(line)}`);
  if (block.kind === 'table') return writeTable(text, block, write);
  if (block.kind === 'code') return html`<pre tabindex="0"><code>${lines}</code></pre>`;
  if (block.kind === 'item') {
    return html`<p class="item item-${Math.min(block.level, 4)}" dir="auto"><span class="marker">${block.marker}</span><span>${lines}</span></p>`;
  }
  if (block.kind === 'heading') {
    // The page's own title is the only heading of the first level.
    const name = raw(`h${Math.min(block.level + 1, 6)}`);
    return html`<${name} id="at-${block.start}" dir="auto">${lines}</${name}>`;
  }
  return html`<p dir="auto">${lines}</p>`;
}

function writeTable(text: string, block: TextBlock, write: Write): Html {
  const rows = block.lines.map((line) => readCells(text, line));
  const headed = rows[0] !== null && rows[1] === null;
  const body = rows.filter((row) => row !== null).slice(headed ? 1 : 0);
  const head =
    headed &&
    rows[0] &&
    html`<thead><tr>${rows[0].map((cell) => html`<th scope="col">${write(cell)}</th>`)}</tr></thead>`;
  return html`<div class="table-scroll" tabindex="0" role="group" aria-label="Table"><table>${head}<tbody>${body.map(
    (row) => html`<tr>${row.map((cell) => html`<td dir="auto">${write(cell)}</td>`)}</tr>`,
  )}</tbody></table></div>`;
}
