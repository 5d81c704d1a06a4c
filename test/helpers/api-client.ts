import { setTimeout as sleep } from 'node:timers/promises';

/** A response with its body read: JSON as a value, anything else as text. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service sends; the tests say what it should be
  readonly body: any;
}

export interface ApiRequest {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string, bytes or a form as they are. */
  readonly body?: unknown;
}

/** Sends requests to a service. */
export type ApiClient = (method: string, path: string, request?: ApiRequest) => Promise<ApiResponse>;

export function createApiClient(url: string): ApiClient {
  return async (method, path, { token, headers = {}, body } = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
}

/** Submits a document as a person and waits until it is live. @returns its id. */
export async function addLiveDocument(
  client: ApiClient,
  token: string,
  document: { readonly title: string; readonly text: string } & Readonly<Record<string, unknown>>,
): Promise<string> {
  const { body, status } = await client('POST', '/v1/documents', { token, body: document });
  if (status !== 202) throw new Error(`the document was not accepted: ${JSON.stringify(body)}`);
  for (;;) {
    const read = await client('GET', `/v1/documents/${body.id}`, { token });
    if (read.body.state === 'live') return body.id;
    if (read.body.state === 'failed') throw new Error(`the document failed: ${JSON.stringify(read.body.failure)}`);
    await sleep(100);
  }
}
