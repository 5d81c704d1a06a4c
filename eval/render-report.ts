// The figures of a set for people: what was measured, and where it went wrong.
import type { AttackOutcome, QuestionOutcome } from './evaluate-dataset.ts';
import { type DatasetFigures, leakedTexts } from './summarise.ts';

/** How a set came into the product. Times in milliseconds. */
export interface IngestFigures {
  readonly documents: number;
  readonly chunks: number;
  readonly failed: readonly { readonly id: string; readonly reason: string }[];
  /** Whether the documents of an earlier run were used. */
  readonly reused: boolean;
  readonly embedded: { readonly remembered: number; readonly computed: number };
  readonly timingsMs: Readonly<Record<string, number>>;
}

/** Everything that one run measured. */
export interface DatasetReport {
  readonly name: string;
  readonly figures: DatasetFigures;
  readonly ingest: IngestFigures;
  readonly questions: readonly QuestionOutcome[];
  readonly attacks: readonly AttackOutcome[] | null;
}

const WORST = 10;

/** A table of figures and the worst questions; `withIds` adds the ids of questions and texts. */
export function renderReport(report: DatasetReport, { withIds }: { withIds: boolean }): string {
  return [
    ...table(report),
    ...curve(report.figures),
    ...worstRankings(report.questions, withIds),
    ...wrongDecisions(report.questions, withIds),
    ...leaks(report.attacks ?? [], withIds),
    '',
  ].join('\n');
}

/** The report as JSON: the figures by their names, the ingest, and with `withQuestions` every question. */
export function reportJson(report: DatasetReport, { withQuestions }: { withQuestions: boolean }): object {
  const { name, figures, ingest, questions, attacks } = report;
  return { dataset: name, ...figures, ingest, ...(withQuestions ? { questions, attacks } : {}) };
}

function table({ name, figures, ingest }: DatasetReport): string[] {
  const { latencyMs, leaksBy, counted } = figures;
  const row = (label: string, value: string) => (value === '' ? [] : [`  ${label.padEnd(22)}${value}`]);
  const share = (label: string, value: number | null) => row(label, value === null ? '' : value.toFixed(3));
  return [
    `${name}: ${ingest.documents} documents, ${ingest.chunks} chunks${ingest.reused ? ' (kept)' : ''}, ${figures.n} questions`,
    ...row('failed documents', ingest.failed.length === 0 ? '' : failures(ingest)),
    ...share('nDCG@10', figures['ndcg@10']),
    ...share('recall@5', figures['recall@5']),
    ...share('recall@20', figures['recall@20']),
    ...share('recall@50', figures['recall@50']),
    ...share('MRR@10', figures['mrr@10']),
    ...share('precision@10', figures['precision@10']),
    ...share('quote validity', figures.quoteValidity),
    ...share('gold sentence quoted', figures.goldSentence),
    ...share('correct refusals', figures.correctRefusals),
    ...share('false refusals', figures.falseRefusals),
    ...share('refusal AUROC', figures.refusalAuroc),
    ...share('span recall, 5 chunks', figures.spanRecall),
    ...share('span recall, quotes', figures.quoteSpanRecall),
    ...row(
      'leaks',
      leaksBy === null
        ? ''
        : `${figures.leaks} in ${counted.attacks} attacks (${leaksBy.retrieved} retrieved, ${leaksBy.quoted} quoted, ${leaksBy.named} named)`,
    ),
    ...row('latency', `${milliseconds(latencyMs.p50)} p50, ${milliseconds(latencyMs.p95)} p95`),
    ...row('degraded questions', figures.degraded === 0 ? '' : String(figures.degraded)),
    ...row('embedded texts', `${ingest.embedded.computed} computed, ${ingest.embedded.remembered} remembered`),
    ...row('time', times(ingest.timingsMs)),
  ];
}

function curve({ refusalCurve }: DatasetFigures): string[] {
  if (!refusalCurve) return [];
  const line = (label: string, cells: readonly string[]) =>
    `  ${label.padEnd(22)}${cells.map((cell) => cell.padStart(6)).join('')}`;
  const points = refusalCurve.filter((_, index) => index % 2 === 1);
  const shares = (of: 'answered' | 'falseAnswers') => points.map((point) => point[of].toFixed(2));
  return [
    '',
    'Shares that would be answered at other thresholds of the decision',
    line(
      'threshold',
      points.map(({ threshold }) => threshold.toFixed(1)),
    ),
    line('answerable', shares('answered')),
    line('unanswerable', shares('falseAnswers')),
  ];
}

function failures({ failed }: IngestFigures): string {
  const reasons = new Map<string, number>();
  for (const { reason } of failed) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return [...reasons].map(([reason, count]) => `${count}: ${reason}`).join('; ');
}

function milliseconds(value: number | null): string {
  return value === null ? '-' : `${Math.round(value)} ms`;
}

function times(timingsMs: Readonly<Record<string, number>>): string {
  return Object.entries(timingsMs)
    .map(([stage, ms]) => `${stage} ${(ms / 1000).toFixed(1)} s`)
    .join(', ');
}

function section(title: string, lines: readonly string[]): string[] {
  const more = lines.length > WORST ? [`  … and ${lines.length - WORST} more`] : [];
  return lines.length === 0 ? [] : ['', title, ...lines.slice(0, WORST), ...more];
}

// Only questions whose first relevant text is missing from the first ten, worst first.
function worstRankings(questions: readonly QuestionOutcome[], withIds: boolean): string[] {
  const lines = questions
    .filter(({ ranking }) => ranking !== null && ranking['mrr@10'] === 0)
    .sort((a, b) => (b.firstRelevant ?? Number.POSITIVE_INFINITY) - (a.firstRelevant ?? Number.POSITIVE_INFINITY) || 0)
    .flatMap(({ id, text, firstRelevant, expected, found }) => [
      [
        `  ${place(firstRelevant)}  ${named(id, text, withIds)}`,
        ...(withIds
          ? [`        expected ${expected.join(', ')}`, `        found    ${found.slice(0, 3).join(', ')}`]
          : []),
      ].join('\n'),
    ]);
  return section('No relevant text among the first ten (place of the first)', lines);
}

function place(firstRelevant: number | null): string {
  return (firstRelevant === null ? 'none' : String(firstRelevant)).padStart(4);
}

function wrongDecisions(questions: readonly QuestionOutcome[], withIds: boolean): string[] {
  const score = ({ decisionScore }: QuestionOutcome) => (decisionScore === null ? '' : `${decisionScore.toFixed(2)}  `);
  const line = (question: QuestionOutcome) => `  ${score(question)}${named(question.id, question.text, withIds)}`;
  const byScore = (a: QuestionOutcome, b: QuestionOutcome) => (a.decisionScore ?? 0) - (b.decisionScore ?? 0);
  const refused = questions.filter(({ answerable, status }) => answerable === true && status === 'refused');
  const answered = questions.filter(({ answerable, status }) => answerable === false && status === 'answered');
  return [
    ...section('Refused although answerable (score of the decision)', refused.sort(byScore).map(line)),
    ...section('Answered although unanswerable', answered.sort((a, b) => byScore(b, a)).map(line)),
  ];
}

function leaks(attacks: readonly AttackOutcome[], withIds: boolean): string[] {
  const lines = attacks
    .filter((attack) => leakedTexts(attack).length > 0)
    .map((attack) => {
      const how = (['retrieved', 'quoted', 'named'] as const).filter((each) => attack[each].length > 0).join(', ');
      return `  ${how}: ${named(attack.id, attack.text, withIds)}${withIds ? `: ${leakedTexts(attack).join(', ')}` : ''}`;
    });
  return section('Leaks', lines);
}

// Texts of a set go to a terminal: controls could move its cursor.
function named(id: string, text: string, withIds: boolean): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ');
  return withIds ? `${id}  ${plain}` : plain;
}
