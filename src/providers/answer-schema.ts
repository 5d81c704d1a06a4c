// The form of an answer: what the providers are told, and how it is read back.
import { z } from 'zod/v4';
import { MIN_QUOTE_CHARACTERS } from '../../retrieval/quote-check.ts';

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
const LENIENT = z.object({ ...SCHEMA.shape, citations: z.array(z.object(SCHEMA.shape.citations.element.shape)) });

/** Reads a model's text: as it is, or after one repair of what models do to JSON. @returns null when neither is an answer. */
export function parseAnswer(text: string): WrittenAnswer | null {
  return parse(text) ?? parse(repair(text));
}

function parse(text: string): WrittenAnswer | null {
  try {
    return LENIENT.parse(JSON.parse(text));
  } catch {
    return null; // not JSON, or JSON of another form: both mean that there is no answer in it
  }
}

// Words and fences around the object, line breaks and tabs inside strings, commas before a closing bracket.
function repair(text: string): string {
  const object = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  return object.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/gs, (match) =>
    match === ',' ? '' : match.replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('\t', '\\t'),
  );
}
