// Messages as Slack shows them, near enough to be judged by eye: a page for Chromium, and a picture of it.
import { chromium } from 'playwright-core';

type Json = { readonly [key: string]: unknown };

/** One message of the preview. */
export interface PreviewMessage {
  readonly author: string;
  readonly bot: boolean;
  /** "Only visible to you" above it. */
  readonly ephemeral?: boolean;
  readonly text: string;
  readonly blocks: unknown;
}

const escaped = (text: unknown): string =>
  String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The page of a thread. */
export function previewPage(messages: readonly PreviewMessage[]): string {
  return `<!doctype html><meta charset="utf-8"><title>Preview</title><style>${STYLE}</style><main>${messages.map(message).join('')}</main>`;
}

function message({ author, bot, ephemeral, text, blocks }: PreviewMessage): string {
  const body =
    Array.isArray(blocks) && blocks.length > 0
      ? blocks.map((item) => block(item as Json)).join('')
      : `<p>${escaped(text)}</p>`;
  return `<article>${ephemeral ? '<small class="only">👁 Only visible to you</small>' : ''}<i class="avatar ${bot ? 'bot' : ''}">${escaped(author[0])}</i>
    <div><b>${escaped(author)}</b>${bot ? '<span class="app">APP</span>' : ''} <time>10:42</time>${body}</div></article>`;
}

function block(item: Json): string {
  const elements = (item.elements ?? []) as Json[];
  switch (item.type) {
    case 'rich_text':
      return `<div class="rich">${elements.map(rich).join('')}</div>`;
    case 'context':
      return `<div class="context">${elements.map((element) => `<span>${escaped(element.text)}</span>`).join('')}</div>`;
    case 'actions':
      return `<div class="actions">${elements.map((element) => `<button class="${escaped(element.style ?? '')}">${escaped((element.text as Json).text)}</button>`).join('')}</div>`;
    case 'header':
      return `<h2>${escaped((item.text as Json).text)}</h2>`;
    default:
      return `<pre>${escaped(JSON.stringify(item))}</pre>`;
  }
}

function rich(element: Json): string {
  const inner = (element.elements ?? []) as Json[];
  const words = () => inner.map(inline).join('');
  switch (element.type) {
    case 'rich_text_quote':
      return `<blockquote>${words()}</blockquote>`;
    case 'rich_text_preformatted':
      return `<pre>${words()}</pre>`;
    case 'rich_text_list': {
      const tag = element.style === 'ordered' ? 'ol' : 'ul';
      const start = Number(element.offset ?? 0) + 1;
      return `<${tag} start="${start}" style="margin-left:${Number(element.indent ?? 0) * 24}px">${inner.map((item) => `<li>${rich(item)}</li>`).join('')}</${tag}>`;
    }
    default:
      return `<div>${words()}</div>`;
  }
}

function inline(part: Json): string {
  const style = (part.style ?? {}) as Json;
  let text = escaped(part.type === 'link' ? (part.text ?? part.url) : part.text).replaceAll('\n', '<br>');
  if (style.code) text = `<code>${text}</code>`;
  if (style.bold) text = `<strong>${text}</strong>`;
  if (style.italic) text = `<em>${text}</em>`;
  if (style.strike) text = `<s>${text}</s>`;
  return part.type === 'link' ? `<a>${text}</a>` : text;
}

const STYLE = `
  body { margin: 0; font: 15px/1.46668 Lato, "Helvetica Neue", Arial, sans-serif; color: #1d1c1d; background: #fff; }
  main { width: 640px; padding: 12px 20px; } article { display: grid; grid-template-columns: 36px 1fr; gap: 8px; padding: 8px 0; }
  .avatar { width: 36px; height: 36px; border-radius: 8px; background: #7a8; color: #fff; display: grid; place-items: center; font-style: normal; }
  .avatar.bot { background: #1f2a44; } .app { font-size: 10px; background: #eee; border-radius: 2px; padding: 1px 3px; margin-left: 4px; }
  time, .context, .only { color: #616061; font-size: 12px; } .only { grid-column: 1 / -1; padding-left: 44px; }
  .rich { white-space: pre-wrap; overflow-wrap: anywhere; margin: 2px 0; } p { margin: 0; }
  blockquote { border-left: 4px solid #ddd; margin: 4px 0; padding-left: 12px; }
  pre { background: #f8f8f8; border: 1px solid #ddd; border-radius: 4px; padding: 8px; font: 12px/1.5 Menlo, Consolas, monospace; white-space: pre-wrap; }
  code { color: #e01e5a; background: #f8f8f8; border: 1px solid #ddd; border-radius: 3px; padding: 1px 3px; font-size: 12px; }
  a { color: #1264a3; } ul, ol { margin: 0; padding-left: 28px; } h2 { font-size: 18px; margin: 12px 0 4px; }
  .context span { margin-right: 8px; } .actions { margin-top: 6px; display: flex; gap: 8px; }
  button { border: 1px solid #bbb; background: #fff; border-radius: 4px; padding: 4px 12px; font: 700 13px Lato, Arial, sans-serif; }
  button.danger { color: #e01e5a; border-color: #e01e5a; }`;

/** Writes a PNG of the messages. */
export async function screenshotMessages(
  messages: readonly PreviewMessage[],
  path: string,
  executablePath: string,
): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: { width: 680, height: 400 } });
    await page.setContent(previewPage(messages));
    await page.screenshot({ path, fullPage: true });
  } finally {
    await browser.close();
  }
}
