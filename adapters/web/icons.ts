// Drawn for this product: strokes on a grid of 24, in the colour of the text around them, never read aloud.
import { type Html, html, raw } from './html.ts';

const STROKES = {
  quote:
    '<path d="M9.5 7C6.5 8 5 10.2 5 13.5V17h5v-5H7.5C7.5 10.4 8.2 9.3 9.9 8.6zM18.5 7c-3 1-4.5 3.2-4.5 6.5V17h5v-5h-2.5c0-1.6.7-2.7 2.4-3.4z" fill="currentColor" stroke="none"/>',
  channel: '<path d="M10 4 8 20M16 4l-2 16M4.5 9h16M3.5 15h16"/>',
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  people:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c0-3.6 2.9-6 6.5-6s6.5 2.4 6.5 6M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.4c2.2.8 3.5 2.8 3.5 5.6"/>',
  document: '<path d="M6 3h8l5 5v13H6zM14 3v5h5M9 13h7M9 17h5"/>',
  chart: '<path d="M4 20V4M4 20h16M8 16v-4M12.5 16V8M17 16v-6"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4.5 4.5"/>',
  up: '<path d="M7 11v9H4v-9zM7 11l4-8c1.6 0 2.5 1 2.5 2.5V9h5c1.2 0 2 1 1.7 2.2l-1.5 7c-.2 1-1 1.8-2.1 1.8H7"/>',
  down: '<path d="M7 13V4H4v9zM7 13l4 8c1.6 0 2.5-1 2.5-2.5V15h5c1.2 0 2-1 1.7-2.2l-1.5-7C18.5 4.8 17.7 4 16.6 4H7"/>',
  send: '<path d="M4 12h14M12 5.5l6.5 6.5-6.5 6.5"/>',
  leave: '<path d="M14 4H5v16h9M10 12h10M16.5 8l4 4-4 4"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  warning: '<path d="M12 4 2.5 20h19zM12 10v5M12 17.2v.3"/>',
  back: '<path d="M20 12H6M11.5 6 5.5 12l6 6"/>',
  check: '<path d="m4.5 12.5 5 5 10-11"/>',
} as const;
export type IconName = keyof typeof STROKES;

/** A small picture beside words that say the same. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${raw(STROKES[name])}</svg>`;
}
