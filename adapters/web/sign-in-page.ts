import type { Person } from '../ports.ts';
import { ROLE_NAMES } from '../wording.ts';
import { type Html, html } from './html.ts';
import { avatar, brand, documentPage, formField } from './layout.ts';
import type { RosterEntry } from './ports.ts';
import { nameOf } from './words.ts';

/** What both ways of signing in need. */
interface SignIn {
  readonly formToken: string;
  /** Where to go afterwards. */
  readonly next: string;
}

/** E-mail and password. */
export function passwordPage({ formToken, next }: SignIn, failure: string | null, email = ''): Html {
  const body = html`<div class="lonely"><header>${brand()}</header><main id="main">
<h1>Sign in</h1><p class="muted">Answers in the words of your own documents, limited to what you may read.</p>
${failure && html`<p class="notice" role="alert">${failure}</p>`}
<form class="sign-in" method="post" action="/sign-in">${formField(formToken)}<input type="hidden" name="next" value="${next}">
<label class="field">E-mail<input type="email" name="email" value="${email}" autocomplete="username" required></label>
<label class="field">Password<input type="password" name="password" autocomplete="current-password" required maxlength="200"></label>
<button class="primary"><span>Sign in</span></button></form>
</main></div>`;
  return documentPage({ title: 'Sign in', body, name: 'plain' });
}

/** The demo company: pick who you are. */
export function pickPersonPage(
  { formToken, next }: SignIn,
  people: readonly Person[],
  roster: ReadonlyMap<string, RosterEntry>,
): Html {
  const departments = groupByDepartment(people, roster);
  const body = html`<div class="picker"><header>${brand()}</header><main id="main">
<h1>Who are you today?</h1>
<p class="intro">This is a demo company. Each person may read different documents, so the same question gets different answers. Pick one, ask something, then come back as somebody else.</p>
<form method="post" action="/sign-in">${formField(formToken)}<input type="hidden" name="next" value="${next}">
<div class="departments">${departments.map(([name, members]) => html`<section><h2>${name}</h2><ul>${members.map((person) => personButton(person, name, roster.get(person.email)))}</ul></section>`)}</div>
</form></main></div>`;
  return documentPage({ title: 'Who are you?', body, name: 'picker' });
}

function personButton(person: Person, department: string, entry: RosterEntry | undefined): Html {
  const role = person.guest ? 'Guest' : ROLE_NAMES[person.role];
  const others = (entry?.groups ?? []).filter((group) => group !== department);
  return html`<li><button class="person" name="email" value="${person.email}">${avatar(person)}
<span><b>${nameOf(person)}</b> <span class="tag${person.role === 'admin' && !person.guest && ' tag-ai'}${person.guest && ' tag-warn'}">${role}</span>
${others.length > 0 && html`<span class="muted person-groups">${others.join(' · ')}</span>`}</span></button></li>`;
}

// In the order in which the roster names them first; who is in none comes last.
function groupByDepartment(people: readonly Person[], roster: ReadonlyMap<string, RosterEntry>): [string, Person[]][] {
  const departments = new Map<string, Person[]>();
  const last: Person[] = [];
  for (const person of people) {
    const department = roster.get(person.email)?.department ?? null;
    if (department === null) last.push(person);
    else departments.set(department, [...(departments.get(department) ?? []), person]);
  }
  const sorted = [...departments].sort(([a], [b]) => a.localeCompare(b, 'en'));
  return last.length > 0 ? [...sorted, [sorted.length > 0 ? 'Others' : 'People', last]] : sorted;
}
