import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Person } from '../ports.ts';
import { clearCookie, FORM_COOKIE, SESSION_COOKIE, writeCookie } from './cookies.ts';
import type { WebDependencies } from './dependencies.ts';
import { checkForm, formToken } from './form-token.ts';
import { PageError } from './page-error.ts';
import { limitRequests, networkOf } from './rate-limit.ts';
import { field, readForm } from './read-form.ts';
import { sendPage } from './send-page.ts';
import { passwordPage, pickPersonPage } from './sign-in-page.ts';
import { takes } from './takes.ts';
import { safeNext, type Visits } from './visits.ts';

const TRIES = 10;
const TRIES_WINDOW_MS = 15 * 60_000;
// One office behind one address signs in at nine o'clock.
const TRIES_OF_A_NETWORK = 200;
const TOO_MANY = 'Too many attempts to sign in. Try again in a quarter of an hour.';
const WRONG = 'E-mail and password do not match.';

/** `/sign-in` and `/sign-out`. */
export function createSignInRoutes(deps: WebDependencies, visits: Visits): Router {
  const ofPerson = (request: Request) => `${networkOf(request)} ${field(request, 'email').toLowerCase()}`;
  const limits = [
    limitRequests({ limit: TRIES, windowMs: TRIES_WINDOW_MS, keyOf: ofPerson, message: TOO_MANY }),
    limitRequests({ limit: TRIES_OF_A_NETWORK, windowMs: TRIES_WINDOW_MS, keyOf: networkOf, message: TOO_MANY }),
  ];
  // In the demo nobody guesses anything.
  const guarded = limits.map(
    (limit): RequestHandler =>
      (request, response, next) =>
        deps.sessions.demo ? next() : limit(request, response, next),
  );
  return Router()
    .get('/sign-in', async (request, response) => {
      const next = safeNext(request.query.next);
      if (await visits.who(request)) response.redirect(303, next);
      else sendPage(response, await signInPage(deps, request, response, next));
    })
    .post('/sign-in', readForm, ...guarded, async (request, response) => {
      checkForm(request);
      const next = safeNext(field(request, 'next'));
      const person = await identify(deps, request);
      if (person) {
        writeCookie(request, response, SESSION_COOKIE, await deps.sessions.issue(person));
        response.redirect(303, next);
        return;
      }
      const page = passwordPage({ formToken: formToken(request, response), next }, WRONG, field(request, 'email'));
      sendPage(response, page, 401);
    })
    .post('/sign-out', readForm, (request, response) => {
      checkForm(request);
      clearCookie(request, response, SESSION_COOKIE);
      clearCookie(request, response, FORM_COOKIE);
      response.redirect(303, '/sign-in');
    })
    .all('/sign-in', takes('GET', 'POST'))
    .all('/sign-out', takes('POST'));
}

async function signInPage(deps: WebDependencies, request: Request, response: Response, next: string) {
  const base = { formToken: formToken(request, response), next };
  if (!deps.sessions.demo) return passwordPage(base, null);
  const people = await deps.people.list(deps.tenantId);
  return pickPersonPage(
    base,
    people.filter((person) => person.active),
    await deps.roster(deps.tenantId),
  );
}

async function identify(deps: WebDependencies, request: Request): Promise<Person | null> {
  const email = field(request, 'email');
  if (!deps.sessions.demo) return deps.sessions.withPassword(deps.tenantId, email, field(request, 'password'));
  const person = await deps.people.find(deps.tenantId, email);
  if (!person?.active) throw new PageError(400, 'There is nobody of that address. Pick one of the list.');
  return person;
}
