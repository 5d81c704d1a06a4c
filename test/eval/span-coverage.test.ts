import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSpanCoverage } from '../../eval/span-coverage.ts';

const TEXT = 'One two three. One two three.\n\n\nFour  five six.';
const gold = (content: string, from = 0) => {
  const start = TEXT.indexOf(content, from);
  return { textId: 't', content, start, end: start + content.length };
};
const coverage = createSpanCoverage(() => TEXT);

test.each([
  { name: 'the whole span', stretch: { text: 'Four five six.', start: 30 }, expected: 1 },
  { name: 'its words with other line breaks', stretch: { text: 'three.\n\nFour\nfive six.', start: 23 }, expected: 1 },
  { name: 'half of it', stretch: { text: 'Four fi', start: 30 }, expected: 6 / 12 },
  { name: 'another place', stretch: { text: 'One two', start: 0 }, expected: 0 },
  { name: 'words that are not there', stretch: { text: 'Seven', start: 30 }, expected: 0 },
  { name: 'nothing but white space', stretch: { text: ' \n', start: 30 }, expected: 0 },
])('a stretch with $name covers $expected', ({ stretch, expected }) => {
  expect(coverage.share([gold('Four  five six.')], [{ textId: 't', ...stretch }])).toBeCloseTo(expected, 10);
});

test('of two places with the same words the one near the offset is meant', () => {
  const second = gold('One two three.', 5);
  expect(coverage.share([second], [{ textId: 't', text: 'One two three.', start: 16 }])).toBe(1);
  expect(coverage.share([second], [{ textId: 't', text: 'One two three.', start: 0 }])).toBe(0);
});

test('overlapping stretches count once, and other texts not at all', () => {
  const six = gold('Four  five six.');
  const half = { textId: 't', text: 'Four fi', start: 31 };
  expect(coverage.share([six], [half, half])).toBeCloseTo(6 / 12, 10);
  expect(coverage.share([six], [{ ...half, textId: 'u' }])).toBe(0);
});

test('any stretch of a text covers exactly the characters that it shares with a span', () => {
  const letters = Array.from({ length: 60 }, (_, index) => String.fromCodePoint(0x4e00 + index)).join('');
  const distinct = createSpanCoverage(() => letters);
  const interval = fc
    .tuple(fc.nat(59), fc.nat(59))
    .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) + 1 }));
  fc.assert(
    fc.property(interval, interval, (span, stretch) => {
      const shared = Math.max(0, Math.min(span.end, stretch.end) - Math.max(span.start, stretch.start));
      const share = distinct.share(
        [{ textId: 't', content: letters.slice(span.start, span.end), ...span }],
        [{ textId: 't', text: letters.slice(stretch.start, stretch.end), start: stretch.start }],
      );
      expect(share).toBeCloseTo(shared / (span.end - span.start), 10);
    }),
  );
});
