// The form of an answer: what the providers are told, and how it is read back.
import { z } from 'zod/v4';
import { MIN_QUOTE_CHARACTERS } from '../../retrieval/quote-check.ts';
import { splitSentences } from '../../retrieval/sentences.ts';

/** What a model may write for an answer: one to five sentences and their quotes are a tenth of it. */
export const MAX_WRITTEN_TOKENS = 2_000;

// Not every provider keeps to that limit, so what it wrote is measured too. A token of JSON has four characters or so; with
// four times as many there is room for a form that is indented, and for words around it.
const MAX_WRITTEN_CHARACTERS = 16 * MAX_WRITTEN_TOKENS;
const MAX_ANSWER_CHARACTERS = 4 * MAX_WRITTEN_TOKENS;
// Each sentence is held against each quote. Five sentences are asked for, and the rows of a table count as some; a prompt has
// ten chunks, and an answer that needs three quotes of each is a summary.
const MAX_ANSWER_SENTENCES = 50;
const MAX_CITATIONS = 30;

// The length of a quote is in its description and not a rule of the schema: providers' strict modes refuse `minLength`, and
// a quote that is too short shall reach the quote check, which names it in the second request.
const SCHEMA = z.strictObject({
  sufficient: z.boolean().describe('Whether the chunks answer the question.'),
  answer: z.string().describe('The answer in one to five sentences; empty when not sufficient.'),
  citations: z
    .array(
      z.strictObject({
        chunkId: z.string().describe('The id of the chunk that the quote is copied from.'),
        quote: z
          .string()
          .describe(`Copied from the chunk character by character, at least ${MIN_QUOTE_CHARACTERS} characters.`),
      }),
    )
    .describe('What the answer rests on; empty when not sufficient.'),
});

/** An answer as a model writes it. */
export type WrittenAnswer = z.infer<typeof SCHEMA>;

/** A form as a JSON schema for providers, whose schemas know no `$schema`. */
export function jsonSchemaOf(form: z.ZodType): Readonly<Record<string, unknown>> {
  const { $schema: _, ...schema } = z.toJSONSchema(form);
  return schema;
}

/** The same as a JSON schema, in the subset that the strict modes of all providers take. */
export const ANSWER_JSON_SCHEMA = jsonSchemaOf(SCHEMA);

// A field too many does no harm; a missing or misshapen one does.
const LENIENT = z.object({
  ...SCHEMA.shape,
  answer: SCHEMA.shape.answer
    .max(MAX_ANSWER_CHARACTERS)
    .refine((answer) => splitSentences(answer).length <= MAX_ANSWER_SENTENCES),
  citations: z.array(z.object(SCHEMA.shape.citations.element.shape)).max(MAX_CITATIONS),
});

/**
 * Reads a model's text: as it is, or after one repair of what models do to JSON.
 * @returns null when neither is an answer, or is longer than an answer can be.
 */
export function parseAnswer(text: string): WrittenAnswer | null {
  if (text.length > MAX_WRITTEN_CHARACTERS) return null;
  return parse(text) ?? parse(repair(text));
}

function parse(text: string): WrittenAnswer | null {
  try {
    return LENIENT.parse(JSON.parse(text));
  } catch {
    return null; // not JSON, or JSON of another form: both mean that there is no answer in it
  }
}

// Words and fences around the object, line breaks and tabs inside strings, commas before a closing bracket. A string that is
// never closed ends with the text, so that it is looked through once.
function repair(text: string): string {
  const object = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  return object.replace(/"(?:[^"\\]|\\.?)*(?:"|$)|,(?=\s*[}\]])/gs, (match) =>
    match === ',' ? '' : match.replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('\t', '\\t'),
  );
}
