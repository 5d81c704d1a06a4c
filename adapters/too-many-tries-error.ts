import { VerbatimError } from '../retrieval/errors.ts';

/** Too many tries to sign in: the password was not looked at. */
export class TooManyTriesError extends VerbatimError {
  readonly retryAfterSeconds: number;
  /** It is the first refusal of its window: told once to the audit log, which a flood of tries shall not fill. */
  readonly first: boolean;
  constructor(retryAfterSeconds: number, first: boolean) {
    super('too_many_tries', 'too many tries to sign in; see Retry-After');
    this.retryAfterSeconds = retryAfterSeconds;
    this.first = first;
  }
}
