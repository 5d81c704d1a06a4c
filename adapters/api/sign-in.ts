import type { Reply } from './call.ts';
import type { ApiDependencies } from './dependencies.ts';
import { ProblemError } from './problem.ts';

interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Makes the call that gives a token for a password. Each try is audited, under the name that was given. */
export function createSignIn({
  tenantId,
  sessions,
  audit,
}: Pick<ApiDependencies, 'tenantId' | 'sessions' | 'audit'>): (body: unknown, requestId: string) => Promise<Reply> {
  return async (body, requestId) => {
    const { user, password } = body as Credentials;
    const email = user.toLowerCase();
    const person = await sessions.withPassword(tenantId, email, password);
    const status = person ? 200 : 401;
    await audit({ tenantId, actor: email, action: 'api.createToken', target: email, details: { status, requestId } });
    if (!person) throw new ProblemError('unauthorized', 'the user or the password is wrong');
    const token = await sessions.issue(person);
    return {
      status,
      body: { access_token: token, token_type: 'Bearer', expires_in: secondsLeft(token) },
      reference: email,
      headers: { pragma: 'no-cache' },
    };
  };
}

function secondsLeft(token: string): number {
  const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  return payload.exp - payload.iat;
}
