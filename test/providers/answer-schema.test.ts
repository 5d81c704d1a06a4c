import { describe, expect, it } from 'vitest';
import { ANSWER_JSON_SCHEMA, parseAnswer } from '../../src/providers/answer-schema.ts';

const ANSWER = { sufficient: true, answer: 'Yes.', citations: [{ chunkId: 'c1', quote: 'a quote of it' }] };
const JSON_TEXT = JSON.stringify(ANSWER);

describe('parseAnswer', () => {
  it.each([
    ['plain JSON', JSON_TEXT],
    ['a fence', `\`\`\`json\n${JSON_TEXT}\n\`\`\``],
    ['words around it', `Here you are: ${JSON_TEXT} Anything else?`],
    ['commas too many', JSON_TEXT.replaceAll('}', ',}').replaceAll(']', ', ]')],
    ['a field too many', JSON_TEXT.replace('{', '{"thoughts":"none",')],
  ])('reads %s', (_, text) => {
    expect(parseAnswer(text)).toEqual(ANSWER);
  });

  it('reads a line break inside a string', () => {
    expect(parseAnswer('{"sufficient":true,"answer":"one\ntwo,]","citations":[]}')?.answer).toBe('one\ntwo,]');
  });

  it.each(['', 'null', '[]', '{}', '{"sufficient":true}', JSON_TEXT.slice(0, -3), JSON_TEXT.replace('"c1"', '7')])(
    'finds no answer in %j',
    (text) => {
      expect(parseAnswer(text)).toBeNull();
    },
  );

  it.each<[string, object, number, number]>([
    ['citations', { citations: ANSWER.citations }, 30, 31],
    ['characters of the answer', { answer: 'x' }, 8_000, 8_001],
    ['sentences of the answer', { answer: 'We go. ' }, 50, 51],
  ])('reads as many %s as a model may write, and no more', (_, field, most, tooMany) => {
    const answerWith = (count: number) => {
      const [[name, one]] = Object.entries(field) as [[string, string | object[]]];
      return JSON.stringify({
        ...ANSWER,
        [name]: typeof one === 'string' ? one.repeat(count) : Array(count).fill(one[0]),
      });
    };
    expect(parseAnswer(answerWith(most))).not.toBeNull();
    expect(parseAnswer(answerWith(tooMany))).toBeNull();
  });

  it('reads no text that is longer than an answer can be, with whatever it is filled', () => {
    expect(parseAnswer(JSON_TEXT.padEnd(32_000))).toEqual(ANSWER);
    expect(parseAnswer(JSON_TEXT.padEnd(32_001))).toBeNull();
  });

  // From each quotation mark to the end, that were 250 million steps.
  it('looks through a string that is never closed once', () => {
    expect(parseAnswer(`{${'"\\'.repeat(15_000)}}`)).toBeNull();
  });
});

// What OpenAI's strict mode asks of a schema, and the others too.
it('has every field required and no other allowed', () => {
  const objects = (schema: unknown): Record<string, unknown>[] => {
    if (typeof schema !== 'object' || schema === null) return [];
    const own = 'properties' in schema ? [schema as Record<string, unknown>] : [];
    return [...own, ...Object.values(schema).flatMap(objects)];
  };
  const found = objects(ANSWER_JSON_SCHEMA);
  expect(found).toHaveLength(2);
  for (const { properties, required, additionalProperties } of found) {
    expect(required).toEqual(Object.keys(properties as object));
    expect(additionalProperties).toBe(false);
  }
  expect(JSON.stringify(ANSWER_JSON_SCHEMA)).not.toMatch(/minLength|\$schema/);
});
