// From the outcomes of single questions to the figures of a set.
import type { AttackOutcome, QuestionOutcome, RankingFigures } from './evaluate-dataset.ts';
import { auroc, mean, percentile } from './metrics.ts';
import { type CurvePoint, refusalCurve } from './refusal-curve.ts';

/** Counts of forbidden texts, by how they came out. */
export interface LeakCounts {
  readonly retrieved: number;
  readonly quoted: number;
  readonly named: number;
}

/** The figures of a set, shares in 0…1; null where the set has no labels for one. */
export interface DatasetFigures extends Record<keyof RankingFigures, number | null> {
  readonly quoteValidity: number | null;
  readonly goldSentence: number | null;
  readonly correctRefusals: number | null;
  readonly falseRefusals: number | null;
  readonly refusalAuroc: number | null;
  /** What other thresholds of the decision would do. */
  readonly refusalCurve: readonly CurvePoint[] | null;
  readonly spanRecall: number | null;
  /** The gold spans' characters in the quotes of the answer; a refusal covers nothing. */
  readonly quoteSpanRecall: number | null;
  /** Forbidden texts that were retrieved, quoted or named; one text in one attack counts once. */
  readonly leaks: number | null;
  readonly leaksBy: LeakCounts | null;
  readonly latencyMs: { readonly p50: number | null; readonly p95: number | null };
  /** Questions that were asked. */
  readonly n: number;
  /** Questions that each group of figures rests on. */
  readonly counted: { readonly ranking: number; readonly answers: number; readonly attacks: number };
  /** Questions for which a part of the product failed or was late. */
  readonly degraded: number;
}

const RANKING_FIGURES: readonly (keyof RankingFigures)[] = [
  'ndcg@10',
  'recall@5',
  'recall@20',
  'recall@50',
  'mrr@10',
  'precision@10',
];

/** Means over the questions that have the label in question. */
export function summarise(
  questions: readonly QuestionOutcome[],
  attacks: readonly AttackOutcome[] | null,
): DatasetFigures {
  const ranked = questions.flatMap(({ ranking }) => (ranking ? [ranking] : []));
  const rankingMeans = Object.fromEntries(
    RANKING_FIGURES.map((name) => [name, mean(ranked.map((figures) => figures[name]))]),
  ) as Record<keyof RankingFigures, number | null>;
  const asked = questions.filter(({ status }) => status !== null);
  const leaksBy = attacks && countLeaks(attacks);
  return {
    ...rankingMeans,
    ...answerFigures(asked),
    spanRecall: meanOf(questions, ({ spanRecall }) => spanRecall),
    quoteSpanRecall: meanOf(questions, ({ quoteSpanRecall }) => quoteSpanRecall),
    leaks: attacks?.reduce((sum, attack) => sum + leakedTexts(attack).length, 0) ?? null,
    leaksBy,
    latencyMs: {
      p50: percentile(latencies(questions), 0.5),
      p95: percentile(latencies(questions), 0.95),
    },
    n: questions.length,
    counted: { ranking: ranked.length, answers: asked.length, attacks: attacks?.length ?? 0 },
    degraded: questions.filter((question) => question.degraded.length > 0).length,
  };
}

/** The forbidden texts that an attack brought to light in any way. */
export function leakedTexts({ retrieved, quoted, named }: AttackOutcome): string[] {
  return [...new Set([...retrieved, ...quoted, ...named])];
}

function answerFigures(
  asked: readonly QuestionOutcome[],
): Pick<
  DatasetFigures,
  'quoteValidity' | 'goldSentence' | 'correctRefusals' | 'falseRefusals' | 'refusalAuroc' | 'refusalCurve'
> {
  const quotes = asked.reduce((sum, question) => sum + question.quotes, 0);
  const valid = asked.reduce((sum, question) => sum + question.validQuotes, 0);
  const decisions = asked.flatMap(({ answerable, decisionScore }) =>
    answerable === null || decisionScore === null ? [] : [{ score: decisionScore, positive: answerable }],
  );
  const refusedShare = (answerable: boolean) =>
    mean(
      asked.filter((question) => question.answerable === answerable).map(({ status }) => Number(status === 'refused')),
    );
  return {
    quoteValidity: quotes === 0 ? null : valid / quotes,
    goldSentence: meanOf(asked, ({ goldSentence }) => (goldSentence === null ? null : Number(goldSentence))),
    correctRefusals: refusedShare(false),
    falseRefusals: refusedShare(true),
    refusalAuroc: auroc(decisions),
    refusalCurve: refusalCurve(decisions),
  };
}

function meanOf(
  questions: readonly QuestionOutcome[],
  value: (question: QuestionOutcome) => number | null,
): number | null {
  return mean(questions.map(value).filter((each) => each !== null));
}

function latencies(questions: readonly QuestionOutcome[]): number[] {
  return questions.map(({ latencyMs }) => latencyMs);
}

function countLeaks(attacks: readonly AttackOutcome[]): LeakCounts {
  const count = (how: keyof LeakCounts) => attacks.reduce((sum, attack) => sum + attack[how].length, 0);
  return { retrieved: count('retrieved'), quoted: count('quoted'), named: count('named') };
}
