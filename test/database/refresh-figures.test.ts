import { expect, test } from 'vitest';
import { refreshFigures } from '../../src/refresh-figures.ts';
import { createCorpus } from '../helpers/corpus.ts';
import { testDatabase } from '../helpers/database.ts';

// A real server does it by itself within a minute.
test('the embedded server has figures of its tables once documents are counted', async () => {
  const opened = await testDatabase();
  const corpus = createCorpus(opened.database);
  for (const name of ['a', 'b', 'c']) await corpus.add(`${name}.md`, `The ${name} walrus sleeps.`);
  await refreshFigures(opened.database, 'acme', true);
  const rows = await opened.database.transaction((query) =>
    query<{ documents: number; chunks: number }>(
      `select (select reltuples from pg_class where oid = 'documents'::regclass) as documents,
         (select reltuples from pg_class where oid = 'chunks_public'::regclass) as chunks`,
    ),
  );
  if (opened.database.embedded) expect(rows).toEqual([{ documents: 3, chunks: 3 }]);
  else expect(rows).toHaveLength(1);
  await opened.close();
});
