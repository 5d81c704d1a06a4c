import type { AccessLevel } from '../../retrieval/model.ts';
import type { DocumentState, DocumentSummary, NewDocument, Readers } from '../ports.ts';
import { readersInWords } from '../readers-in-words.ts';
import type { Call, Handler } from './call.ts';
import type { ApiDependencies } from './dependencies.ts';
import { ProblemError } from './problem.ts';

interface DocumentFields {
  readonly title?: string;
  readonly uri?: string;
  readonly text?: string;
  readonly allow?: readonly string[];
  readonly require?: readonly string[];
  readonly level?: AccessLevel;
}

interface DocumentFilter {
  readonly state?: DocumentState;
  readonly cursor?: string;
  readonly limit: number;
}

type DocumentHandlers = Record<'createDocument' | 'listDocuments' | 'getDocument' | 'deleteDocument', Handler>;

/** Adding, listing and forgetting documents. */
export function createDocumentHandlers({ documents, mayIngest }: ApiDependencies): DocumentHandlers {
  const receipt = ({ documentId, state }: Pick<DocumentSummary, 'documentId' | 'state'>) => ({
    status: 202,
    body: { id: documentId, state },
    headers: { location: `/v1/documents/${documentId}` },
    reference: documentId,
  });
  return {
    createDocument: {
      allows: mayIngest,
      run: async (call) => receipt(await documents.submit(call.person.tenantId, call.person.email, newDocument(call))),
      async repeat({ person }, documentId) {
        const found = await documents.find(person.tenantId, documentId);
        return receipt(found ?? { documentId, state: 'deleted' });
      },
    },
    listDocuments: {
      allows: mayIngest,
      async run({ person, query }) {
        const filter = query as DocumentFilter;
        // What there is that an editor may not read is none of the editor's business, its title included.
        const own = person.role === 'admin' ? {} : { createdBy: person.email };
        const page = await documents.list(person.tenantId, { ...filter, ...own });
        const body = { documents: page.documents.map(shown), nextCursor: page.nextCursor };
        return { status: 200, body, reference: '' };
      },
    },
    getDocument: {
      allows: mayIngest,
      async run({ person, path }) {
        const found = await documents.find(person.tenantId, path.id ?? '');
        const own = person.role === 'admin' || found?.createdBy === person.email;
        if (!found || !own || found.state === 'deleted') throw noSuchDocument();
        return { status: 200, body: shown(found), reference: found.documentId };
      },
    },
    deleteDocument: {
      allows: ({ role }) => role === 'admin',
      async run({ person, path }) {
        const forgotten = await documents.forget(person.tenantId, person.email, path.id ?? '');
        if (!forgotten) throw noSuchDocument();
        return { status: 204, reference: forgotten.documentId };
      },
    },
  };
}

function noSuchDocument(): ProblemError {
  return new ProblemError('not_found', 'there is no document of this id');
}

function shown(document: DocumentSummary): object {
  const { documentId, groupNames: _, ...summary } = document;
  return { id: documentId, ...summary, readers: readersInWords(document) };
}

function newDocument({ body, file, person }: Call): NewDocument {
  const { title, uri, text = '' } = body as DocumentFields;
  return {
    ...(title === undefined ? {} : { title }),
    ...(uri === undefined ? {} : { uri }),
    ...(file
      ? { fileName: file.name, mediaType: file.mediaType, bytes: file.bytes }
      : { fileName: 'text.md', mediaType: 'text/markdown', bytes: Buffer.from(text) }),
    readers: readersOf(body as DocumentFields),
    replaces: person.role === 'admin' ? 'any' : 'own',
  };
}

// Without a word on who may read it, a document keeps what it has.
function readersOf({ allow, require, level }: DocumentFields): Readers | null {
  if (allow === undefined && require === undefined && level === undefined) return null;
  return { allow: allow ?? [], require: require ?? [], level: level ?? null };
}
