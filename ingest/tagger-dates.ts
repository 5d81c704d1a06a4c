// From when to when a document holds, from its properties.

const DAY_MS = 86_400_000;
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
// Keys without "_", "-", "." and spaces, lower case.
const FROM_KEYS = ['effectivefrom', 'effectivedate', 'effective', 'validfrom', 'inforcefrom'];
/** The document still holds on this day. */
const LAST_DAY_KEYS = ['effectiveto', 'effectiveuntil', 'validuntil', 'validto', 'expires', 'expireson', 'expirydate'];
/** The document no longer holds on this day. */
const FIRST_DAY_AFTER_KEYS = ['supersededon', 'supersededat', 'retiredon', 'withdrawnon'];

/** When a document holds: from the start of `effectiveFrom` to before `effectiveTo`; null = without an end. */
export interface EffectiveDates {
  readonly effectiveFrom: Date | null;
  readonly effectiveTo: Date | null;
  /** Properties that look like dates and could not be read, in words for an admin. */
  readonly reasons: readonly string[];
}

/**
 * Reads effective dates from properties whose keys are written in any way (`effective_from`, `Effective From`). Days are
 * UTC days; the last day counts whole. The latest beginning and the earliest end win.
 */
export function effectiveDates(properties: Readonly<Record<string, string>>): EffectiveDates {
  const reasons: string[] = [];
  const read = (keys: readonly string[], wholeDay: boolean): number[] =>
    Object.entries(properties).flatMap(([key, value]) => {
      if (!keys.includes(plainKey(key)) || value.trim() === '') return [];
      const date = parseDate(value);
      if (date === null) reasons.push(`${key} "${value}" is no date that can be read; write it as YYYY-MM-DD`);
      return date === null ? [] : [wholeDay && date % DAY_MS === 0 ? date + DAY_MS : date];
    });
  const from = read(FROM_KEYS, false);
  const to = [...read(LAST_DAY_KEYS, true), ...read(FIRST_DAY_AFTER_KEYS, false)];
  return {
    effectiveFrom: from.length > 0 ? new Date(Math.max(...from)) : null,
    effectiveTo: to.length > 0 ? new Date(Math.min(...to)) : null,
    reasons,
  };
}

/** `Effective From`, `effective-from` and `effectiveFrom` are one key. */
export function plainKey(key: string): string {
  return key.toLowerCase().replace(/[\s_.-]/g, '');
}

/** Milliseconds since 1970 of a date that can be read in one way only; `01/02/2025` cannot. */
function parseDate(value: string): number | null {
  const text = value.trim().toLowerCase();
  const iso = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text);
  if (iso) return day(Number(iso[1]), Number(iso[2]), Number(iso[3]));
  if (/^\d{4}-\d{2}-\d{2}[t ]\d{2}:\d{2}/.test(text)) {
    const zoned = /(?:z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}z`;
    const time = Date.parse(zoned.replace(' ', 't').toUpperCase());
    return Number.isNaN(time) ? null : time;
  }
  const dayFirst = /^(\d{1,2})\.?(?:st|nd|rd|th)? ([a-z]{3,9})\.?,? (\d{4})$/.exec(text);
  if (dayFirst) return day(Number(dayFirst[3]), monthNamed(dayFirst[2]), Number(dayFirst[1]));
  const monthFirst = /^([a-z]{3,9})\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/.exec(text);
  if (monthFirst) return day(Number(monthFirst[3]), monthNamed(monthFirst[1]), Number(monthFirst[2]));
  return null;
}

function monthNamed(name = ''): number {
  return MONTHS.indexOf(name.slice(0, 3)) + 1;
}

function day(year: number, month: number, date: number): number | null {
  const time = Date.UTC(year, month - 1, date);
  const read = new Date(time);
  return read.getUTCMonth() === month - 1 && read.getUTCDate() === date ? time : null;
}
