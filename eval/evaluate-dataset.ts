// All questions and attacks of a set, one after another, so that the latency is that of an unoccupied product.
import type { Principal } from '../retrieval/model.ts';
import { type Asked, askProduct, type EvaluatedProduct, textIdOf } from './ask-product.ts';
import type { Attack, CorpusText, Dataset, DatasetQuestion } from './dataset.ts';
import { containsGoldSentence, countValidQuotes, mayRead, names } from './judge-answer.ts';
import { mrrAtK, ndcgAtK, precisionAtK, recallAtK } from './metrics.ts';
import { normaliseText } from './normalise-text.ts';
import { createSpanCoverage, type SpanCoverage } from './span-coverage.ts';

/** Ranking figures of one question, by their names in the report. */
export interface RankingFigures {
  readonly 'ndcg@10': number;
  readonly 'recall@5': number;
  readonly 'recall@20': number;
  readonly 'recall@50': number;
  readonly 'mrr@10': number;
  readonly 'precision@10': number;
}

/** What came of one question. null = the set has no label for it. */
export interface QuestionOutcome {
  readonly id: string;
  readonly text: string;
  readonly answerable: boolean | null;
  readonly ranking: RankingFigures | null;
  /** 1-based place of the first relevant text; null = not found. */
  readonly firstRelevant: number | null;
  readonly expected: readonly string[];
  readonly found: readonly string[];
  readonly status: 'answered' | 'refused' | null;
  readonly quotes: number;
  readonly validQuotes: number;
  /** null unless an answerable question with gold sentences was answered. */
  readonly goldSentence: boolean | null;
  readonly decisionScore: number | null;
  readonly spanRecall: number | null;
  readonly quoteSpanRecall: number | null;
  readonly latencyMs: number;
  readonly degraded: readonly string[];
}

/** How the forbidden texts of one attack came out. */
export interface AttackOutcome {
  readonly id: string;
  readonly text: string;
  readonly retrieved: readonly string[];
  readonly quoted: readonly string[];
  readonly named: readonly string[];
}

export interface EvaluationOptions {
  readonly onProgress?: (done: number, total: number) => void;
}

/** Asks everything. `attacks` is null where the set has none. */
export async function evaluateDataset(
  product: EvaluatedProduct,
  dataset: Pick<Dataset, 'texts' | 'questions' | 'attacks'>,
  { onProgress }: EvaluationOptions = {},
): Promise<{ questions: QuestionOutcome[]; attacks: AttackOutcome[] | null }> {
  const texts = new Map(dataset.texts.map((text) => [text.id, text]));
  const coverage = createSpanCoverage((textId) => texts.get(textId)?.text ?? '');
  const total = dataset.questions.length + (dataset.attacks?.length ?? 0);
  const questions: QuestionOutcome[] = [];
  for (const question of dataset.questions) {
    const asked = await askProduct(product, question, { withAnswer: question.hasAnswerLabels });
    questions.push(judgeQuestion(question, asked, coverage));
    onProgress?.(questions.length, total);
  }
  if (!dataset.attacks) return { questions, attacks: null };
  const attacks: AttackOutcome[] = [];
  const readable = createReadableText(dataset.texts);
  for (const attack of dataset.attacks) {
    const asked = await askProduct(product, attack, { withAnswer: true });
    attacks.push(judgeAttack(attack, asked, texts, readable));
    onProgress?.(questions.length + attacks.length, total);
  }
  return { questions, attacks };
}

function judgeQuestion(question: DatasetQuestion, asked: Asked, coverage: SpanCoverage): QuestionOutcome {
  const { relevant, answerable, goldSentences } = question;
  const { ranking, answer } = asked;
  const first = ranking.findIndex((id) => relevant.has(id));
  const citations = answer?.citations ?? [];
  const answered = answer?.status === 'answered';
  return {
    id: question.id,
    text: question.text,
    answerable,
    ranking: relevant.size === 0 ? null : rankingFigures(ranking, relevant),
    firstRelevant: first < 0 ? null : first + 1,
    expected: [...relevant.keys()],
    found: ranking.slice(0, 10),
    status: answer?.status ?? null,
    quotes: citations.length,
    validQuotes: countValidQuotes(citations, asked.citedChunks),
    goldSentence:
      answered && answerable !== false && goldSentences.length > 0
        ? containsGoldSentence(citations, goldSentences)
        : null,
    decisionScore: asked.decisionScore,
    ...spanFigures(question, asked, coverage),
    latencyMs: asked.latencyMs,
    degraded: asked.degraded,
  };
}

function rankingFigures(ranking: readonly string[], relevant: DatasetQuestion['relevant']): RankingFigures {
  return {
    'ndcg@10': ndcgAtK(ranking, relevant, 10),
    'recall@5': recallAtK(ranking, relevant, 5),
    'recall@20': recallAtK(ranking, relevant, 20),
    'recall@50': recallAtK(ranking, relevant, 50),
    'mrr@10': mrrAtK(ranking, relevant, 10),
    'precision@10': precisionAtK(ranking, relevant, 10),
  };
}

const SPAN_CHUNKS = 5; // the depth of the published figures for chunking

function spanFigures(
  { goldSpans }: DatasetQuestion,
  { top, answer }: Asked,
  coverage: SpanCoverage,
): Pick<QuestionOutcome, 'spanRecall' | 'quoteSpanRecall'> {
  if (goldSpans.length === 0) return { spanRecall: null, quoteSpanRecall: null };
  const chunks = top
    .slice(0, SPAN_CHUNKS)
    .map((chunk) => ({ textId: textIdOf(chunk), text: chunk.text, start: chunk.start }));
  const quotes = (answer?.citations ?? []).map((citation) => ({
    textId: textIdOf(citation),
    text: citation.quote,
    start: citation.start,
  }));
  return { spanRecall: coverage.share(goldSpans, chunks), quoteSpanRecall: coverage.share(goldSpans, quotes) };
}

function judgeAttack(
  attack: Attack,
  { ranking, top, answer }: Asked,
  texts: ReadonlyMap<string, CorpusText>,
  readable: ReadableText,
): AttackOutcome {
  const retrieved = new Set([...ranking, ...top.map(textIdOf)]);
  const quoted = new Set((answer?.citations ?? []).map(textIdOf));
  const isReadable = (stretch: string) => readable(stretch, attack.principals);
  return {
    id: attack.id,
    text: attack.text,
    retrieved: attack.forbidden.filter((id) => retrieved.has(id)),
    quoted: attack.forbidden.filter((id) => quoted.has(id)),
    named: attack.forbidden.filter((id) => {
      const forbidden = texts.get(id);
      return answer !== null && forbidden !== undefined && names(answer, attack.text, forbidden, isReadable);
    }),
  };
}

type ReadableText = (normalised: string, principals: readonly Principal[]) => boolean;

// Asked only about what an answer said, so seldom; the texts are normalised at the first time.
function createReadableText(texts: readonly CorpusText[]): ReadableText {
  let normalised: { acl: CorpusText['acl']; text: string }[] | undefined;
  return (stretch, principals) => {
    normalised ??= texts.map(({ acl, title, text }) => ({ acl, text: normaliseText(`${title}\n${text}`) }));
    return normalised.some(({ acl, text }) => text.includes(stretch) && mayRead(acl, principals));
  };
}
