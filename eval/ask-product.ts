// One question put to the product as its users put it, and what is needed to judge what came back.
import type { AnswerQuestion } from '../retrieval/answer-question.ts';
import type { AskedContext } from '../retrieval/best-sentences.ts';
import { buildContext } from '../retrieval/context.ts';
import { loadChunks } from '../retrieval/load-chunks.ts';
import type { Answer, Audience, Chunk, Principal, RankedChunk, VisibleTo } from '../retrieval/model.ts';
import type { Clock, Database } from '../retrieval/ports.ts';
import type { Search, SearchResult } from '../retrieval/search.ts';
import { type EarlierQuestion, standaloneQuestion } from '../retrieval/standalone-question.ts';
import { readTermRarity } from '../retrieval/term-rarity.ts';
import { visibleAcls } from '../retrieval/visible-acls.ts';

/** The parts of the product that are evaluated, holding the documents of one set. */
export interface EvaluatedProduct {
  readonly tenantId: string;
  readonly database: Database;
  readonly search: Search;
  readonly answerQuestion: AnswerQuestion;
  /** The score behind the decision to answer; null = the answer model does not tell. */
  readonly scoreDecision: ((asked: AskedContext) => Promise<number>) | null;
  readonly clock: Clock;
  /** Unique to the run: threads of earlier runs on a kept database are not continued. */
  readonly runId: string;
}

export interface AskedQuestion {
  readonly id: string;
  readonly text: string;
  readonly principals: readonly Principal[];
  readonly history: readonly string[];
}

export interface Asked {
  /** Ids of the set's texts by their first chunk, best first. */
  readonly ranking: readonly string[];
  /** What an answer is made from, best first. */
  readonly top: readonly RankedChunk[];
  readonly answer: Answer | null;
  /** The chunks of the answer's citations, as the audience may read them. */
  readonly citedChunks: ReadonlyMap<string, Chunk>;
  readonly decisionScore: number | null;
  /** Of the answer where there is one, else of the search; what has to be embedded for it is part of it. */
  readonly latencyMs: number;
  readonly degraded: readonly string[];
}

/** The prefix of a text's id in its document's URI. */
export const EVAL_URI_PREFIX = 'eval:';

// As many chunks as the product asks its search for when it answers.
const ANSWER_CHUNKS = 10;
/** Documents that a ranking should hold: recall@50 is the deepest figure. */
const RANKED_DOCUMENTS = 50;
// Texts of the sets have 1.4 to 4 chunks each, so 200 chunks hold 50 documents as a rule; the bound is what a search of a
// few long texts gives at the most.
const FIRST_SEARCH_LIMIT = 200;
const MAX_SEARCH_LIMIT = 800;

/** The id of the text that a document was made of. */
export function textIdOf({ uri }: { readonly uri: string }): string {
  return uri.slice(EVAL_URI_PREFIX.length);
}

/** Asks the earlier questions of the thread, then the question. `withAnswer` false leaves answering out. */
export async function askProduct(
  product: EvaluatedProduct,
  question: AskedQuestion,
  { withAnswer }: { withAnswer: boolean },
): Promise<Asked> {
  const { tenantId, database, clock } = product;
  const audience: Audience = [{ principals: question.principals }];
  const visibleTo = await database.transaction((query) => visibleAcls(query, tenantId, audience), { readOnly: true });
  const standalone = standaloneQuestion(question.text, asThread(question.history));
  // Before the searches, which leave the question's vector behind: the answer's time would be without embedding it.
  const answer = withAnswer ? await answerInThread(product, question, audience) : null;
  const start = clock();
  const shallow = await product.search({ question: standalone, visibleTo, audience, limit: ANSWER_CHUNKS });
  const searchMs = clock() - start;
  const deep = await searchDeep(product, { question: standalone, visibleTo, audience });
  const base = {
    ranking: distinctTexts(deep.ranked),
    top: shallow.ranked,
    degraded: [...new Set([...shallow.degraded, ...deep.degraded])],
  };
  if (!answer) return { ...base, answer, citedChunks: new Map(), decisionScore: null, latencyMs: searchMs };
  return {
    ...base,
    answer,
    citedChunks: await citedChunks(database, visibleTo, answer),
    decisionScore: await decisionScore(product, standalone, visibleTo, shallow),
    latencyMs: answer.timingsMs.total ?? 0,
    degraded: [...new Set([...base.degraded, ...answer.degraded])],
  };
}

// As the product has them when it is asked the last one.
function asThread(history: readonly string[]): EarlierQuestion[] {
  const thread: EarlierQuestion[] = [];
  for (const asked of history) thread.push({ asked, standalone: standaloneQuestion(asked, thread) });
  return thread;
}

// Deeper until enough different documents are found, or there is nothing more.
async function searchDeep(
  { search }: EvaluatedProduct,
  request: Omit<Parameters<Search>[0], 'limit'>,
): Promise<SearchResult> {
  for (let limit = FIRST_SEARCH_LIMIT; ; limit *= 2) {
    const found = await search({ ...request, limit });
    const enough = distinctTexts(found.ranked).length >= RANKED_DOCUMENTS || found.ranked.length < limit;
    if (enough || limit >= MAX_SEARCH_LIMIT) return found;
  }
}

function distinctTexts(ranked: readonly RankedChunk[]): string[] {
  return [...new Set(ranked.map(textIdOf))];
}

async function answerInThread(
  { tenantId, answerQuestion, runId }: EvaluatedProduct,
  { id, text, history, principals }: AskedQuestion,
  audience: Audience,
): Promise<Answer> {
  const base = { tenantId, asker: `eval:${principals.join(',')}`, audience };
  if (history.length === 0) return answerQuestion({ ...base, text });
  const threadId = `eval:${runId}:${id}`;
  for (const earlier of history) await answerQuestion({ ...base, text: earlier, threadId });
  return answerQuestion({ ...base, text, threadId });
}

async function citedChunks(database: Database, visibleTo: VisibleTo, answer: Answer): Promise<Map<string, Chunk>> {
  const chunkIds = [...new Set(answer.citations.map(({ chunkId }) => chunkId))];
  if (chunkIds.length === 0) return new Map();
  return database.read(visibleTo, (query) => loadChunks(query, visibleTo, chunkIds));
}

async function decisionScore(
  { database, scoreDecision }: EvaluatedProduct,
  question: string,
  visibleTo: VisibleTo,
  found: SearchResult,
): Promise<number | null> {
  if (!scoreDecision) return null;
  const [context, termRarity] = await Promise.all([
    buildContext(database, visibleTo, found.ranked),
    found.termRarity ?? readTermRarity(database, visibleTo, question),
  ]);
  return scoreDecision({ question, context, termRarity });
}
