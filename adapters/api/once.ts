// A creating request with an Idempotency-Key is done once, however often it is sent.
import { createHash } from 'node:crypto';
import type { Call, Handler, Reply } from './call.ts';
import type { IdempotencyStore, RequestKey } from './ports.ts';
import { ProblemError } from './problem.ts';

const RETRY_SECONDS = '2';

/**
 * Runs the handler, or gives what the first request of the key made. What failed may be tried again with its key.
 * @throws ProblemError 409 while the first request runs, 422 when the key belongs to another request.
 */
export async function runOnce(
  store: IdempotencyStore,
  handler: Handler,
  call: Call,
  { operationId, key }: { readonly operationId: string; readonly key: string | undefined },
): Promise<Reply> {
  const { repeat } = handler;
  if (key === undefined || !repeat) return handler.run(call);
  const { tenantId, email } = call.person;
  const request: RequestKey = { tenantId, actor: email, key, digest: digestOf(operationId, call) };
  const begun = await store.begin(request);
  if (begun.state === 'other') {
    throw new ProblemError('key_reused', 'this Idempotency-Key belongs to another request; use a new one');
  }
  if (begun.state === 'running') {
    throw new ProblemError('conflict', 'a request with this Idempotency-Key is running; ask again in a moment', {
      headers: { 'retry-after': RETRY_SECONDS },
    });
  }
  if (begun.state === 'done') {
    const reply = await repeat(call, begun.reference);
    return { ...reply, headers: { ...reply.headers, 'idempotency-replayed': 'true' } };
  }
  let reply: Reply;
  try {
    reply = await handler.run(call);
  } catch (error) {
    await store.abandon(request);
    throw error;
  }
  await store.end(request, reply.reference);
  return reply;
}

function digestOf(operationId: string, { body, file }: Call): string {
  const hash = createHash('sha256').update(JSON.stringify([operationId, body, file?.name, file?.mediaType]));
  if (file) hash.update(file.bytes);
  return hash.digest('hex');
}
