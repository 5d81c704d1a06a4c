import { InvalidArgumentError } from 'commander';

/** Reads a count that an option gives. @throws InvalidArgumentError unless it is one whole number from 1. */
export function readCount(text: string): number {
  if (!isCount(text)) throw new InvalidArgumentError('give a whole number from 1');
  return Number(text);
}

/** Reads counts with commas between them, ascending, each once. @throws InvalidArgumentError for anything else. */
export function readCounts(text: string): number[] {
  const counts = text.split(',');
  if (!counts.every(isCount)) throw new InvalidArgumentError('give whole numbers from 1, separated by commas');
  return [...new Set(counts.map(Number))].sort((a, b) => a - b);
}

function isCount(text: string): boolean {
  return Number.isSafeInteger(Number(text)) && Number(text) >= 1;
}
