import { type RequestHandler, Router } from 'express';
import { createAdminRoutes } from './admin-routes.ts';
import { createAskRoutes } from './ask-routes.ts';
import { createAssets } from './assets.ts';
import { createChatRoutes } from './chat-routes.ts';
import type { WebDependencies } from './dependencies.ts';
import { createDocumentRoutes } from './document-routes.ts';
import { createErrorPages, missingPage } from './error-page.ts';
import { createFeedbackRoutes } from './feedback-routes.ts';
import { refuseForeignForms } from './form-origin.ts';
import { notFound } from './page-error.ts';
import { recordVisits } from './record-visits.ts';
import { createSignInRoutes } from './sign-in-routes.ts';
import { takes } from './takes.ts';
import { createVisits } from './visits.ts';

// No id holds it, and the database refuses it.
const refuseNul: RequestHandler = (request, _response, next) => next(/%00/.test(request.path) ? notFound() : undefined);

/**
 * The chat page, the document view and the operations pages, to be mounted at `/` behind everything else. Requests that are
 * none of a browser for a page are passed on.
 */
export function createWebRouter(deps: WebDependencies): Router {
  const visits = createVisits(deps);
  return Router()
    .use(refuseNul)
    .use(refuseForeignForms(deps.publicUrl))
    .use(createAssets())
    .use(recordVisits(deps))
    .get(
      '/pulse',
      visits.page(async (_visit, _request, response) => {
        response.set('cache-control', 'no-store').json({ version: await deps.indexVersion(deps.tenantId) });
      }),
    )
    .all('/pulse', takes('GET'))
    .use(createSignInRoutes(deps, visits))
    .use(createChatRoutes(deps, visits))
    .use(createAskRoutes(deps, visits))
    .use(createFeedbackRoutes(deps, visits))
    .use(createDocumentRoutes(deps, visits))
    .use(createAdminRoutes(deps, visits))
    .use(missingPage)
    .use(createErrorPages(deps.logger));
}
