// Browsers for tests, which watch what no page may do: fail in its script, break the policy, or ask another host.
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { findChromium } from './chromium.ts';

/** A browser over one service. */
export interface TestBrowser {
  /** A page of somebody who is signed in, in a context of its own. */
  signIn(who: string, options?: BrowserContextOptions): Promise<Page>;
  page(options?: BrowserContextOptions): Promise<Page>;
  /** What went wrong in pages so far, and empties the list. */
  faults(): string[];
  /** Ends all pages. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export async function openBrowser(url: string): Promise<TestBrowser> {
  // Chromium's own sandbox needs rights that containers and root do not have; the pages are ours.
  const browser: Browser = await chromium.launch({ executablePath: findChromium() ?? '', args: ['--no-sandbox'] });
  const contexts: BrowserContext[] = [];
  let faults: string[] = [];
  const page = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 800 }, ...options });
    contexts.push(context);
    context.on('request', (request) => {
      if (new URL(request.url()).origin !== new URL(url).origin) faults.push(`asked ${request.url()}`);
    });
    context.on('weberror', (error) => faults.push(error.error().message));
    context.on('console', (message) => {
      const isOfStatus = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isOfStatus) faults.push(message.text());
    });
    return context.newPage();
  };
  return {
    page,
    async signIn(who, options) {
      const opened = await page(options);
      await opened.goto('/sign-in');
      await opened.click(`button[value="${who}@x.example"]`);
      await opened.waitForURL(`${url}/`);
      return opened;
    },
    faults() {
      const found = faults;
      faults = [];
      return found;
    },
    async reset() {
      await Promise.all(contexts.splice(0).map((context) => context.close()));
    },
    close: () => browser.close(),
  };
}

/** Asks as a person does: types, sends with Enter, and waits for the answer. */
export async function ask(page: Page, question: string, box = '#question'): Promise<void> {
  const answers = page.locator('.answer');
  const before = await answers.count();
  await page.fill(box, question);
  await page.press(box, 'Enter');
  await answers.nth(before).waitFor();
  // In words, because the tests are compiled without the types of a page.
  await page.waitForFunction('!document.body.dataset.asking');
}

/** The text that a person sees of an element. */
export function seen(locator: Locator): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: hidden text would count too.
  return locator.innerText();
}
