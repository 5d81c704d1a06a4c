import { counted } from '../../retrieval/counted.ts';
import type { Channel, Person } from '../ports.ts';
import { ROLE_NAMES } from '../wording.ts';
import { assetPath } from './assets.ts';
import { channelKey, PRIVATE_KEY } from './conversation.ts';
import { type Html, html, raw } from './html.ts';
import { type IconName, icon } from './icons.ts';
import { isAdmin, type Visit } from './visits.ts';
import { initialsOf, nameOf } from './words.ts';

/** A page in its frame. */
export interface Framed {
  readonly title: string;
  readonly visit: Visit;
  readonly channels: readonly Channel[];
  /** What of the navigation is open: a conversation's key or an operations page's path. */
  readonly current: string;
  readonly main: Html;
}

/** The HTML document around everything. */
export function documentPage({ title, body, name }: { title: string; body: Html; name: string }): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="same-origin">
<title>${title} · Verbatim</title>
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath('style.css')}">
${name === 'admin' && html`<link rel="stylesheet" href="${assetPath('admin.css')}">`}
<script type="module" src="${assetPath('page.js')}"></script>
</head>
<body class="page-${name}">
${body}
</body>
</html>
`;
}

/** A page for somebody who is signed in: navigation beside it, on a phone above it. */
export function framedPage(framed: Framed): Html {
  const { title, current, main } = framed;
  const name = current.startsWith('/admin') ? 'admin' : 'chat';
  const body = html`<a class="skip" href="#main">Skip to the content</a>
<div class="frame">
<header class="side">
<div class="side-head">
${brand()}
<details class="menu"><summary>${icon('menu')}<span>Menu</span></summary>${navigation(framed, 'Menu')}</details>
</div>
<div class="side-wide">${navigation(framed, 'Places')}</div>
</header>
<main id="main" class="main" tabindex="-1">${main}</main>
</div>`;
  return documentPage({ title, body, name });
}

/** The product's name, which leads home. */
export function brand(): Html {
  return html`<a class="brand" href="/"><span class="brand-mark">${icon('quote')}</span><span>Verbatim</span></a>`;
}

/** A round picture of initials. */
export function avatar(person: Pick<Person, 'name' | 'email'>): Html {
  return html`<span class="avatar avatar-${hueOf(person.email)}" aria-hidden="true">${initialsOf(person)}</span>`;
}

// One of six tints, always the same for a person.
function hueOf(email: string): number {
  return [...email].reduce((sum, character) => sum + (character.codePointAt(0) ?? 0), 0) % 6;
}

function navigation({ visit, channels, current }: Framed, label: string): Html {
  return html`<nav class="places" aria-label="${label}">
<h2>Private</h2>
<ul>${navigationLink({ href: '/', name: 'You and Verbatim', image: 'lock', key: PRIVATE_KEY, current })}</ul>
${channels.length > 0 && html`<h2>Channels</h2><ul>${channels.map((channel) => channelLink(channel, current))}</ul>`}
${isAdmin(visit.person) && adminLinks(current)}
</nav>
${whoAmI(visit)}`;
}

function channelLink({ channelId, name, members }: Channel, current: string): Html {
  const key = channelKey(channelId);
  const count = html`<span class="count"><span aria-hidden="true">${members.length}</span><span class="unseen">, ${counted(members.length, 'member')}</span></span>`;
  return navigationLink({
    href: `/channels/${encodeURIComponent(channelId)}`,
    name,
    image: 'channel',
    key,
    current,
    count,
  });
}

function adminLinks(current: string): Html {
  const links = [
    { href: '/admin', name: 'Overview', image: 'chart' },
    { href: '/admin/documents', name: 'Documents', image: 'document' },
    { href: '/admin/questions', name: 'Questions', image: 'search' },
  ] as const;
  return html`<h2>Operations</h2><ul>${links.map((link) => navigationLink({ ...link, key: link.href, current }))}</ul>`;
}

function navigationLink(link: {
  href: string;
  name: string;
  image: IconName;
  key: string;
  current: string;
  count?: Html;
}): Html {
  const here = link.key === link.current && raw(' aria-current="page"');
  return html`<li><a href="${link.href}"${here}>${icon(link.image)}<span class="place-name" dir="auto">${link.name}</span>${link.count}</a></li>`;
}

function whoAmI({ person, formToken }: Visit): Html {
  const role = person.guest ? 'Guest' : ROLE_NAMES[person.role];
  return html`<div class="me">
${avatar(person)}
<p><span class="me-name">${nameOf(person)}</span><span class="muted">${role}</span></p>
<form method="post" action="/sign-out">${formField(formToken)}<button class="quiet" title="Sign out">${icon('leave')}<span class="unseen">Sign out</span></button></form>
</div>`;
}

/** The hidden field that every form carries. */
export function formField(token: string): Html {
  return html`<input type="hidden" name="form" value="${token}">`;
}
