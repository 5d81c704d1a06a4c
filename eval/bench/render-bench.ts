// The figures of a benchmark for people.
import { COMPARED, type ComparedName, type Comparison, type Percentiles, type ShareFigures } from './measure-search.ts';

/** One size of corpus on one database. */
export interface SizeFigures {
  readonly database: 'embedded' | 'server';
  readonly chunks: number;
  readonly fillSeconds: number;
  readonly vectorIndexSeconds: number;
  /** Of this process, the embedded database included, at its highest while searching. */
  readonly peakMemoryMb: number;
  readonly shares: readonly ShareFigures[];
}

/** The whole run. */
export interface BenchFigures {
  readonly sizes: readonly SizeFigures[];
  /** null = left out. */
  readonly ingest: {
    readonly chunks: number;
    readonly chunksPerSecond: number;
    /** Share of the time in which the embedder was at work, 0…1. */
    readonly embedderShare: number;
  } | null;
  /** Seconds until a command has answered, with a new embedded database and with an existing one; null = left out. */
  readonly startUp: { readonly firstSeconds: number; readonly againSeconds: number } | null;
}

const COLUMNS = ['visible', 'search', 'p50', 'p95', 'recall@50', 'retrieval p95 ÷', 'vector search p95 ÷'];
const WIDTHS = [9, 26, 11, 11, 11, 17, 21];
const NAMES: Readonly<Record<ComparedName, string>> = {
  plain: 'plain query',
  tunedPlain: 'plain query, tuned',
  peer: 'PGVectorStore',
  tunedPeer: 'PGVectorStore, tuned',
};

/** Tables, one a size. */
export function renderBench({ sizes, ingest, startUp }: BenchFigures): string {
  const lines = sizes.flatMap((size) => [
    `${size.chunks} chunks, ${size.database}: filled in ${size.fillSeconds.toFixed(0)} s, vector indexes ` +
      `${size.vectorIndexSeconds.toFixed(0)} s, memory ${size.peakMemoryMb.toFixed(0)} MB`,
    `  ${row(COLUMNS)}`,
    ...size.shares.flatMap((share) => rows(share).map((cells) => `  ${row(cells)}`)),
    ...size.shares.map((share) => `  ${String(share.sharePercent).padStart(3)} %  ${stages(share)}`),
    '',
  ]);
  if (ingest) {
    const { chunks, chunksPerSecond, embedderShare } = ingest;
    lines.push(
      `ingest: ${chunks} chunks, ${chunksPerSecond.toFixed(1)} a second, embedder at work ${(100 * embedderShare).toFixed(0)} % of the time`,
    );
  }
  if (startUp) {
    lines.push(
      `start-up: ${startUp.firstSeconds.toFixed(1)} s with a new database, ${startUp.againSeconds.toFixed(1)} s again`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padStart(WIDTHS[index] ?? 12)).join('');
}

function rows(share: ShareFigures): string[][] {
  return [
    [`${share.sharePercent} %`, 'retrieval', ...milliseconds(share.retrieval)],
    ['', 'its vector search alone', ...milliseconds(share.vectorSearch), share.recallAt50.toFixed(4)],
    ...COMPARED.flatMap((name) => (share[name] ? [['', NAMES[name], ...cells(share[name])]] : [])),
  ];
}

function cells({ recallAt50, ratio, vectorRatio, ...times }: Comparison): string[] {
  return [...milliseconds(times), recallAt50.toFixed(4), ratio.toFixed(2), vectorRatio.toFixed(2)];
}

function milliseconds({ p50, p95 }: Percentiles): string[] {
  return [`${p50.toFixed(1)} ms`, `${p95.toFixed(1)} ms`];
}

function stages(share: ShareFigures): string {
  return Object.entries(share.stages)
    .map(([name, { p50, p95 }]) => `${name} ${p50.toFixed(1)}/${p95.toFixed(1)}`)
    .join(', ');
}
