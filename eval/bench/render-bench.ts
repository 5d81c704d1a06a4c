// The figures of a benchmark for people.
import type { Percentiles, ShareFigures } from './measure-search.ts';

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

const COLUMNS = [
  'visible',
  'retrieval p50/p95',
  '÷ plain p95',
  'plain p50/p95',
  'peer p50/p95',
  '÷ peer p95',
  'recall@50',
  'of the peer',
  'tuned peer p50/p95',
  'its recall',
];
const WIDTHS = [9, 19, 13, 17, 19, 12, 10, 12, 20, 12];

/** Tables, one a size; ratios are of p95. */
export function renderBench({ sizes, ingest, startUp }: BenchFigures): string {
  const lines = sizes.flatMap((size) => [
    `${size.chunks} chunks, ${size.database}: filled in ${size.fillSeconds.toFixed(0)} s, vector indexes ` +
      `${size.vectorIndexSeconds.toFixed(0)} s, memory ${size.peakMemoryMb.toFixed(0)} MB`,
    `  ${row(COLUMNS)}`,
    ...size.shares.map((share) => `  ${row(cells(share))}`),
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

function cells(share: ShareFigures): string[] {
  const { sharePercent, retrieval, plain, peer, recallAt50, peerRecallAt50, tunedPeer, tunedPeerRecallAt50 } = share;
  return [
    `${sharePercent} %`,
    both(retrieval),
    share.plainRatio.toFixed(2),
    both(plain),
    peer ? both(peer) : '–',
    share.peerRatio?.toFixed(2) ?? '–',
    recallAt50.toFixed(4),
    peerRecallAt50?.toFixed(4) ?? '–',
    tunedPeer ? both(tunedPeer) : '–',
    tunedPeerRecallAt50?.toFixed(4) ?? '–',
  ];
}

function both({ p50, p95 }: Percentiles): string {
  return `${p50.toFixed(1)} / ${p95.toFixed(1)} ms`;
}

function stages(share: ShareFigures): string {
  return Object.entries(share.stages)
    .map(([name, { p50, p95 }]) => `${name} ${p50.toFixed(1)}/${p95.toFixed(1)}`)
    .join(', ');
}
