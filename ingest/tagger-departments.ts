// Which department a document belongs to, and how low its access level may be.
import type { AccessLevel } from '../retrieval/model.ts';

/** A row of the table. */
export interface Department {
  readonly id: string;
  /** No document of the department is below this, whatever its author or an admin says. */
  readonly floor: AccessLevel;
  readonly reason: string;
  /** Names in folders, spaces and properties: lower case, words joined by "-". */
  readonly names: readonly string[];
}

/** A floor cannot be lifted for one page, so it is above `internal` only where every page is for a few. `public` is none. */
const DEPARTMENTS: readonly Department[] = [
  {
    id: 'board',
    floor: 'restricted',
    reason: 'minutes and papers of the board are inside information',
    names: ['board', 'board-of-directors', 'supervisory-board', 'aufsichtsrat', 'vorstand'],
  },
  {
    id: 'mergers',
    floor: 'restricted',
    reason: 'a deal that becomes known early can fail, and the law limits who may know',
    names: ['mergers', 'mergers-and-acquisitions', 'mergers-acquisitions', 'm-a', 'm-and-a', 'm&a'],
  },
  {
    id: 'finance',
    floor: 'confidential',
    reason: 'figures that are not published, prices and bank details',
    names: [
      ...['finance', 'finances', 'fin', 'accounting', 'treasury', 'controlling', 'tax', 'taxes', 'fpa', 'fp-a'],
      ...['accounts-payable', 'accounts-receivable', 'finanzen', 'buchhaltung'],
    ],
  },
  {
    id: 'compensation',
    floor: 'confidential',
    reason: 'what persons are paid',
    names: ['compensation', 'payroll', 'salaries', 'salary', 'remuneration', 'comp-and-benefits', 'total-rewards'],
  },
  {
    id: 'executive',
    floor: 'confidential',
    reason: 'plans that are not announced',
    names: ['executive', 'executives', 'exec', 'c-suite', 'executive-office', 'office-of-the-ceo'],
  },
  {
    id: 'legal',
    floor: 'internal',
    reason:
      'rules on contracts and retention bind everybody; privileged files carry a marking or a title that raises them',
    names: ['legal', 'general-counsel', 'legal-affairs', 'recht', 'rechtsabteilung'],
  },
  {
    id: 'people',
    floor: 'internal',
    reason: 'leave and benefits are asked for by everybody; what persons are paid is "compensation"',
    names: [
      'people',
      'hr',
      'human-resources',
      'personnel',
      'people-ops',
      'people-operations',
      'personal',
      'personalabteilung',
    ],
  },
  {
    id: 'security',
    floor: 'internal',
    reason: 'everybody must find how to report an incident; test reports are raised by their titles',
    names: ['security', 'infosec', 'information-security', 'it-security', 'secops'],
  },
  ...[
    { id: 'engineering', names: ['engineering', 'eng', 'development', 'platform', 'r-d', 'r&d', 'entwicklung'] },
    { id: 'support', names: ['support', 'customer-support', 'customer-success', 'helpdesk', 'service-desk'] },
    { id: 'sales', names: ['sales', 'vertrieb', 'business-development'] },
    { id: 'marketing', names: ['marketing', 'communications', 'brand'] },
    { id: 'product', names: ['product', 'product-management', 'design'] },
    { id: 'operations', names: ['operations', 'ops', 'logistics', 'manufacturing', 'produktion'] },
    { id: 'procurement', names: ['procurement', 'purchasing', 'einkauf'] },
    { id: 'it', names: ['it', 'information-technology'] },
  ].map((department) => ({ ...department, floor: 'public' as const, reason: 'some of it is published' })),
];

const BY_NAME = new Map(
  DEPARTMENTS.flatMap((department) => department.names.map((name) => [name, department] as const)),
);

// "Finance Team", "team-finance", "Finance docs (confidential) 2026": what else a folder of a department is called.
const FILLERS = new Set(
  `team teams dept department departments group docs documents document files folder shared share wiki space spaces the of
  internal private confidential restricted abteilung office`.split(/\s+/),
);

/**
 * The department that a folder, space, label or property names, else undefined. The whole name must say it: "Finance team"
 * does, "finance-transformation-for-customers" does not.
 */
export function departmentNamed(name: string): Department | undefined {
  const all = wordsOf(name);
  const whole = BY_NAME.get(all.join('-'));
  if (whole) return whole;
  const words = all.filter((word) => !FILLERS.has(word) && !/^\d+$/.test(word));
  const joined = BY_NAME.get(words.join('-'));
  if (joined) return joined;
  const each = words.filter((word) => word !== '&' && word !== 'and').map((word) => BY_NAME.get(word));
  return each.every((department) => department === each[0]) ? each[0] : undefined;
}

/** The department with this id or name, as `departmentFloor` takes it. */
export function departmentById(department: string): Department | undefined {
  return DEPARTMENTS.find(({ id }) => id === department) ?? departmentNamed(department);
}

/** Words of a name in lower case, without marks: `Human_Resources (EU)` → `human`, `resources`, `eu`. */
export function wordsOf(name: string): string[] {
  return name.toLowerCase().match(/[\p{L}\p{N}&]+/gu) ?? [];
}

/** The folders of a URI or path, outermost first, and the name of the file without its ending. */
export function placesOf(uri: string): { readonly folders: string[]; readonly name: string } {
  // The host of a web address names a company or a product, the "host" of `demo://finance/…` a folder.
  const path = uri
    .replace(/[?#].*$/s, '')
    .replace(/^https?:\/\/[^/]*/i, '')
    .replace(/^[a-z][\w+.-]*:\/*/i, '');
  const segments = path
    .split(/[/\\]+/)
    .filter((segment) => segment !== '')
    .map(decoded);
  const name = segments.pop() ?? '';
  return { folders: segments, name: name.replace(/\.[a-z0-9]{1,8}$/i, '') };
}

function decoded(segment: string): string {
  // Only whole escapes of ASCII are needed to see words; a broken escape stays as it is.
  return segment
    .replace(/%([2-7][0-9a-f])/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('+', ' ');
}
