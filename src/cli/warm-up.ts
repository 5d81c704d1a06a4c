// The first statements of the first question, run before anybody asks it.
import { lexicalSearch } from '../../retrieval/lexical-search.ts';
import { visibleAcls } from '../../retrieval/visible-acls.ts';
import type { Product } from '../product.ts';

/**
 * Lets the embedded server plan and compile what a question needs, while this thread still loads code: of the first question
 * that is a third of a second. Asks no model and leaves no trace; a server of its own has been running for long.
 */
export async function warmUp({ database, config, logger }: Product, tenantId: string): Promise<void> {
  if (!database.embedded) return;
  try {
    const people = await database.transaction((query) =>
      query<{ email: string }>('select email from people where tenant_id = $1 and active limit 1', [tenantId]),
    );
    const audience = people.map(({ email }) => ({ person: email }));
    if (audience.length === 0) return;
    const visibleTo = await database.transaction((query) => visibleAcls(query, tenantId, audience));
    await lexicalSearch(database, visibleTo, 'handbook', { limit: 1, timeoutMs: config.lexicalTimeoutMs });
  } catch (error) {
    // Whoever asks first is told what is wrong, or has had no trouble.
    logger.debug({ err: error }, 'the database could not be warmed up');
  }
}
