import { type Request, type Response, Router } from 'express';
import { networkOf } from '../network-of.ts';
import type { Person } from '../ports.ts';
import { TooManyTriesError } from '../too-many-tries-error.ts';
import { clearCookie, FORM_COOKIE, readCookie, SESSION_COOKIE, writeCookie } from './cookies.ts';
import type { WebDependencies } from './dependencies.ts';
import { checkForm, formToken } from './form-token.ts';
import { PageError } from './page-error.ts';
import { field, readForm } from './read-form.ts';
import { recordAs, recordTarget } from './record-visits.ts';
import { sendPage } from './send-page.ts';
import { passwordPage, pickPersonPage } from './sign-in-page.ts';
import { takes } from './takes.ts';
import { safeNext, type Visits } from './visits.ts';

const TOO_MANY = 'Too many attempts to sign in. Try again in a quarter of an hour.';
const WRONG = 'E-mail and password do not match.';

/** `/sign-in` and `/sign-out`. */
export function createSignInRoutes(deps: WebDependencies, visits: Visits): Router {
  return Router()
    .get('/sign-in', async (request, response) => {
      const next = safeNext(request.query.next);
      if (await visits.who(request)) response.redirect(303, next);
      else sendPage(response, await signInPage(deps, request, response, next));
    })
    .post('/sign-in', readForm, async (request, response) => {
      checkForm(request);
      const next = safeNext(field(request, 'next'));
      const person = await identify(deps, request, response);
      if (person) {
        writeCookie(request, response, SESSION_COOKIE, await deps.sessions.issue(person));
        response.redirect(303, next);
        return;
      }
      const page = passwordPage({ formToken: formToken(request, response), next }, WRONG, field(request, 'email'));
      sendPage(response, page, 401);
    })
    .post('/sign-out', readForm, async (request, response) => {
      checkForm(request);
      await visits.who(request);
      await deps.sessions.end(readCookie(request, SESSION_COOKIE) ?? '');
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

// What stands in no directory is not looked for: the database has no place for some of these characters.
const ADDRESS = /^[^\p{C}\s]{1,254}$/u;

async function identify(deps: WebDependencies, request: Request, response: Response): Promise<Person | null> {
  const email = field(request, 'email');
  const isAddress = ADDRESS.test(email);
  if (isAddress) {
    const address = email.toLowerCase();
    recordAs(response, address);
    recordTarget(response, address);
  }
  if (!deps.sessions.demo) return isAddress ? withPassword(deps, email, request, response) : null;
  const person = isAddress ? await deps.people.find(deps.tenantId, email) : null;
  if (!person?.active) throw new PageError(400, 'There is nobody of that address. Pick one of the list.');
  return person;
}

async function withPassword(deps: WebDependencies, email: string, request: Request, response: Response) {
  try {
    return await deps.sessions.withPassword(deps.tenantId, email, field(request, 'password'), networkOf(request));
  } catch (error) {
    if (!(error instanceof TooManyTriesError)) throw error;
    if (!error.first) recordAs(response, null);
    throw new PageError(429, TOO_MANY, { 'retry-after': String(error.retryAfterSeconds) });
  }
}
