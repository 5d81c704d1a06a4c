import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeHtml, html, raw, renderHtml } from '../../../adapters/web/html.ts';

const render = (markup: ReturnType<typeof html>) => renderHtml(markup);

describe('html', () => {
  test.each([
    ['text', html`<p>${'<script>alert("1")</script>'}</p>`, '<p>&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;</p>'],
    ['attributes', html`<a title="${'" onclick="x'}">a</a>`, '<a title="&quot; onclick=&quot;x">a</a>'],
    ['single quotes and backticks', html`${"'`"}`, '&#39;&#96;'],
    ['an ampersand that looks like an entity', html`${'&lt;'}`, '&amp;lt;'],
    ['each text of a list', html`${['<a>', '<b>']}`, '&lt;a&gt;&lt;b&gt;'],
    ['texts in lists of lists', html`${[['<'], html`${'>'}`]}`, '&lt;&gt;'],
  ])('escapes %s', (_name, markup, expected) => {
    expect(render(markup)).toBe(expected);
  });

  test('joins lists and keeps markup that was made by a template', () => {
    expect(render(html`<ul>${['a', 'b'].map((each) => html`<li>${each}</li>`)}</ul>`)).toBe(
      '<ul><li>a</li><li>b</li></ul>',
    );
  });

  test('writes numbers, and nothing for what is missing', () => {
    expect(render(html`${0}|${null}|${undefined}|${false}|${true}|${''}`)).toBe('0|||||');
  });

  test('takes only what raw made as markup, not what looks like it', () => {
    expect(render(html`${raw('<b>')}`)).toBe('<b>');
    expect(render(html`${String(raw('<b>'))}`)).toBe('[object Object]');
  });

  test('whatever is put into text or an attribute, no tag and no attribute comes of it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const written = render(html`<p title="${text}">${text}</p>`);
        expect(written).toBe(`<p title="${escapeHtml(text)}">${escapeHtml(text)}</p>`);
        expect(escapeHtml(text)).not.toMatch(/[<>"'`]/);
      }),
    );
  });
});
