// Reactions that count as an opinion of an answer, the same on every platform.
import type { Feedback } from './ports.ts';

// Names and aliases as Slack and Teams give them, and the characters themselves.
const VERDICTS: Readonly<Record<string, Feedback['verdict']>> = {
  '+1': 'up',
  thumbsup: 'up',
  white_check_mark: 'up',
  like: 'up',
  '👍': 'up',
  '✅': 'up',
  '-1': 'down',
  thumbsdown: 'down',
  x: 'down',
  '👎': 'down',
  '❌': 'down',
};

const SKIN_TONE_NAME = /::skin-tone-[2-6]$/;
const SKIN_TONE = /[\u{1F3FB}-\u{1F3FF}]/gu;

/** What a reaction says of an answer, whatever its skin tone; null when it is no opinion. */
export function reactionVerdict(reaction: string): Feedback['verdict'] | null {
  const name = reaction.replaceAll(':', (_colon, at: number, all: string) =>
    at === 0 || at === all.length - 1 ? '' : ':',
  );
  const plain = name.replace(SKIN_TONE_NAME, '').replaceAll(SKIN_TONE, '');
  return Object.hasOwn(VERDICTS, plain) ? (VERDICTS[plain] ?? null) : null;
}
