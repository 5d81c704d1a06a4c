import { ModelError } from '../../retrieval/errors.ts';
import type { ModelUsage } from '../../retrieval/ports.ts';
import type { ProviderName } from './provider-name.ts';

/** What went wrong with a provider of models; `ProviderError.code`. */
export type ProviderFailure =
  | 'provider_package_missing'
  | 'provider_unreachable'
  | 'provider_timeout'
  | 'provider_call_ended'
  | 'provider_rate_limited'
  | 'provider_quota_used_up'
  | 'provider_key_refused'
  | 'provider_model_unknown'
  | 'provider_request_refused'
  | 'provider_failed'
  | 'provider_answer_malformed';

const LASTING: ReadonlySet<ProviderFailure> = new Set([
  'provider_package_missing',
  'provider_quota_used_up',
  'provider_key_refused',
  'provider_model_unknown',
]);

/**
 * A provider of models did not do its part. The message is ours and names what to check; the provider's own message is left
 * out, and there is no `cause`, because providers repeat the request in it and errors are logged.
 */
export class ProviderError extends ModelError {
  declare readonly code: ProviderFailure;
  /** HTTP status of the last response; null when there was none. */
  readonly status: number | null;
  constructor(
    code: ProviderFailure,
    message: string,
    { status = null, usage = null }: { status?: number | null; usage?: ModelUsage | null } = {},
  ) {
    super(code, message, usage, LASTING.has(code));
    this.status = status;
  }
}

/** The error for an account that may ask nothing more until somebody pays. */
export function quotaUsedUp({ id }: ProviderName): ProviderError {
  const message = `the quota for ${id} is used up; check the plan and the limits of the provider's account`;
  return new ProviderError('provider_quota_used_up', message, { status: 429 });
}

/** The error for an HTTP status that is no success. */
export function errorOfStatus({ id, keyVariable, urlVariable }: ProviderName, status: number): ProviderError {
  const said = `${id} answered with status ${status}`;
  if (status === 401 || status === 403) {
    return new ProviderError('provider_key_refused', `${said}; check ${keyVariable ?? urlVariable}`, { status });
  }
  if (status === 404) {
    const pull = id.startsWith('ollama:') ? `run "ollama pull ${id.slice('ollama:'.length)}" or ` : '';
    return new ProviderError('provider_model_unknown', `${said}; ${pull}check its name and ${urlVariable}`, { status });
  }
  if (status === 429) {
    return new ProviderError('provider_rate_limited', `${said}; ask for a higher limit, or ask less often`, { status });
  }
  if (status >= 500) {
    return new ProviderError('provider_failed', `${said}; see the provider's status page or the log of its server`, {
      status,
    });
  }
  return new ProviderError('provider_request_refused', `${said}; check that the model can do what is asked of it`, {
    status,
  });
}

/**
 * Imports a package that only one provider needs.
 * @throws ProviderError `provider_package_missing` that names the package to install.
 */
export async function loadPackage<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = `the configured provider needs the package ${name}; run "npm install ${name}"`;
    throw new ProviderError('provider_package_missing', message);
  }
}
