import { expect, test } from 'vitest';
import { readersInWords } from '../../adapters/readers-in-words.ts';

const groupNames = { 'verbatim:group:g1': 'Editors', 'verbatim:group:g2': 'Finance and (or) law' };
const words = (readers: string) => readersInWords({ readers, groupNames });

test.each([
  ['', ''],
  ['(verbatim:everyone)', 'every member'],
  ['(verbatim:everyone or verbatim:user:gus@x.example)', 'every member or gus@x.example'],
  ['(verbatim:group:g1)', 'group Editors'],
  ['(verbatim:group:gone)', 'group gone'],
  ['(verbatim:role:manager or verbatim:role:exec or verbatim:role:admin)', 'role Manager or above'],
  ['(verbatim:everyone) and (verbatim:group:g1)', 'who is both a member and in group Editors'],
  [
    '(verbatim:everyone or verbatim:user:gus@x.example) and (verbatim:group:g2)',
    'who is both (a member or gus@x.example) and in group Finance and (or) law',
  ],
  [
    '(verbatim:everyone) and (verbatim:group:g1) and (verbatim:role:exec or verbatim:role:admin)',
    'who is all of a member, in group Editors and of role Executive or above',
  ],
  ['(verbatim:everyone) and (verbatim:everyone)', 'every member'],
  [
    '(verbatim:everyone) not verbatim:user:bob@x.example, verbatim:group:g1',
    'every member; never bob@x.example, group Editors',
  ],
])('%s is %s', (readers, expected) => {
  expect(words(readers)).toBe(expected);
});
