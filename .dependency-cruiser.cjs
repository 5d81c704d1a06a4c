// Who may import whom: the folders are the stages of the pipeline, and the arrows point to the core.
const sdkOnlyIn = (name, comment, packages, home) => ({
  name,
  severity: 'error',
  comment,
  from: { pathNot: home },
  to: { path: packages.map((pattern) => `node_modules/${pattern}`) },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'retrieval-imports-nothing-of-ours',
      severity: 'error',
      comment:
        'The core is read, tested and trusted alone: permissions and quotes depend on no adapter, source or process.',
      from: { path: '^retrieval/' },
      to: { path: '^(src|adapters|ingest|eval|test)/' },
    },
    {
      name: 'stages-import-only-the-core',
      severity: 'error',
      comment: 'Adapters, ingest and eval meet only in the composition root, so each can be replaced alone.',
      from: { path: '^(adapters|ingest|eval)/' },
      to: { path: '^(src|adapters|ingest|eval|test)/', pathNot: '^$1/' },
    },
    {
      name: 'chat-platforms-apart',
      severity: 'error',
      comment:
        'What two platforms share belongs to adapters/ itself; a platform that ends must be removable as one folder.',
      from: { path: '^adapters/(slack|teams|web|api)/' },
      to: { path: '^adapters/(slack|teams|web|api)/', pathNot: '^adapters/$1/' },
    },
    {
      name: 'connectors-apart',
      severity: 'error',
      comment: 'A source is removable as one folder; what two share belongs to ingest/connectors itself.',
      from: { path: '^ingest/connectors/([^/]+)/' },
      to: { path: '^ingest/connectors/[^/]+/', pathNot: '^ingest/connectors/$1/' },
    },
    {
      name: 'product-does-not-import-tests',
      severity: 'error',
      comment: 'A test helper in the product would ship behaviour that only tests asked for.',
      from: { path: '^(src|adapters|retrieval|ingest|eval)/' },
      to: { path: '^test/' },
    },
    sdkOnlyIn(
      'pg-only-in-database',
      'One place opens connections, sets roles and deadlines; anything else would go round row-level security.',
      ['pg/', 'pg-boss/', 'pgvector/', '@electric-sql/'],
      '^(src/database/|test/|node_modules/)',
    ),
    sdkOnlyIn(
      'slack-only-in-its-adapter',
      'The core and the other platforms must not depend on the SDK of one.',
      ['@slack/'],
      '^(adapters/slack/|test/|node_modules/)',
    ),
    sdkOnlyIn(
      'teams-only-in-its-adapter',
      'Teams AI v1 and Bot Framework are past the end of their support: a later move must touch one folder.',
      ['@microsoft/', 'botbuilder'],
      '^(adapters/teams/|test/|node_modules/)',
    ),
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A cycle has no reading order.',
      from: { pathNot: '^node_modules/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
