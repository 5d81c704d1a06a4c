import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../helpers/chromium.ts';
import { ask, openBrowser, seen, type TestBrowser } from '../helpers/open-browser.ts';
import { startWebService, type WebService } from '../helpers/web-service.ts';

const QUESTION = 'How many days of annual leave does an employee have in a year?';

describe.skipIf(findChromium() === null)('all pages in a browser', () => {
  let web: WebService;
  let browser: TestBrowser;
  let documentPath: string;
  beforeAll(async () => {
    web = await startWebService();
    browser = await openBrowser(web.url);
    const ada = await browser.signIn('ada');
    await ask(ada, QUESTION);
    await ask(ada, 'Who painted the ceiling of the opera?');
    documentPath = (await ada.locator('.quote-source a').first().getAttribute('href')) ?? '';
    await ada.goto('/channels/town-square');
    await ask(ada, QUESTION);
    await browser.reset();
  });
  afterEach(async () => {
    await browser.reset();
    expect(browser.faults()).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  // Functions, because what they name is made before the tests.
  const pages: [string, () => string][] = [
    ['the private thread', () => '/'],
    ['a channel', () => '/channels/town-square'],
    ['a document', () => documentPath],
    ['the overview', () => '/admin'],
    ['the documents', () => '/admin/documents'],
    ['forgetting', () => `/admin/documents/${web.documentIds.get('leave.md')}/forget`],
    ['the questions', () => '/admin/questions'],
    ['what is not there', () => '/nowhere'],
  ];

  /** Opens everything that can be opened. */
  const unfold = (page: Page) =>
    page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");

  test.each(pages)('%s has no serious fault of accessibility, in light and in dark', async (_name, path) => {
    const ada = await browser.signIn('ada', { reducedMotion: 'reduce' });
    await ada.goto(path());
    await unfold(ada);
    expect(await seriousFaults(ada)).toEqual([]);
  });

  test('signing in has no serious fault of accessibility, in light and in dark', async () => {
    const stranger = await browser.page({ reducedMotion: 'reduce' });
    await stranger.goto('/sign-in');
    expect(await seriousFaults(stranger)).toEqual([]);
  });

  // The dark page is the same one in other colours.
  async function seriousFaults(page: Page): Promise<string[]> {
    const light = await new AxeBuilder({ page }).analyze();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await new AxeBuilder({ page }).withRules('color-contrast').analyze();
    return [...light.violations, ...dark.violations]
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id} ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
  }

  test('every page fits a phone of 360 pixels', async () => {
    const ada = await browser.signIn('ada', { viewport: { width: 360, height: 740 }, hasTouch: true });
    const wide: string[] = [];
    for (const [name, path] of pages) {
      await ada.goto(path());
      await unfold(ada);
      const width = await ada.evaluate<number>('document.documentElement.scrollWidth');
      if (width > 360) wide.push(`${name}: ${width}`);
    }
    expect(wide).toEqual([]);
    await ada.goto('/');
    await ada.locator('.menu summary').click();
    await ada.locator('.menu a:has-text("town-square")').click();
    await ada.locator('h1:has-text("town-square")').waitFor();
  });

  test('the first stop of the keyboard leads to the content, and every stop can be seen', async () => {
    const ada = await browser.signIn('ada');
    await ada.keyboard.press('Tab');
    expect(await ada.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await ada.keyboard.press('Enter');
    await ada.keyboard.press('Tab');
    expect(await ada.evaluate('document.activeElement.id')).toBe('question');
    for (let stop = 0; stop < 8; stop++) {
      await ada.keyboard.press('Tab');
      const visible = await ada.evaluate(
        "getComputedStyle(document.activeElement).outlineStyle !== 'none' && document.activeElement.offsetWidth > 0",
      );
      expect(visible).toBe(true);
    }
  });

  test('the overview counts what was asked, as charts and as tables', async () => {
    const ada = await browser.signIn('ada');
    await ada.goto('/admin');
    expect(await seen(ada.locator('.tiles'))).toMatch(/Questions\s*3\s*67 % answered/);
    const chart = ada.locator('.chart:has-text("Questions a day")').first();
    expect(await chart.locator('svg').getAttribute('aria-label')).toBe(
      'Questions a day: 3 in 14 days, 2 answered, 1 refused.',
    );
    await chart.locator('summary').click();
    expect(await seen(chart.locator('tbody tr').last())).toMatch(/\t2\t1$/);
    await ada.click('text=30 days');
    expect(await ada.locator('.chart tbody tr').count()).toBeGreaterThan(90);
  });

  test('a question opens to its stages and candidates; what was not found stands out', async () => {
    const ada = await browser.signIn('ada');
    await ada.goto('/admin/questions');
    const refused = ada.locator('.card:has-text("opera")');
    expect(await refused.getAttribute('class')).toContain('row-zero');
    expect(await seen(refused)).toContain('zero confidence');
    const answered = ada.locator('.card:has-text("annual leave")').first();
    await answered.locator('summary').click();
    expect(await seen(answered.locator('.candidates tbody tr').first())).toMatch(/Annual leave.*Quoted/);
    expect(await seen(answered.locator('.stages'))).toContain('Permissions');
    await ada.fill('input[name=search]', 'opera');
    await ada.press('input[name=search]', 'Enter');
    await ada.waitForURL(/search=opera/);
    expect(await ada.locator('.card').count()).toBe(1);
  });

  test('an admin quarantines a document, nobody is quoted it, and releases it again', async () => {
    const [ada, ben] = [await browser.signIn('ada'), await browser.signIn('ben')];
    const question = 'When does the gate of the yard close in the evening?';
    await ask(ben, question);
    expect(await seen(ben.locator('.thread').first())).toContain('closes at nine');
    await ada.goto('/admin/documents?search=gate');
    await ada.click('button:has-text("Quarantine")');
    await ada.locator('.notice-good').waitFor();
    await ben.reload();
    expect(await ben.content()).not.toContain('closes at nine');
    await ask(ben, question);
    expect(await ben.locator('.thread').first().locator('blockquote').count()).toBe(0);
    await ada.click('button:has-text("Release")');
    await ada.locator('.notice-good:has-text("back in answers")').waitFor();
    await ben.reload();
    expect(await seen(ben.locator('.thread').nth(1))).toContain('closes at nine');
  });
});
