import { TooManyTriesError } from '../too-many-tries-error.ts';
import type { Reply } from './call.ts';
import type { ApiDependencies } from './dependencies.ts';
import { ProblemError } from './problem.ts';

interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** Where a try to sign in comes from. */
export interface SignInOrigin {
  readonly network: string;
  readonly requestId: string;
}

/** Makes the call that gives a token for a password. Each try is audited, under the name that was given. */
export function createSignIn({
  tenantId,
  sessions,
  audit,
}: Pick<ApiDependencies, 'tenantId' | 'sessions' | 'audit'>): (body: unknown, origin: SignInOrigin) => Promise<Reply> {
  return async (body, { network, requestId }) => {
    const { user, password } = body as Credentials;
    const email = user.toLowerCase();
    const record = (status: number) =>
      audit({ tenantId, actor: email, action: 'api.createToken', target: email, details: { status, requestId } });
    const person = await sessions.withPassword(tenantId, email, password, network).catch(async (error: unknown) => {
      if (error instanceof TooManyTriesError && error.first) await record(429);
      throw error;
    });
    const status = person ? 200 : 401;
    await record(status);
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
