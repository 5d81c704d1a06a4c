// Text of documents and models where it could deceive: characters that turn the order of what stands around them or are not seen at
// all, and names that look like the address of somewhere else. Every display shows such text through this file.

// Embeddings, overrides and isolates of the bidirectional algorithm (UAX #9).
const DIRECTING = /[\u202A-\u202E\u2066-\u2069]/;
const ALL_DIRECTING = /[\u202A-\u202E\u2066-\u2069]/g;
const ISOLATE = '\u2068'; // FSI: ends with PDI, whatever was begun inside
const END = '\u2069';

// They have no width in any script and hide words from whoever copies or searches what is shown. The joiners U+200C and U+200D
// shape letters and emoji, and scripts without blanks between words break their lines at U+200B.
const NOT_SEEN =
  /[\u180E\u2060-\u2064\uFEFF\u{E0000}-\u{E007F}]|(?<![\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\u200B/gu;

const withoutNotSeen = (text: string): string => text.replaceAll(NOT_SEEN, '');

/**
 * `text` for a display that knows isolates, so that it cannot turn what stands around it, line by line: between isolates where it
 * has characters that could. What is not seen is left out; the words are untouched.
 */
export function isolated(text: string): string {
  const seen = withoutNotSeen(text);
  return DIRECTING.test(seen) ? seen.split('\n').map(isolatedLine).join('\n') : seen;
}

// An end that the text did not begin would end ours: it gets a beginning of its own.
function isolatedLine(line: string): string {
  if (!DIRECTING.test(line)) return line;
  let open = 0;
  let unbegun = 0;
  for (const character of line) {
    if (/[\u2066-\u2068]/.test(character)) open += 1;
    else if (character === END && open > 0) open -= 1;
    else if (character === END) unbegun += 1;
  }
  return `${ISOLATE.repeat(unbegun + 1)}${line}${END.repeat(open + 1)}`;
}

/**
 * A title or another name with those characters as what they are called, such as `[U+202E]`: nobody quotes a name. Also any text
 * where isolates are not known, as in most terminals.
 */
export function marked(name: string): string {
  return withoutNotSeen(name).replaceAll(
    ALL_DIRECTING,
    (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase()}]`,
  );
}

// Names of files end in these; as domains they exist as well, and a file's name is the more likely.
const FILE_ENDINGS = new Set(
  'md mdx txt pdf html htm xml json jsonl csv tsv doc docx ppt pptx xls xlsx ipynb yaml yml toml ini log zip js ts jsx tsx py rb rs go java sh sql css'.split(
    ' ',
  ),
);

// What browsers take for a dot in a host (UTS #46), and one that looks like it.
const DOTS = /[\u3002\uFF0E\uFF61\u2024]/g;

/**
 * Whether a name reads like an address of another host than `url`: as the text of a link to `url` it would say where the link
 * does not go.
 */
export function namesAnotherHost(name: string, url: string): boolean {
  const target = hostOf(url);
  const plain = name
    .normalize('NFKC')
    .replaceAll(DOTS, '.')
    .replaceAll(/\p{Cf}/gu, '')
    .toLowerCase();
  const hosts = [
    ...plain.matchAll(
      /(?:[\p{L}\p{N}_-]+\.)+(?:\p{L}{2,}|xn--[a-z\d-]+)(?![\p{L}\p{N}])|\b(?:\d{1,3}\.){3}\d{1,3}\b/gu,
    ),
  ].map(([host]) => host);
  const others = hosts.filter((host) => !FILE_ENDINGS.has(host.split('.').at(-1) ?? '') && !isWithin(target, host));
  // After a scheme stands a host, whatever it ends in; and before an @ is none, whatever it looks like.
  const schemed = [...plain.matchAll(/[a-z][a-z\d+.-]*:\/\/([^\s/?#\\]*)/g)].map(([, host = '']) => host);
  return others.length > 0 || schemed.some((host) => !isWithin(target, host.replace(/:\d*$/, '')));
}

/** What a link to `url` is called where its text may not be the name of what it leads to. */
export function linkLabel(url: string): string {
  return `open (${hostOf(url)})`;
}

// `example.com` for `docs.example.com` names the same house.
function isWithin(target: string, host: string): boolean {
  const ascii = hostOf(`https://${host}`);
  return ascii !== '' && (target === ascii || target.endsWith(`.${ascii}`));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : '';
}
