import { Router } from 'express';
import { createAdminRoutes } from './admin-routes.ts';
import { createAskRoutes } from './ask-routes.ts';
import { createAssets } from './assets.ts';
import { createChatRoutes } from './chat-routes.ts';
import type { WebDependencies } from './dependencies.ts';
import { createDocumentRoutes } from './document-routes.ts';
import { createErrorPages, missingPage } from './error-page.ts';
import { createFeedbackRoutes } from './feedback-routes.ts';
import { createSignInRoutes } from './sign-in-routes.ts';
import { createVisits } from './visits.ts';

/**
 * The chat page, the document view and the operations pages, to be mounted at `/` behind everything else. Requests that are
 * none of a browser for a page are passed on.
 */
export function createWebRouter(deps: WebDependencies): Router {
  const visits = createVisits(deps);
  return Router()
    .use(createAssets())
    .use(createSignInRoutes(deps, visits))
    .use(createChatRoutes(deps, visits))
    .use(createAskRoutes(deps, visits))
    .use(createFeedbackRoutes(deps, visits))
    .use(createDocumentRoutes(deps, visits))
    .use(createAdminRoutes(deps, visits))
    .use(missingPage)
    .use(createErrorPages(deps.logger));
}
