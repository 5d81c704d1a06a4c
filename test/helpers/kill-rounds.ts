const DOCUMENTS = 6;
const SECTIONS = 5;

/** The documents of a round: half of them replace those of the round before, half are new. Texts differ in every round. */
export function killRound(round: number): { name: string; text: string }[] {
  return Array.from({ length: DOCUMENTS }, (_, index) => {
    const kept = index < DOCUMENTS / 2;
    const name = kept ? `kept-${index}.md` : `round-${round}-${index}.md`;
    const sections = Array.from(
      { length: SECTIONS },
      (__, section) =>
        `## Section ${section}\n\nRound ${round} of ${name} says ${section}. ` +
        'The second sentence is about sailing boats. A third one follows it closely. Then there is a fourth. And a fifth.\n',
    );
    return { name, text: `# ${name} in round ${round}\n\n${sections.join('\n')}` };
  });
}

/** Chunks of each document of a round: one a section. */
export const KILL_ROUND_CHUNKS = SECTIONS;
