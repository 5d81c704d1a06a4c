import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { applyFloor, departmentFloor, type TaggerInput, tagDocument } from '../../ingest/tagger.ts';
import { ACCESS_LEVELS, type AccessLevel } from '../../retrieval/model.ts';

const tag = (input: Partial<TaggerInput>) =>
  tagDocument({ uri: 'upload://guide.md', title: 'Guide', text: 'Some words.', properties: {}, ...input });
const levelOf = (input: Partial<TaggerInput>): AccessLevel => tag(input).accessLevel;

describe('the floor of a department', () => {
  it.each([
    'demo://finance/close.md',
    'upload://Finance%20Team/a/close.md',
    'https://wiki.example/spaces/FIN/pages/1/Close',
  ])('keeps %s confidential, whatever it says of itself', (uri) => {
    for (const level of ['public', 'internal', 'confidential']) {
      expect(tag({ uri, properties: { access_level: level }, labels: ['public'] })).toMatchObject({
        department: 'finance',
        accessLevel: 'confidential',
      });
    }
  });

  it.each([
    'demo://engineering/close.md',
    'demo://engineering/finance.md',
    'https://finance.example/wiki/close',
    'demo://finance-app-api/a.md',
  ])('does not hold for %s, which is not of finance', (uri) => {
    expect(levelOf({ uri })).toBe('internal');
    expect(levelOf({ uri, properties: { access_level: 'public' } })).toBe('public');
  });

  it('does not lower a level that is above it', () => {
    expect(levelOf({ uri: 'demo://finance/a.md', properties: { access_level: 'restricted' } })).toBe('restricted');
  });

  it('is not left by naming another department in the front matter', () => {
    const properties = { department: 'Engineering', access_level: 'internal' };
    expect(tag({ uri: 'demo://finance/a.md', properties })).toMatchObject({
      department: 'finance',
      accessLevel: 'confidential',
    });
    expect(tag({ uri: 'demo://shared/a.md', properties })).toMatchObject({
      department: 'engineering',
      accessLevel: 'internal',
    });
  });

  it('comes from a property or a label that names the department', () => {
    expect(tag({ properties: { department: 'Finance & Accounting' } })).toMatchObject({
      department: 'finance',
      accessLevel: 'confidential',
    });
    expect(tag({ labels: ['team-payroll'] })).toMatchObject({
      department: 'compensation',
      accessLevel: 'confidential',
    });
    expect(tag({ labels: ['payroll'] })).toMatchObject({ department: null, accessLevel: 'internal' });
  });

  it.each(['Minutes\nDepartment: Finance\n\nAll is well.', '**Abteilung:** Finance', 'Dept : finance\n'])(
    'comes from a line at the head of the text: %j',
    (text) => {
      expect(tag({ text })).toMatchObject({ department: 'finance', accessLevel: 'confidential' });
    },
  );

  it.each(['Ask the department: finance helps you with all that.', `${'Words. '.repeat(100)}\nDepartment: Finance`])(
    'does not come from a sentence or from further down: %j',
    (text) => {
      expect(tag({ text })).toMatchObject({ department: null, accessLevel: 'internal' });
    },
  );

  it.each<[string | null, AccessLevel]>([
    ['finance', 'confidential'],
    ['Finance Team', 'confidential'],
    ['board', 'restricted'],
    ['mergers', 'restricted'],
    ['payroll', 'confidential'],
    ['executive', 'confidential'],
    ['legal', 'internal'],
    ['hr', 'internal'],
    ['security', 'internal'],
    ['engineering', 'public'],
    ['beekeeping', 'public'],
    [null, 'public'],
  ])('of %s is %s', (department, floor) => {
    expect(departmentFloor(department)).toBe(floor);
    for (const level of ACCESS_LEVELS) {
      const higher = ACCESS_LEVELS[Math.max(ACCESS_LEVELS.indexOf(level), ACCESS_LEVELS.indexOf(floor))];
      expect(applyFloor(level, department)).toBe(higher);
    }
  });
});

describe('the access level', () => {
  it('is internal when nothing says otherwise', () => {
    expect(tag({})).toMatchObject({ accessLevel: 'internal', department: null });
    expect(levelOf({ uri: 'upload://public/press.md' })).toBe('internal');
    expect(levelOf({ title: 'Public transport', text: 'Public' })).toBe('internal');
  });

  it('is public only when a property or a label says so', () => {
    expect(levelOf({ labels: ['Public'] })).toBe('public');
    expect(levelOf({ properties: { classification: 'public' } })).toBe('public');
    expect(levelOf({ labels: ['public'], uri: 'demo://confidential/a.md' })).toBe('confidential');
  });

  it.each<[string, Partial<TaggerInput>, AccessLevel]>([
    ['a property', { properties: { level: 'Confidential' } }, 'confidential'],
    ['the traffic light protocol', { properties: { classification: 'TLP:RED' } }, 'restricted'],
    ['a label', { labels: ['strictly-confidential'] }, 'restricted'],
    ['labels in the front matter', { properties: { labels: 'roadmap, privileged' } }, 'restricted'],
    ['a folder', { uri: 'drive:/Plans (Confidential)/2027/plan.docx' }, 'confidential'],
    ['a folder of the board', { uri: 'upload://Board of Directors/2026/q3.pdf' }, 'restricted'],
    ['a marking in the title', { title: 'Plan for 2027 - CONFIDENTIAL' }, 'confidential'],
    ['a marking in the file name', { uri: 'upload://plan_2027_[strictly confidential].pdf' }, 'restricted'],
    ['a title of a kind that is for few', { title: 'Salary bands 2026' }, 'confidential'],
    ['the same in a file name', { uri: 'upload://penetration-test-2026.pdf' }, 'confidential'],
    ['a marking at the head', { text: 'Plan\n\nStrictly confidential\n\nWe will move.' }, 'restricted'],
    [
      'a marking sentence at the head',
      { text: 'Privileged and confidential. 20 February. They claim a lot.' },
      'restricted',
    ],
    ['an insider list', { text: 'Insider list only. Do not forward, print, or mention.' }, 'restricted'],
    ['a wish not to share', { text: 'Please do not distribute.\n\nThe numbers.' }, 'confidential'],
    ['a marking in German', { text: 'Anwesend: alle. Vertraulich.' }, 'confidential'],
    [
      'a marking at the foot',
      { text: `${'Many words are here. '.repeat(400)}\n\nCompany confidential` },
      'confidential',
    ],
  ])('is raised by %s', (_what, input, level) => {
    expect(levelOf(input)).toBe(level);
  });

  it.each<[string, Partial<TaggerInput>]>([
    [
      'speaks about confidential things',
      { text: 'Never send confidential or restricted files by mail. Do you share a secret? Ask.' },
    ],
    [
      'mentions pay and budget',
      { text: 'The budget is 5,000. Your salary is paid monthly by payroll, and the board agrees.' },
    ],
    [
      'explains the levels',
      {
        title: 'Classification',
        text: '- Public\n- Confidential\n- Restricted\n\n| Confidential |\n\n## Strictly confidential',
      },
    ],
    [
      'quotes a marking further in',
      { text: `${'Many words are here. '.repeat(100)}\n\nConfidential\n\n${'And more. '.repeat(100)}` },
    ],
    ['is about confidentiality', { title: 'Confidentiality agreements: a short guide' }],
    ['is about top secret clearances', { title: 'Top secret', uri: 'upload://top-secret.md' }],
    ['has a level of another kind', { properties: { level: 'beginner', classification: 'how-to' } }],
    ['has tags about pay', { properties: { tags: 'payroll, confidential' } }],
    ['shows one test card', { text: 'Pay with 4111 1111 1111 1111 in the sandbox.' }],
    [
      'lists serial numbers',
      { text: Array.from({ length: 40 }, (_, index) => `4000 0000 0000 ${1000 + index}`).join('\n') },
    ],
    ['shows a bank account to pay to', { text: 'Pay to DE89 3704 0044 0532 0130 00.' }],
    ['shows the example of a number', { text: 'Write your SSN: 123-45-6789 here.' }],
  ])('is not raised by a page that %s', (_what, input) => {
    expect(levelOf(input)).toBe('internal');
  });

  it.each<[string, string, AccessLevel]>([
    ['payment cards', '4111 1111 1111 1111, 5555-5555-5555-4444 and 4012888888881881', 'restricted'],
    ['a labelled social security number', 'Name: Ann. SSN: 219-09-9999', 'restricted'],
    ['several social security numbers', '219-09-9999, 219-09-9998 and 219-09-9997', 'restricted'],
    [
      'several bank accounts',
      'DE89370400440532013000, GB29 NWBK 6016 1331 9268 19, FR1420041010050500013M02606',
      'confidential',
    ],
  ])('is raised by %s', (_what, text, level) => {
    expect(levelOf({ text })).toBe(level);
  });

  it('is what access_level says, against what is only derived', () => {
    expect(levelOf({ properties: { access_level: 'internal' }, title: 'Salary bands', labels: ['restricted'] })).toBe(
      'internal',
    );
  });

  it('is restricted when access_level cannot be read, and the reason says what to write', () => {
    const { accessLevel, reasons } = tag({ properties: { access_level: 'tip-top' } });
    expect(accessLevel).toBe('restricted');
    expect(reasons.join()).toContain('access_level "tip-top" is none of public, internal, confidential, restricted');
  });

  it('comes with its reasons, the floor included', () => {
    expect(tag({ uri: 'demo://finance/a.md', properties: { access_level: 'public' } }).reasons).toEqual([
      'access_level is "public"',
      expect.stringMatching(/^finance is never below confidential: /),
    ]);
  });
});

describe('effective dates', () => {
  const dates = (properties: Record<string, string>) => {
    const { effectiveFrom, effectiveTo } = tag({ properties });
    return [effectiveFrom?.toISOString().slice(0, 16) ?? null, effectiveTo?.toISOString().slice(0, 16) ?? null];
  };

  it.each<[Record<string, string>, (string | null)[]]>([
    [{}, [null, null]],
    [{ effective_from: '2025-01-01' }, ['2025-01-01T00:00', null]],
    [{ 'effective date': '1 March 2025' }, ['2025-03-01T00:00', null]],
    [{ valid_from: 'March 3rd, 2025', valid_until: '2025-12-31' }, ['2025-03-03T00:00', '2026-01-01T00:00']],
    [{ effective_to: '2024-12-31' }, [null, '2025-01-01T00:00']],
    [{ superseded_on: '2024-12-31' }, [null, '2024-12-31T00:00']],
    [{ effective_to: '2024-12-31', superseded_on: '2024-06-01' }, [null, '2024-06-01T00:00']],
    [{ effective_from: '2025-01-01T09:30:00+02:00' }, ['2025-01-01T07:30', null]],
    [{ effective_from: '2025-01-01 09:30' }, ['2025-01-01T09:30', null]],
  ])('reads %j', (properties, expected) => {
    expect(dates(properties)).toEqual(expected);
  });

  it.each(['01/02/2025', '2025-02-30', 'soon', '2025'])('says that %s cannot be read', (value) => {
    const { effectiveFrom, reasons } = tag({ properties: { effective_from: value } });
    expect(effectiveFrom).toBeNull();
    expect(reasons.join()).toContain(`effective_from "${value}"`);
  });
});

const HANDBOOK = join(import.meta.dirname, '../../../shared/data/handbook/files');

describe.skipIf(!existsSync(HANDBOOK))('a published handbook (skipped without ../shared/data)', () => {
  it('is internal on nearly all of its pages', () => {
    const levels = readdirSync(HANDBOOK, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => {
        const source = readFileSync(join(HANDBOOK, path), 'utf8');
        const [head = '', frontMatter = ''] = /^---\n(.*?)\n---\n/s.exec(source) ?? [];
        const properties = Object.fromEntries(
          [...frontMatter.matchAll(/^(\w+): *(.+)$/gm)].map(([, key = '', value = '']) => [key.toLowerCase(), value]),
        );
        return levelOf({
          uri: `upload://${path}`,
          title: properties.title ?? '',
          text: source.slice(head.length),
          properties,
        });
      });
    expect(levels.length).toBeGreaterThan(200);
    expect(levels.filter((level) => level !== 'internal').length / levels.length).toBeLessThan(0.02);
  });
});
