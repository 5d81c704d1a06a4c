import { z } from 'zod';

/** What a base URL looks like, after "expected". */
export const BASE_URL_FORM = 'an http:// or https:// URL without a user or a password in it';

/**
 * The address of a service, such as a provider's: slashes at its end are left out. Fetch refuses addresses with a user or a
 * password in them, which would look like a server that is away.
 */
export const baseUrl = z
  .string()
  .refine((text) => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol))
  .refine((text) => URL.canParse(text) && new URL(text).username === '' && new URL(text).password === '')
  .transform((text) => text.replace(/\/+$/, ''));
