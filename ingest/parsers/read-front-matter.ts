// Front matter (YAML or TOML) as flat properties. A broken one costs its properties, never the document.
import { parse as parseYaml, YAMLError } from 'yaml';
import type { MarkdownContent } from '../markdown-to-blocks.ts';

// Front matter is a handful of fields; a long one is data.
const MAX_LENGTH = 100_000;

/** Properties by key in lower case; nested keys are joined with dots, lists with commas. */
export function readFrontMatter(frontMatter: MarkdownContent['frontMatter']): Record<string, string> {
  if (!frontMatter || frontMatter.source.length > MAX_LENGTH) return {};
  const properties: Record<string, string> = {};
  collect(properties, '', frontMatter.language === 'yaml' ? yaml(frontMatter.source) : lines(frontMatter.source, '='));
  return properties;
}

function yaml(source: string): unknown {
  try {
    // The core schema leaves dates as they are written; aliases are bounded by the parser.
    return parseYaml(source, { logLevel: 'error', prettyErrors: false });
  } catch (cause) {
    if (cause instanceof YAMLError || cause instanceof ReferenceError || cause instanceof TypeError)
      return lines(source, ':');
    throw cause;
  }
}

// `key: value` lines, for TOML and for YAML that its parser refuses (an unquoted colon is the usual slip).
function lines(source: string, separator: ':' | '='): Record<string, string> {
  const found: [string, string][] = [];
  for (const line of source.split('\n')) {
    const at = line.indexOf(separator);
    const key = line.slice(0, Math.max(0, at)).trim();
    if (at > 0 && /^[\w .-]+$/.test(key))
      found.push([
        key,
        line
          .slice(at + 1)
          .trim()
          .replace(/^(["'])(.*)\1$/, '$2'),
      ]);
  }
  return Object.fromEntries(found);
}

function collect(properties: Record<string, string>, path: string, value: unknown): void {
  if (value === null || value === undefined) return;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    properties[path] = value.join(', ');
  } else if (typeof value === 'object') {
    for (const [key, child] of Object.entries(value))
      collect(properties, path ? `${path}.${key.toLowerCase()}` : key.toLowerCase(), child);
  } else if (path) {
    properties[path] = String(value);
  }
}
