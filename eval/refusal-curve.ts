// What another threshold of the decision to answer would do, on the questions of a set.

/** A threshold and what comes of it, shares in 0…1. */
export interface CurvePoint {
  readonly threshold: number;
  /** Of the answerable questions, those that would be answered. */
  readonly answered: number;
  /** Of the unanswerable ones, those that would be answered all the same. */
  readonly falseAnswers: number;
}

// Scores are probabilities; steps of a twentieth are as fine as some hundred questions can tell apart.
const STEPS = 20;

/** The curve over thresholds from 0.05 to 0.95. Null when the set lacks questions of either kind. */
export function refusalCurve(
  scored: readonly { readonly score: number; readonly positive: boolean }[],
): CurvePoint[] | null {
  const positives = scored.filter(({ positive }) => positive);
  const negatives = scored.filter(({ positive }) => !positive);
  if (positives.length === 0 || negatives.length === 0) return null;
  const share = (questions: typeof scored, threshold: number) =>
    questions.filter(({ score }) => score >= threshold).length / questions.length;
  return Array.from({ length: STEPS - 1 }, (_, index) => {
    const threshold = (index + 1) / STEPS;
    return { threshold, answered: share(positives, threshold), falseAnswers: share(negatives, threshold) };
  });
}
