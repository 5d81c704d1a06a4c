// Who is at the other end of a request, for pages and for forms.
import type { Request, RequestHandler, Response } from 'express';
import type { Person, Sessions } from '../ports.ts';
import { readCookie, SESSION_COOKIE } from './cookies.ts';
import { checkForm, formToken } from './form-token.ts';
import { PageError } from './page-error.ts';
import { recordAs } from './record-visits.ts';

/** A signed-in person's request. */
export interface Visit {
  readonly person: Person;
  /** For the forms of the page. */
  readonly formToken: string;
  readonly path: string;
}

type VisitHandler = (visit: Visit, request: Request, response: Response) => Promise<void> | void;

export interface Visits {
  /** The person of the request; null when nobody is signed in. */
  who(request: Request): Promise<Person | null>;
  /** A page for people who are signed in; others are sent to sign in, and back. */
  page(handle: VisitHandler): RequestHandler;
  /** A form of such a page. */
  form(handle: VisitHandler): RequestHandler;
  adminPage(handle: VisitHandler): RequestHandler;
  adminForm(handle: VisitHandler): RequestHandler;
}

/** Only people of `tenantId` are let in, whatever other tenants' tokens the same secret signed. */
export function createVisits({ sessions, tenantId }: { sessions: Sessions; tenantId: string }): Visits {
  const who = async (request: Request) => {
    const token = readCookie(request, SESSION_COOKIE);
    const person = token ? await sessions.read(token) : null;
    if (!person?.active || person.tenantId !== tenantId) return null;
    if (request.res) recordAs(request.res, person.email);
    return person;
  };
  const page =
    (handle: VisitHandler): RequestHandler =>
    async (request, response) => {
      const person = await who(request);
      if (!person) return askToSignIn(request, response);
      await handle({ person, formToken: formToken(request, response), path: request.path }, request, response);
    };
  const form = (handle: VisitHandler): RequestHandler =>
    page((visit, request, response) => {
      checkForm(request);
      return handle(visit, request, response);
    });
  const asAdmin =
    (handle: VisitHandler): VisitHandler =>
    (visit, request, response) => {
      if (!isAdmin(visit.person)) throw new PageError(403, 'These pages are for admins.');
      return handle(visit, request, response);
    };
  return {
    who,
    page,
    form,
    adminPage: (handle) => page(asAdmin(handle)),
    adminForm: (handle) => form(asAdmin(handle)),
  };
}

/** Whether the operations pages are for this person. */
export function isAdmin(person: Person): boolean {
  return person.role === 'admin' && !person.guest;
}

function askToSignIn(request: Request, response: Response): void {
  if (request.method !== 'GET')
    throw new PageError(401, 'You have been signed out. Sign in again, and send it once more.');
  const next = request.originalUrl === '/' ? '' : `?next=${encodeURIComponent(request.originalUrl)}`;
  response.redirect(303, `/sign-in${next}`);
}

/** A path of this site to go to after signing in; `/` for anything else. */
export function safeNext(next: unknown): string {
  // `//host` and `/\host` are other hosts to a browser; a control character is dropped before it looks.
  return typeof next === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(next) ? next : '/';
}
