// Whether a sentence says the opposite of what a question asks for: when the weeks begin, and not when they end.

import { hasTellingTerms } from './question-terms.ts';
import { type ReadSentence, type Standing, togetherStanding } from './sentence-score.ts';
import { answerKindOf } from './sentence-score-cues.ts';
import { stem } from './sentence-score-stem.ts';

const wholeWord = (words: string): RegExp => new RegExp(String.raw`(?<![\p{L}-])(?:${words})(?![\p{L}-])`, 'u');

const BEGIN = wholeWord('begin(?:s|ning)?|began|begun|start(?:s|ed|ing)?');
const END = wholeWord('end(?:s|ed|ing)?|finish(?:es|ed)?|stop(?:s|ped)?|expires?');

/** Words of which what is said with one is not said of the other. */
const OPPOSITES: readonly (readonly [one: RegExp, other: RegExp])[] = [
  [BEGIN, END],
  [wholeWord('arriv(?:e|es|ed|als?)'), wholeWord('depart(?:s|ed|ures?)?')],
  [wholeWord('minimum'), wholeWord('maximum')],
  [wholeWord('internal'), wholeWord('external')],
  [wholeWord('inbound|incoming'), wholeWord('outbound|outgoing')],
  [wholeWord('domestic'), wholeWord('international|foreign')],
  [wholeWord('imports?'), wholeWord('exports?')],
  [wholeWord('uploads?'), wholeWord('downloads?')],
  [wholeWord('entry|entrance'), wholeWord('exit')],
];
/** Tells an end by a beginning, or the other way round: "begins on Tuesday and lasts a week". */
const GOES_ON = /\b(?:to|until|till|through|lasts?|for (?:\d+|an?|one|two|three|four|five|six)) |\d ?[-–—] ?\d/;

/** "After probation", "before the departure": what comes before, during or after what. */
const TIME_RELATION = /\b(before|during|after) (?:the |a |an |my |your |our |their |its )?(\p{L}+)/gu;
/** "Check in", "signed out"; what is made "out of" something is not. */
const PARTICLE_VERB = /(?<!\p{L})(\p{L}+)[ -](in|out|on|off|up|down)(?!\p{L}| of\b)/gu;
const OPPOSITE_PARTICLES: Readonly<Record<string, string>> = {
  in: 'out',
  out: 'in',
  on: 'off',
  off: 'on',
  up: 'down',
  down: 'up',
};

/** What a text pairs, as "probation after": the stem of a word, and the relation that it stands in. */
function pairsIn(text: string): ReadonlySet<string> {
  const relations = [...text.matchAll(TIME_RELATION)].map(([, relation = '', word = '']) => [word, relation] as const);
  const verbs = [...text.matchAll(PARTICLE_VERB)].map(([, verb = '', particle = '']) => [verb, particle] as const);
  return new Set(
    [...relations, ...verbs]
      .filter(([word]) => hasTellingTerms(word))
      .map(([word, relation]) => `${stem(word)} ${relation}`),
  );
}

/** The pairs that say the opposite of one, or another time. */
function oppositesOf(pair: string): string[] {
  const [word = '', relation = ''] = pair.split(' ');
  const particle = OPPOSITE_PARTICLES[relation];
  const others = particle ? [particle] : ['before', 'during', 'after'].filter((other) => other !== relation);
  return others.map((other) => `${word} ${other}`);
}

function standingToWords(question: string, isTime: boolean, own: string, headed: string): Standing {
  for (const [one, other] of [...OPPOSITES, ...OPPOSITES.map(([one, other]) => [other, one] as const)]) {
    const isSpan = one === BEGIN || one === END;
    // What begins or stops matters to who asks for a time; else a stop is a place.
    if (!one.test(question) || other.test(question) || (isSpan && !isTime)) continue;
    if (one.test(headed)) return 'covers';
    if (other.test(own) && !(isSpan && GOES_ON.test(own))) return 'misses';
  }
  return 'silent';
}

function standingToPairs(asked: ReadonlySet<string>, own: string, headed: string): Standing {
  const [said, saidAround] = [pairsIn(own), pairsIn(headed)];
  const standings = [...asked].map((pair): Standing => {
    if (saidAround.has(pair)) return 'covers';
    return oppositesOf(pair).some((opposite) => said.has(opposite) && !asked.has(opposite)) ? 'misses' : 'silent';
  });
  return standings.find((standing) => standing === 'misses') ?? standings[0] ?? 'silent';
}

/**
 * How sentences stand to what a question asks that has an opposite: one that says the opposite only, in its own words, misses.
 * "The weeks begin on Tuesday" does not tell when they end, nor a notice during probation the one after it. Of a question for a
 * yes or no, for steps or for a reason the opposite may be the answer.
 */
export function standingToOpposites(question: string): (sentence: ReadSentence) => Standing {
  const kind = answerKindOf(question);
  if (kind === 'yes_no' || kind === 'steps' || kind === 'reason') return () => 'silent';
  const plain = question.toLowerCase();
  const asked = pairsIn(plain);
  return ({ text, header, chunk }) => {
    const own = `${header}\n${text}`.toLowerCase();
    const headed = [own, ...chunk.headingPath, chunk.title].join('\n').toLowerCase();
    const standings = [standingToWords(plain, kind === 'time', own, headed), standingToPairs(asked, own, headed)];
    return togetherStanding(standings);
  };
}
