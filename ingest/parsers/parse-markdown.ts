// Markdown files.

import { withoutTemplateTags } from '../markdown-templates.ts';
import { markdownToBlocks } from '../markdown-to-blocks.ts';
import type { ParsedDocument } from '../parsed-document.ts';
import { buildDocument } from './build-document.ts';
import { textBlocks } from './parse-text.ts';
import { readFrontMatter } from './read-front-matter.ts';

// `import x from 'y'` and `export …` at the head of MDX are program.
const MDX_STATEMENT = /^(?:import\s[^\n]*?['"][^'"\n]+['"];?|export\s+(?:const|let|default|function)\s[^\n]*)$/gm;

// Markdown's parser is quadratic in the depth of quotes and lists (10 KB of `- - -` took a minute); nobody nests like that.
const TOO_DEEP = /^(?:[ \t]*(?:>|[-*+][ \t]|\d{1,9}[.)][ \t])){100}/m;

/** Reads Markdown; with `mdx`, import and export lines are left out. Front matter becomes properties and the title. */
export function parseMarkdown(source: string, options: { readonly mdx?: boolean } = {}): ParsedDocument {
  const markdown = withoutTemplateTags(options.mdx ? source.replace(MDX_STATEMENT, '') : source);
  if (TOO_DEEP.test(markdown)) return buildDocument({ blocks: textBlocks(markdown) });
  try {
    const { blocks, frontMatter } = markdownToBlocks(markdown);
    const properties = readFrontMatter(frontMatter);
    return buildDocument(properties.title ? { title: properties.title, blocks, properties } : { blocks, properties });
  } catch (cause) {
    // Deeply nested emphasis exhausts the stack of a recursive walk. The words are still there.
    if (cause instanceof RangeError) return buildDocument({ blocks: textBlocks(markdown) });
    throw cause;
  }
}
