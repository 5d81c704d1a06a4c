// Long Markdown in parts: the parser keeps about a hundred times its input in memory, so it gets pieces.

// Measured: 1 MiB of prose is parsed in about a second and needs 150 MB; below it nothing is split.
const PART_LENGTH = 1_000_000;
// Definitions that every part gets; more than this is not prose any more.
const MAX_DEFINITIONS_LENGTH = 100_000;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const DEFINITION = /^ {0,3}\[(?!\^)[^\]\n]+\]:[ \t]*\S/;

/**
 * `markdown` cut at blank lines outside fenced code into parts of about a million characters. Link definitions are repeated
 * in each part, because a reference without its definition would read differently.
 */
export function splitMarkdown(markdown: string): string[] {
  if (markdown.length <= PART_LENGTH) return [markdown];
  const lines = markdown.split('\n');
  const parts = cutAtBlankLines(lines);
  const definitions = lines.filter((line) => DEFINITION.test(line)).join('\n');
  if (definitions === '' || definitions.length > MAX_DEFINITIONS_LENGTH) return parts;
  return parts.map((part) => `${part}\n\n${definitions}\n`);
}

function cutAtBlankLines(lines: readonly string[]): string[] {
  const parts: string[] = [];
  let part: string[] = [];
  let length = 0;
  let fence: string | null = null;
  for (const [index, line] of lines.entries()) {
    const mark: string | undefined = FENCE.exec(line)?.[1];
    if (mark && !fence) fence = mark;
    else if (mark && fence && mark.startsWith(fence)) fence = null;
    part.push(line);
    length += line.length + 1;
    // A following indented line would belong to a list item.
    const cuttable = !fence && line.trim() === '' && /^\S/.test(lines[index + 1] ?? '');
    if (length > PART_LENGTH && (cuttable || length > 2 * PART_LENGTH)) {
      parts.push(part.join('\n'));
      part = [];
      length = 0;
    }
  }
  return part.length > 0 ? [...parts, part.join('\n')] : parts;
}
