import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findChromium } from '../helpers/chromium.ts';
import { ask, openBrowser, seen, type TestBrowser } from '../helpers/open-browser.ts';
import { BONUS, LEAVE, startWebService, type WebService } from '../helpers/web-service.ts';

const LEAVE_QUESTION = 'How many days of annual leave does an employee have in a year?';
const BONUS_QUESTION = 'How many euros does the bonus pool of the finance department hold?';

describe.skipIf(findChromium() === null)('the chat page in a browser', () => {
  let web: WebService;
  let browser: TestBrowser;
  beforeAll(async () => {
    web = await startWebService();
    browser = await openBrowser(web.url);
  });
  afterEach(async () => {
    await browser.reset();
    expect(browser.faults()).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await web.close();
  });

  test('two people with different rights get a quote and a refusal for the same question', async () => {
    const ann = await browser.signIn('ann');
    await ask(ann, BONUS_QUESTION);
    expect(await seen(ann.locator('blockquote'))).toBe(BONUS);
    expect(await seen(ann.locator('.quote-source'))).toContain('Bonus pool');
    expect(await seen(ann.locator('.freshness'))).toMatch(/updated .*, permissions checked/);

    const ben = await browser.signIn('ben');
    await ask(ben, BONUS_QUESTION);
    expect(await seen(ben.locator('.refusal'))).toBe(
      'I found nothing in the documents you may read that answers this.',
    );
    expect(await ben.content()).not.toContain('nine hundred');
  });

  test('in a channel everyone must be able to read it; who may read more is offered a private answer, alone', async () => {
    const ann = await browser.signIn('ann');
    await ann.click('a:visible:has-text("yard")');
    await ann.click('.members summary');
    const members = await ann.locator('.members li').allTextContents();
    expect(members.map((text) => text.trim())).toEqual([
      'AEAnn Example Analyst',
      'BEBen Example Analyst',
      'GEGus Example Guest',
    ]);
    await ask(ann, BONUS_QUESTION);
    expect(await seen(ann.locator('.refusal'))).toContain('everyone here may read');
    expect(await seen(ann.locator('.offer'))).toContain('Only you see this');

    const gus = await browser.signIn('gus');
    await gus.goto('/channels/yard');
    expect(await seen(gus.locator('.question-text'))).toBe(BONUS_QUESTION);
    expect(await gus.locator('.offer').count()).toBe(0);

    await ann.click('.offer button');
    await ann.waitForURL(/\/#answer-/);
    expect(await seen(ann.locator('.thread').first().locator('blockquote'))).toBe(BONUS);
  });

  test('a follow-up stays in its thread, and the answer gets the focus', async () => {
    const ben = await browser.signIn('ben');
    await ask(ben, LEAVE_QUESTION);
    await ben.click('.thread >> nth=0 >> text=Ask a follow-up');
    expect(await ben.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await ask(ben, 'And who decides on annual leave?', '.thread >> nth=0 >> textarea[name=question]');
    expect(await ben.locator('.thread').first().locator('.question-text').count()).toBe(2);
    expect(await ben.evaluate('document.activeElement.className')).toBe('answer');
  });

  test('progress is told to screen readers while one waits', async () => {
    const ben = await browser.signIn('ben');
    await ben.evaluate(`{
      const status = document.querySelector('#progress');
      window.told = [];
      const note = () => told.push(status.textContent);
      new MutationObserver(note).observe(document.body, { childList: true, subtree: true, characterData: true });
    }`);
    // Not asked before: what is answered from memory has fewer stages.
    await ask(ben, 'Which countries give extra days of leave?');
    const told = await ben.evaluate<string>("told.join('\\n')");
    expect(told).toContain('Checking what everyone here may read');
    expect(told).toContain('Searching the documents');
    expect(await ben.locator('#progress').getAttribute('aria-live')).toBe('polite');
    expect(await seen(ben.locator('#progress'))).toBe('');
  });

  test('a question that does not reach the service is kept, and the person is told', async () => {
    const ben = await browser.signIn('ben');
    await ben.route('**/ask', (route) => route.abort());
    await ben.fill('#question', LEAVE_QUESTION);
    await ben.press('#question', 'Enter');
    await ben.locator('#progress[data-state=failed]').waitFor();
    expect(await seen(ben.locator('#progress'))).toContain('did not arrive');
    expect(await ben.inputValue('#question')).toBe(LEAVE_QUESTION);
    browser.faults();
  });

  test('a quote opens its document, highlighted and in sight', async () => {
    const ben = await browser.signIn('ben');
    await ask(ben, LEAVE_QUESTION);
    await ben.click('.thread >> nth=0 >> .quote-source a');
    const mark = ben.locator('mark#quote');
    await mark.waitFor();
    expect(await seen(mark)).toContain(LEAVE);
    const inSight =
      '(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector("mark").getBoundingClientRect())';
    await expect.poll(() => ben.evaluate(inSight)).toBe(true);
    expect(await seen(ben.locator('.heading-path'))).toContain('How much');
    expect(await seen(ben.locator('.facts'))).toContain('checked just now');
    expect(await ben.locator('.document-text th').allInnerTexts()).toEqual(['Country', 'Extra days']);
  });

  test('a quote of an older version is found again, or said to be gone', async () => {
    const uri = 'demo://yard/ferry.md';
    const sentence = 'The ferry to the island leaves the pier at seven in the morning.';
    await web.put(uri, `# Ferry\n\n${sentence}\n`, ['verbatim:everyone']);
    const ben = await browser.signIn('ben');
    await ask(ben, 'When does the ferry to the island leave the pier?');
    await web.put(uri, `# Ferry\n\nNew: bicycles are free.\n\n${sentence}\n`, ['verbatim:everyone']);
    await ben.reload();
    const thread = ben.locator('.thread').first();
    expect(await seen(thread.locator('.quote-note'))).toContain('has changed since');
    const link = await thread.locator('.quote-source a').getAttribute('href');
    await ben.goto(link ?? '');
    expect(await seen(ben.locator('mark'))).toBe(sentence);
    expect(await seen(ben.locator('.notice'))).toContain('still in it');

    await web.put(uri, '# Ferry\n\nThere is no ferry any more.\n', ['verbatim:everyone']);
    await ben.reload();
    expect(await ben.locator('mark').count()).toBe(0);
    expect(await seen(ben.locator('.notice'))).toContain('no longer in it');
  });

  test('what is forgotten goes from pages that are open', async () => {
    await web.put('demo://yard/lamp.md', '# Lamp\n\nThe lamp of the yard burns green in a storm.\n', [
      'verbatim:everyone',
    ]);
    const [ben, other, ada] = [await browser.signIn('ben'), await browser.signIn('ben'), await browser.signIn('ada')];
    await ask(ben, 'How does the lamp of the yard burn in a storm?');
    await other.reload();
    expect(await seen(other.locator('.thread').first())).toContain('burns green');
    const viewer = await browser.signIn('ben');
    await viewer.goto((await ben.locator('.thread >> nth=0 >> .quote-source a').getAttribute('href')) ?? '');
    expect(await seen(viewer.locator('article'))).toContain('burns green');

    await ada.goto('/admin/documents?search=lamp');
    await ada.click('text=Forget …');
    expect(await seen(ada.locator('.panel'))).toMatch(/1 chunk .*1 answer .*1 place/s);
    await ada.click('button:has-text("Forget it")');
    await ada.locator('h1:has-text("Forgotten")').waitFor();
    expect(await seen(ada.locator('.receipt'))).toMatch(/Chunks\s*1/);

    await ben.click('.thread >> nth=0 >> .quote-source a');
    expect(await seen(ben.locator('h1'))).toBe('Nothing here');
    await viewer.locator('h1:has-text("Nothing here")').waitFor();
    await other.locator('.thread >> nth=0 >> .notice').waitFor();
    expect(await seen(other.locator('.thread').first())).toContain('taken back');
    expect(await other.content()).not.toContain('burns green');
  });

  test('markup in a document and in a question is shown and not run', async () => {
    const ben = await browser.signIn('ben');
    await ask(ben, 'How many tons does the crane carry? <img src=x onerror="document.title=1">');
    const thread = ben.locator('.thread').first();
    expect(await seen(thread.locator('blockquote'))).toContain('<b>twelve</b> tons <script>');
    expect(await thread.locator('img, script, b:has-text("twelve")').count()).toBe(0);
    await thread.locator('.quote-source a').click();
    await ben.locator('mark').first().waitFor();
    expect(await seen(ben.locator('h1'))).toBe('Crane <img src=x onerror=alert(1)>');
    expect(await ben.title()).not.toContain('run');
  });

  test('an opinion can be given, explained and withdrawn', async () => {
    const ben = await browser.signIn('ben');
    await ask(ben, LEAVE_QUESTION);
    const thread = ben.locator('.thread').first();
    await thread.locator('summary:has-text("Not helpful")').click();
    await thread.locator('input[value=outdated]').check();
    await thread.locator('textarea[name=comment]').fill('It was changed in spring.');
    await thread.locator('button:has-text("Send")').click();
    await thread.locator('.given').waitFor();
    expect(await seen(thread.locator('.given'))).toContain('you reported a problem');
    await thread.locator('button:has-text("Withdraw")').click();
    await thread.locator('button:has-text("Helpful")').click();
    await thread.locator('.given:has-text("found this helpful")').waitFor();
    await ben.reload();
    expect(await seen(ben.locator('.thread').first())).toContain('found this helpful');
  });

  test('everything works without a script', async () => {
    const ben = await browser.signIn('ben', { javaScriptEnabled: false });
    await ben.fill('#question', LEAVE_QUESTION);
    await ben.click('.ask button');
    expect(ben.url()).toMatch(/#answer-/);
    const thread = ben.locator('.thread').first();
    expect(await seen(thread.locator('blockquote').first())).toContain('thirty days');
    await thread.locator('summary:has-text("Ask a follow-up")').click();
    await thread.locator('textarea[name=question]').fill('And who decides on annual leave?');
    await thread.locator('.follow-up button').click();
    expect(await ben.locator('.thread').first().locator('.question-text').count()).toBe(2);
    await ben.locator('.thread >> nth=0 >> button:has-text("Helpful") >> nth=0').click();
    expect(await seen(ben.locator('.thread').first())).toContain('found this helpful');
    await ben.locator('.thread >> nth=0 >> .quote-source a >> nth=0').click();
    expect(await ben.locator('mark#quote').count()).toBe(1);
    await ben.goto('/');
    await ben.locator('button[title="Sign out"]:visible').click();
    expect(ben.url()).toContain('/sign-in');
  });

  test('somebody who is signed out while the page is open is asked to sign in', async () => {
    const ben = await browser.signIn('ben');
    await ben.context().clearCookies({ name: 'verbatim_session' });
    await ben.waitForURL(/\/sign-in/);
  });

  test('somebody who is signed out and asks before the page notices is asked to sign in', async () => {
    const ben = await browser.signIn('ben');
    await ben.route('**/pulse', (route) => route.abort());
    await ben.context().clearCookies({ name: 'verbatim_session' });
    await ben.fill('#question', LEAVE_QUESTION);
    await ben.press('#question', 'Enter');
    await ben.waitForURL(/\/sign-in/);
  });
});
