import { type Request, type RequestHandler, type Response, Router } from 'express';
import { DOCUMENT_STATES } from '../ports.ts';
import { documentsPage, forgetPage, receiptPage } from './admin-documents-page.ts';
import { questionPage, questionsPage } from './admin-questions-page.ts';
import type { WebDependencies } from './dependencies.ts';
import type { Html } from './html.ts';
import { framedPage } from './layout.ts';
import { overviewPage, PERIODS } from './overview-page.ts';
import { notFound } from './page-error.ts';
import { QUESTION_KINDS } from './ports.ts';
import { readForm } from './read-form.ts';
import { sendPage } from './send-page.ts';
import { takes } from './takes.ts';
import type { Visit, Visits } from './visits.ts';

const DOCUMENTS_A_PAGE = 25;
const QUESTIONS_A_PAGE = 25;
const CANDIDATES_A_ROW = 8;

interface AdminPage {
  readonly title: string;
  readonly current: string;
  readonly main: Html;
  readonly status?: number;
}

/** `/admin`: only for admins. */
export function createAdminRoutes(deps: WebDependencies, visits: Visits): Router {
  const page = (make: (visit: Visit, request: Request) => Promise<AdminPage>): RequestHandler =>
    visits.adminPage(async (visit, request, response) => show(deps, visit, response, await make(visit, request)));
  return Router()
    .get(
      '/admin',
      page((_visit, request) => overview(deps, request)),
    )
    .get(
      '/admin/questions',
      page((_visit, request) => questions(deps, request)),
    )
    .get(
      '/admin/questions/:id',
      page((_visit, request) => question(deps, request)),
    )
    .get(
      '/admin/documents',
      page((visit, request) => documents(deps, visit, request)),
    )
    .get(
      '/admin/documents/:id/forget',
      page((visit, request) => confirmForget(deps, visit, request)),
    )
    .post(
      '/admin/documents/:id/forget',
      readForm,
      visits.adminForm(async (visit, request, response) => {
        const receipt = await deps.documents.forget(deps.tenantId, visit.person.email, String(request.params.id));
        if (!receipt) throw notFound();
        await show(deps, visit, response, {
          title: 'Forgotten',
          current: '/admin/documents',
          main: receiptPage(receipt),
        });
      }),
    )
    .post('/admin/documents/:id/quarantine', readForm, change(deps, visits, 'quarantine'))
    .post('/admin/documents/:id/release', readForm, change(deps, visits, 'release'))
    .all(['/admin', '/admin/questions', '/admin/questions/:id', '/admin/documents'], takes('GET'))
    .all('/admin/documents/:id/forget', takes('GET', 'POST'))
    .all(['/admin/documents/:id/quarantine', '/admin/documents/:id/release'], takes('POST'));
}

async function show(deps: WebDependencies, visit: Visit, response: Response, page: AdminPage): Promise<void> {
  const channels = await deps.people.channels(deps.tenantId, visit.person.email);
  sendPage(response, framedPage({ visit, channels, ...page }), page.status);
}

async function overview({ insights, tenantId }: WebDependencies, request: Request): Promise<AdminPage> {
  const days = PERIODS.find((each) => String(each) === request.query.days) ?? 14;
  return { title: 'Overview', current: '/admin', main: overviewPage(await insights.overview(tenantId, days)) };
}

async function questions({ insights, tenantId }: WebDependencies, request: Request): Promise<AdminPage> {
  const kind = QUESTION_KINDS.find((each) => each === request.query.kind) ?? null;
  const search = one(request, 'search');
  const cursor = one(request, 'cursor');
  const found = await insights.questions(
    tenantId,
    { search, ...(kind ? { kind } : {}), ...(cursor ? { cursor } : {}), limit: QUESTIONS_A_PAGE },
    CANDIDATES_A_ROW,
  );
  const main = questionsPage(found.questions, { kind, search }, found.nextCursor);
  return { title: 'Questions', current: '/admin/questions', main };
}

async function question({ insights, tenantId }: WebDependencies, request: Request): Promise<AdminPage> {
  const found = await insights.question(tenantId, String(request.params.id));
  if (!found) throw notFound();
  return { title: 'Question', current: '/admin/questions', main: questionPage(found) };
}

const DONE: ReadonlyMap<string, string> = new Map([
  ['quarantine', 'The document is in quarantine: no answer quotes it from now on.'],
  ['release', 'The document is back in answers.'],
  ['unchanged', 'Nothing was changed: the document was no longer in that state.'],
]);

async function documents(deps: WebDependencies, visit: Visit, request: Request): Promise<AdminPage> {
  const state = DOCUMENT_STATES.find((each) => each === request.query.state) ?? null;
  const search = one(request, 'search');
  const cursor = one(request, 'cursor') || null;
  const page = await deps.documents.list(deps.tenantId, {
    ...(state ? { state } : {}),
    ...(search ? { search } : {}),
    ...(cursor ? { cursor } : {}),
    limit: DOCUMENTS_A_PAGE,
  });
  const done = DONE.get(one(request, 'done')) ?? null;
  const main = documentsPage(page, { state, search, cursor }, visit.formToken, done);
  return { title: 'Documents', current: '/admin/documents', main };
}

async function confirmForget(deps: WebDependencies, visit: Visit, request: Request): Promise<AdminPage> {
  const { tenantId } = deps;
  const document = await deps.documents.find(tenantId, String(request.params.id));
  if (!document || document.state === 'deleted') throw notFound();
  const quoted = await deps.insights.quotedIn(tenantId, document.documentId);
  return { title: 'Forget', current: '/admin/documents', main: forgetPage(document, quoted, visit.formToken) };
}

function change(deps: WebDependencies, visits: Visits, action: 'quarantine' | 'release'): RequestHandler {
  return visits.adminForm(async ({ person }, request, response) => {
    const documentId = String(request.params.id);
    const document = await deps.documents.find(deps.tenantId, documentId);
    if (!document) throw notFound();
    const changed = await deps.documents[action](deps.tenantId, person.email, documentId);
    const query = new URLSearchParams({ search: document.uri, done: changed ? action : 'unchanged' });
    response.redirect(303, `/admin/documents?${query}`);
  });
}

// A parameter that was given twice counts as not given. PostgreSQL has no place for NUL in a text.
function one(request: Request, name: string): string {
  const value = request.query[name];
  return typeof value === 'string' ? value.replaceAll('\0', '').trim() : '';
}
