// Numbers, times and names as people read them.
import type { DocumentState, Person } from '../ports.ts';
import { type Html, html } from './html.ts';

/** A name to call somebody by. */
export function nameOf(person: Pick<Person, 'name' | 'email'>): string {
  return person.name || person.email;
}

/** Up to two letters for a round picture. */
export function initialsOf(person: Pick<Person, 'name' | 'email'>): string {
  const words = nameOf(person)
    .split(/[\s.@_-]+/u)
    .filter(Boolean);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '');
  return letters.join('').toLocaleUpperCase('en');
}

export const STATE_NAMES: Readonly<Record<DocumentState, string>> = {
  pending: 'Pending',
  live: 'Live',
  quarantined: 'Quarantined',
  failed: 'Failed',
  deleted: 'Forgotten',
};

/** Milliseconds in the unit that fits. */
export function duration(ms: number | null): string {
  if (ms === null) return '–';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

/** US dollars; small amounts keep two telling digits. */
export function dollars(usd: number): string {
  if (usd === 0) return '$0';
  return usd < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`;
}

/** A share of 0…1. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A time in UTC, which the script turns into the reader's own. */
export function time(date: Date): Html {
  const text = `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return html`<time datetime="${date.toISOString()}">${text}</time>`;
}

/** `snake_case` as words. */
export function inWords(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
