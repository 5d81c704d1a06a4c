// What keeps data apart from instructions in a request to a model.
import { randomBytes } from 'node:crypto';

/** Makes a text that nobody who writes a document or a question can know, new at each call. */
export type MakeDelimiter = () => string;

/** 128 random bits. */
export function randomDelimiter(): string {
  return `=====${randomBytes(16).toString('hex')}`;
}

/** A delimiter that stands in none of the texts. */
export function delimiterNotIn(texts: readonly string[], make: MakeDelimiter): string {
  for (;;) {
    const delimiter = make();
    if (!texts.some((text) => text.includes(delimiter))) return delimiter;
  }
}

/** A text between two lines that begin with the delimiter. */
export function part(delimiter: string, name: string, text: string): string {
  return `${delimiter} ${name}\n${text}\n${delimiter} end`;
}
