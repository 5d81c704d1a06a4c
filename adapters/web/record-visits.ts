// Every request of a signed-in person, and every try to become one, goes into the audit log with its outcome: here, for all pages.
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from '../../retrieval/ports.ts';
import type { AuditCall } from '../ports.ts';
import { RETRY_AFTER, UNAVAILABLE_TEXT } from '../unavailable.ts';

// By method and address, with an id as `:id`.
const ACTIONS: Readonly<Record<string, string>> = {
  'POST /sign-in': 'signIn',
  'POST /sign-out': 'signOut',
  'GET /': 'readChat',
  'GET /channels/:id': 'readChannel',
  'POST /ask': 'ask',
  'POST /answers/:id/feedback': 'giveFeedback',
  'GET /documents/:id': 'openDocument',
  'GET /admin': 'readOverview',
  'GET /admin/questions': 'listQuestions',
  'GET /admin/questions/:id': 'readQuestion',
  'GET /admin/documents': 'listDocuments',
  'GET /admin/documents/:id/forget': 'readForget',
  'POST /admin/documents/:id/forget': 'forgetDocument',
  'POST /admin/documents/:id/quarantine': 'quarantineDocument',
  'POST /admin/documents/:id/release': 'releaseDocument',
};
// An open page asks every few seconds for one number, which says nothing of anything.
const UNRECORDED = ['/pulse'];
const ID = /^\/(?:channels|answers|documents|admin\/(?:questions|documents))\/([^/]+)/;
const MAX_TARGET_CHARACTERS = 254; // the longest e-mail; ids are shorter, and other addresses are anybody's invention

interface Recorded {
  actor?: string | null;
  target?: string;
}

/** Says whose request this is. Null: it is not recorded. */
export function recordAs({ locals }: Response, actor: string | null): void {
  (locals as Recorded).actor = actor;
}

/** Says what a request is about where its address does not say it. */
export function recordTarget({ locals }: Response, target: string): void {
  (locals as Recorded).target = target;
}

/** No response ends before its entry is there; without an entry there is none. */
export function recordVisits(deps: {
  readonly tenantId: string;
  readonly audit: AuditCall;
  readonly logger: Logger;
}): RequestHandler {
  return (request, response, next) => {
    const call = describe(request);
    const end = response.end.bind(response) as (...rest: unknown[]) => Response;
    const held = (...rest: unknown[]) => {
      response.end = end as Response['end'];
      const { actor, target = call.target } = response.locals as Recorded;
      if (!actor || UNRECORDED.includes(request.path)) return end(...rest);
      const details = { status: response.statusCode, requestId: String(response.locals.requestId ?? '') };
      deps.audit({ tenantId: deps.tenantId, actor, action: call.action, target, details }).then(
        () => end(...rest),
        (error: unknown) => {
          deps.logger.error({ err: error, action: call.action }, 'a page could not be recorded');
          if (response.statusCode >= 500) end(...rest);
          else withhold(response, end);
        },
      );
      return response;
    };
    response.end = held as Response['end'];
    next();
  };
}

function describe({ method, path }: Request): { action: string; target: string } {
  const verb = method === 'HEAD' ? 'GET' : method;
  const id = ID.exec(path)?.[1];
  const pattern = id === undefined ? path : path.replace(`/${id}`, '/:id');
  const action = ACTIONS[`${verb} ${pattern}`] ?? verb.toLowerCase();
  return { action: `web.${action}`, target: (id ?? path).slice(0, MAX_TARGET_CHARACTERS) };
}

function withhold(response: Response, end: (...rest: unknown[]) => Response): void {
  if (response.headersSent) return void response.destroy();
  for (const name of ['content-length', 'etag', 'location', 'set-cookie']) response.removeHeader(name);
  response.status(503).set({ ...RETRY_AFTER, 'content-type': 'text/plain; charset=utf-8' });
  end(UNAVAILABLE_TEXT);
}
