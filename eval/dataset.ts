// A folder of texts, questions and judgements, read and checked as a whole: nothing runs on half a set.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { z } from 'zod';
import { MAX_QUESTION_CHARACTERS } from '../retrieval/answer-question.ts';
import { UsageError } from '../retrieval/errors.ts';
import type { Principal } from '../retrieval/model.ts';
import type { Judgements } from './metrics.ts';

/** A text as a document: a reader needs one principal of every layer. */
export interface CorpusText {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly acl: readonly (readonly Principal[])[];
  /** The page that a section comes from. */
  readonly doc: string | null;
}

/** A stretch of a text that answers a question: `content === text.slice(start, end)` of the text `textId`. */
export interface GoldSpan {
  readonly textId: string;
  readonly content: string;
  readonly start: number;
  readonly end: number;
}

export interface DatasetQuestion {
  readonly id: string;
  readonly text: string;
  readonly principals: readonly Principal[];
  /** Earlier questions of the thread, oldest first. */
  readonly history: readonly string[];
  /** Whether there is an answer: what the set says, or true where it gives one; null = neither. */
  readonly answerable: boolean | null;
  readonly goldSentences: readonly string[];
  readonly goldSpans: readonly GoldSpan[];
  /** Whether the set says anything about its answer, so that answering it can be judged. */
  readonly hasAnswerLabels: boolean;
  /** Empty = not judged: the question does not count in ranking. */
  readonly relevant: Judgements;
}

/** A question by someone who may read none of the `forbidden` texts. */
export interface Attack {
  readonly id: string;
  readonly text: string;
  readonly principals: readonly Principal[];
  readonly history: readonly string[];
  readonly forbidden: readonly string[];
}

export interface Dataset {
  readonly name: string;
  /** Of `corpus.jsonl`, in hexadecimal. */
  readonly corpusSha256: string;
  readonly texts: readonly CorpusText[];
  readonly questions: readonly DatasetQuestion[];
  /** null = the set has no attacks. */
  readonly attacks: readonly Attack[] | null;
}

// PostgreSQL stores neither U+0000 nor half a surrogate pair, and a message from there would name no line.
const storable = z
  .string()
  .refine(
    (value) => value.isWellFormed() && !value.includes('\u0000'),
    'must not hold U+0000 or half a surrogate pair',
  );
// Both are keys of indexes, which take 2,704 bytes (PostgreSQL, B-tree); a code unit is at most three.
const key = storable.pipe(z.string().min(1).max(800));
const id = z.preprocess((value) => (Number.isSafeInteger(value) ? String(value) : value), key);
const principals = z.array(key);
const text = storable
  .refine((value) => value.trim() !== '', 'must not be blank')
  .refine(
    (value) => value.trim().length <= MAX_QUESTION_CHARACTERS,
    `must have at most ${MAX_QUESTION_CHARACTERS} characters, as any question`,
  );
// A thread as its questions alone, or as turns.
const turn = z.union([
  z.string(),
  z.object({ text: z.string(), role: z.string().optional() }),
  z.object({ content: z.string(), role: z.string().optional() }),
]);
const history = z.array(turn).nullish().transform(questionsOf).pipe(z.array(text));

const CORPUS_LINE = z.object({
  id,
  title: storable,
  text: z.string(),
  acl: z.array(principals).min(1, 'needs a layer: without one nobody could say who may read the text'),
  doc: z.string().nullish(),
});
const QUESTION_LINE = z.object({
  id,
  text,
  principals,
  history,
  answerable: z.boolean().nullish(),
  answer: z.string().nullish(),
  gold_sentences: z.array(z.string()).nullish(),
  quotes: z
    .array(z.object({ content: z.string().min(1), start_index: z.number().int(), end_index: z.number().int() }))
    .nullish(),
});
const ATTACK_LINE = z.object({ id, text, principals, history, forbidden: z.array(id).min(1) });

/** A line of a file with its number, 1-based, for messages. */
interface Line<T> {
  readonly value: T;
  readonly place: string;
}

/**
 * Reads and checks a set: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv` and, where there is one, `attacks.jsonl`.
 * @throws UsageError with file and line: a missing file, a malformed line or one that the product would not
 * take, an unknown or repeated id, a quote that is not in its text.
 */
export async function readDataset(directory: string): Promise<Dataset> {
  const corpusPath = join(directory, 'corpus.jsonl');
  const corpus = await readText(corpusPath);
  const texts = parseLines(corpusPath, corpus, CORPUS_LINE);
  const textsById = uniqueById(texts);
  if (texts.length === 0) throw new UsageError(`${corpusPath} has no texts; give one JSON object a line`);
  const queriesPath = join(directory, 'queries.jsonl');
  const queries = parseLines(queriesPath, await readText(queriesPath), QUESTION_LINE);
  const queriesById = uniqueById(queries);
  const qrelsPath = join(directory, 'qrels.tsv');
  const judged = readJudgements(qrelsPath, await readText(qrelsPath), { textsById, queriesById });
  const attacksPath = join(directory, 'attacks.jsonl');
  const attacks = await readText(attacksPath, { optional: true });
  return {
    name: basename(resolve(directory)),
    corpusSha256: createHash('sha256').update(corpus).digest('hex'),
    texts: texts.map(({ value }) => ({ ...value, doc: value.doc ?? null })),
    questions: queries.map((query) => toQuestion(query, judged.get(query.value.id) ?? new Map(), textsById)),
    attacks: attacks === null ? null : readAttacks(attacksPath, attacks, textsById),
  };
}

async function readText(path: string): Promise<string>;
async function readText(path: string, options: { optional: true }): Promise<string | null>;
async function readText(path: string, { optional = false } = {}): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (cause) {
    if (optional && (cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(
      `${path} cannot be read (${reason}); a set has corpus.jsonl, queries.jsonl and qrels.tsv in one folder`,
      { cause },
    );
  }
}

// Only line feeds end a line: JSON may hold U+2028 and the like as they are.
function parseLines<Schema extends z.ZodTypeAny>(
  path: string,
  content: string,
  schema: Schema,
): Line<z.output<Schema>>[] {
  return content.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const place = `${path}, line ${index + 1}`;
    const parsed = schema.safeParse(parseJson(line, place));
    if (parsed.success) return [{ value: parsed.data as z.output<Schema>, place }];
    const issue = parsed.error.issues[0];
    throw new UsageError(`${place}: ${issue?.path.join('.') || 'the line'}: ${issue?.message ?? 'is malformed'}`);
  });
}

function parseJson(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new UsageError(`${place}: the line is no JSON object`, { cause });
  }
}

function uniqueById<T extends { readonly id: string }>(lines: readonly Line<T>[]): Map<string, T> {
  const byId = new Map<string, T>();
  for (const { value, place } of lines) {
    if (byId.has(value.id)) throw new UsageError(`${place}: the id "${value.id}" is there a second time`);
    byId.set(value.id, value);
  }
  return byId;
}

function readJudgements(
  path: string,
  content: string,
  known: { readonly textsById: ReadonlyMap<string, unknown>; readonly queriesById: ReadonlyMap<string, unknown> },
): Map<string, Map<string, number>> {
  const judged = new Map<string, Map<string, number>>();
  const seen = new Set<string>();
  for (const [index, line] of content.split('\n').entries()) {
    const [queryId = '', textId = '', grade = '', ...more] = line.replace(/\r$/, '').split('\t');
    const score = Number(grade);
    if (line.trim() === '' || (index === 0 && (grade === '' || Number.isNaN(score)))) continue; // the header
    const place = `${path}, line ${index + 1}`;
    if (more.length > 0 || grade.trim() === '' || Number.isNaN(score)) {
      throw new UsageError(`${place}: expected query-id, corpus-id and a number, with tabs between them`);
    }
    if (!known.queriesById.has(queryId)) throw new UsageError(`${place}: queries.jsonl has no question "${queryId}"`);
    if (!known.textsById.has(textId)) throw new UsageError(`${place}: corpus.jsonl has no text "${textId}"`);
    const pair = `${queryId}\t${textId}`;
    if (seen.has(pair)) throw new UsageError(`${place}: "${textId}" is judged a second time for "${queryId}"`);
    seen.add(pair);
    // A grade of 0 says "looked at and not relevant".
    if (score > 0) judged.set(queryId, (judged.get(queryId) ?? new Map()).set(textId, score));
  }
  return judged;
}

function toQuestion(
  { value, place }: Line<z.output<typeof QUESTION_LINE>>,
  relevant: Judgements,
  textsById: ReadonlyMap<string, { readonly text: string }>,
): DatasetQuestion {
  const goldSentences = value.gold_sentences ?? [];
  const hasAnswer = (value.answer ?? '').trim() !== '' || goldSentences.length > 0 || (value.quotes ?? []).length > 0;
  const goldSpans = (value.quotes ?? []).map((quote, index) => {
    const span = locateGold(quote, [...relevant.keys()], textsById);
    if (span) return span;
    throw new UsageError(`${place}: quotes.${index}: its content is in no text that qrels.tsv names for "${value.id}"`);
  });
  return {
    id: value.id,
    text: value.text,
    principals: value.principals,
    history: value.history,
    answerable: value.answerable ?? (hasAnswer || null),
    goldSentences,
    goldSpans,
    hasAnswerLabels: value.answerable != null || hasAnswer,
    relevant,
  };
}

// The offsets where they are right, else the first occurrence: some sets count code points and not UTF-16 code units.
function locateGold(
  { content, start_index: start, end_index: end }: { content: string; start_index: number; end_index: number },
  textIds: readonly string[],
  textsById: ReadonlyMap<string, { readonly text: string }>,
): GoldSpan | undefined {
  const candidates = textIds.map((textId) => ({ textId, text: textsById.get(textId)?.text ?? '' }));
  const exact = candidates.find(({ text: whole }) => whole.slice(start, end) === content);
  if (exact) return { textId: exact.textId, content, start, end };
  const found = candidates.find(({ text: whole }) => whole.includes(content));
  if (!found) return undefined;
  const at = found.text.indexOf(content);
  return { textId: found.textId, content, start: at, end: at + content.length };
}

// The assistant's turns are not asked.
function questionsOf(turns: z.output<typeof turn>[] | null | undefined): string[] {
  return (turns ?? []).flatMap((each) => {
    if (typeof each === 'string') return each.trim() === '' ? [] : [each];
    const said = 'text' in each ? each.text : each.content;
    return each.role === 'assistant' || said.trim() === '' ? [] : [said];
  });
}

function readAttacks(path: string, content: string, textsById: ReadonlyMap<string, unknown>): Attack[] {
  const lines = parseLines(path, content, ATTACK_LINE);
  for (const { value, place } of lines) {
    const unknown = value.forbidden.find((textId) => !textsById.has(textId));
    if (unknown !== undefined) throw new UsageError(`${place}: corpus.jsonl has no text "${unknown}"`);
  }
  return lines.map(({ value }) => value);
}
