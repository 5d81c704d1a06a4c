import { type Request, Router } from 'express';
import type { Citation, Span } from '../../retrieval/model.ts';
import type { DocumentText } from '../../retrieval/read-document.ts';
import type { Person } from '../ports.ts';
import { marked } from '../shown-text.ts';
import type { WebDependencies } from './dependencies.ts';
import { type DocumentView, documentView } from './document-page.ts';
import { findQuote } from './find-quote.ts';
import { framedPage } from './layout.ts';
import { notFound } from './page-error.ts';
import { sendPage } from './send-page.ts';
import { takes } from './takes.ts';
import { isAdmin, type Visits } from './visits.ts';

/** `/documents/:id`: permission is checked at the moment of each request. */
export function createDocumentRoutes(deps: WebDependencies, visits: Visits): Router {
  return Router()
    .get(
      '/documents/:id',
      visits.page(async (visit, request, response) => {
        const { tenantId } = deps;
        const documentId = String(request.params.id);
        const document = await deps.documents.read(tenantId, [{ person: visit.person.email }], documentId);
        if (!document) throw notFound();
        const summary = isAdmin(visit.person) ? await deps.documents.find(tenantId, documentId) : null;
        const quoted = await locate(deps, visit.person, document, request);
        const channels = await deps.people.channels(tenantId, visit.person.email);
        const main = documentView({ document, summary, ...quoted });
        sendPage(
          response,
          framedPage({ title: marked(document.title || 'Document'), visit, channels, current: '', main }),
        );
      }),
    )
    .all('/documents/:id', takes('GET'));
}

type Located = Pick<DocumentView, 'mark' | 'quote' | 'quotedVersion'>;

async function locate(
  deps: WebDependencies,
  person: Person,
  document: DocumentText,
  { query }: Request,
): Promise<Located> {
  const [start, end, version] = [query.start, query.end, query.version].map(wholeNumber);
  if (start === null || end === null || start === undefined || end === undefined || start >= end) {
    return { mark: null, quote: 'none', quotedVersion: null };
  }
  const quotedVersion = version ?? null;
  if (quotedVersion === document.version) {
    return end <= document.text.length
      ? { mark: { start, end }, quote: 'current', quotedVersion }
      : { mark: null, quote: 'none', quotedVersion };
  }
  if (quotedVersion === null || quotedVersion > document.version) return { mark: null, quote: 'none', quotedVersion };
  const citation = await findCitation(deps, person, query, document.documentId);
  const mark: Span | null = citation && findQuote(document.text, citation.quote, start);
  return { mark, quote: mark ? 'moved' : 'gone', quotedVersion };
}

// The quoted words, for those who were given them: an older version may have had other readers.
async function findCitation(
  deps: WebDependencies,
  person: Person,
  query: Request['query'],
  documentId: string,
): Promise<Citation | null> {
  if (typeof query.answer !== 'string') return null;
  const stored = await deps.answers.find(deps.tenantId, query.answer);
  const given = stored?.audience.some((member) => 'person' in member && member.person === person.email);
  const citation = stored?.answer.citations[(wholeNumber(query.quote) ?? 0) - 1];
  return given && citation?.documentId === documentId ? citation : null;
}

function wholeNumber(text: unknown): number | null {
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
