import { describe, expect, it } from 'vitest';
import { ConfigError, type ConfigFault, describeConfig, readConfig } from '../src/config.ts';

function faultsOf(environment: Record<string, string>): readonly ConfigFault[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('readConfig', () => {
  it('needs no variable', () => {
    const { embedThreads, ...config } = readConfig({});
    expect(embedThreads).toBeGreaterThanOrEqual(1);
    expect(embedThreads).toBeLessThanOrEqual(4);
    expect(config).toEqual({
      databaseUrl: null,
      cutBelowSimilarity: null,
      dataDir: '.verbatim',
      tenantId: 'default',
      host: '127.0.0.1',
      port: 3000,
      trustedProxies: ['loopback'],
      tokenSecret: null,
      previousTokenSecret: null,
      editors: [],
      ratePerMinute: 60,
      drainSeconds: 20,
      model: { provider: 'extractive', model: null },
      prices: {},
      embedder: { provider: 'builtin', model: null },
      reranker: { provider: 'builtin', model: null },
      cohere: { apiKey: null, baseUrl: null },
      openai: { apiKey: null, baseUrl: null },
      anthropic: { apiKey: null, baseUrl: null },
      azureOpenai: { apiKey: null, baseUrl: null, apiVersion: '2024-10-21' },
      ollama: { baseUrl: 'http://127.0.0.1:11434' },
      logLevel: null,
      lexicalTimeoutMs: 5000,
      vectorTimeoutMs: 30000,
      fetchHosts: [],
      largeAudiencePeople: 500,
      traceDays: 30,
      onModelFailure: 'extractive',
      indexWorkers: 2,
      admins: ['verbatim:role:admin'],
      publicUrl: null,
      slack: {
        botToken: null,
        signingSecret: null,
        appToken: null,
        clientId: null,
        clientSecret: null,
        apiUrl: null,
        workspaces: new Map(),
        followUps: true,
        encryptionKey: null,
      },
      secrets: [],
    });
  });

  it.each([
    ['DATABASE_URL', 'postgresql://u:p@h/db', { databaseUrl: 'postgresql://u:p@h/db' }],
    ['VERBATIM_MODEL', 'ollama:llama3.1:8b', { model: { provider: 'ollama', model: 'llama3.1:8b' } }],
    [
      'VERBATIM_EMBEDDER',
      'transformers:Xenova/bge-small-en-v1.5',
      {
        embedder: { provider: 'transformers', model: 'Xenova/bge-small-en-v1.5' },
      },
    ],
    [
      'VERBATIM_PRICES',
      '{"openai:gpt-5": {"inputUsdPerMillion": 1.25, "outputUsdPerMillion": 10}}',
      { prices: { 'openai:gpt-5': { inputUsdPerMillion: 1.25, outputUsdPerMillion: 10 } } },
    ],
    ['COHERE_API_KEY', 'k3y', { reranker: { provider: 'cohere', model: 'rerank-v3.5' } }],
    ['VERBATIM_RERANKER', 'none', { reranker: { provider: 'none', model: null } }],
    ['VERBATIM_LOG_LEVEL', 'trace', { logLevel: 'trace' }],
    ['VERBATIM_LEXICAL_TIMEOUT_MS', '250', { lexicalTimeoutMs: 250 }],
    [
      'VERBATIM_FETCH_HOSTS',
      ' docs.example.com, *.example.org,127.0.0.1:8080,',
      {
        fetchHosts: ['docs.example.com', '*.example.org', '127.0.0.1:8080'],
      },
    ],
    ['VERBATIM_ON_MODEL_FAILURE', 'refuse', { onModelFailure: 'refuse' }],
    ['VERBATIM_TENANT', '  acme  ', { tenantId: 'acme' }],
    ['VERBATIM_PORT', '0', { port: 0 }],
    ['VERBATIM_HOST', '::1', { host: '::1' }],
    [
      'VERBATIM_EDITORS',
      'verbatim:group:editors, verbatim:user:Ann@x.example',
      { editors: ['verbatim:group:editors', 'verbatim:user:ann@x.example'] },
    ],
    ['VERBATIM_TOKEN_SECRET', 'st'.repeat(16), { tokenSecret: 'st'.repeat(16), secrets: ['st'.repeat(16)] }],
    ['VERBATIM_TRUSTED_PROXIES', '', { trustedProxies: ['loopback'] }],
    ['VERBATIM_TRUSTED_PROXIES', 'none', { trustedProxies: [] }],
    [
      'VERBATIM_TRUSTED_PROXIES',
      'loopback, 10.0.0.0/8,192.0.2.7, fd00::/8',
      { trustedProxies: ['loopback', '10.0.0.0/8', '192.0.2.7', 'fd00::/8'] },
    ],
    ['VERBATIM_TENANT', '  ', { tenantId: 'default' }],
    ['VERBATIM_CHUNKER', 'semantic', { cutBelowSimilarity: 0.75 }],
    ['VERBATIM_CHUNK_SIMILARITY', '0.6', { cutBelowSimilarity: null }],
    ['OLLAMA_BASE_URL', 'http://gpu:11434/', { ollama: { baseUrl: 'http://gpu:11434' } }],
  ])('reads %s=%s', (name, value, expected) => {
    expect(readConfig({ [name]: value })).toMatchObject(expected);
  });

  it.each([
    ['DATABASE_URL', 'mysql://root:hunter2hunter2@h/db'],
    ['DATABASE_URL', 'hunter2hunter2'],
    ['VERBATIM_TENANT', 'Acme Corp'],
    ['VERBATIM_TENANT', 'a'.repeat(64)],
    ['VERBATIM_PORT', '65536'],
    ['VERBATIM_HOST', 'http://localhost'],
    ['VERBATIM_TOKEN_SECRET', 's'.repeat(31)],
    ['VERBATIM_TOKEN_SECRET_PREVIOUS', 'short'],
    ['VERBATIM_TOKEN_SECRET', 's'.repeat(64)],
    ['VERBATIM_TOKEN_SECRET', ' '.repeat(64)],
    ['VERBATIM_TRUSTED_PROXIES', 'true'],
    ['VERBATIM_TRUSTED_PROXIES', '1'],
    ['VERBATIM_TRUSTED_PROXIES', '0.0.0.0/0'],
    ['VERBATIM_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['VERBATIM_TRUSTED_PROXIES', '10.0.0/8'],
    ['VERBATIM_TRUSTED_PROXIES', 'proxy.internal'],
    ['VERBATIM_TRUSTED_PROXIES', 'none,10.0.0.1'],
    ['VERBATIM_EDITORS', 'editors'],
    ['VERBATIM_RATE_PER_MINUTE', '0'],
    ['VERBATIM_DRAIN_SECONDS', '-1'],
    ['VERBATIM_MODEL', 'gpt-5'],
    ['VERBATIM_MODEL', 'openai:'],
    ['VERBATIM_MODEL', 'extractive:fast'],
    ['VERBATIM_EMBEDDER', 'anthropic:claude'],
    ['VERBATIM_RERANKER', 'cohere'],
    ['VERBATIM_PRICES', '1.25'],
    ['VERBATIM_PRICES', '{"openai:gpt-5": {"inputUsdPerMillion": 1.25}}'],
    ['VERBATIM_PRICES', '{"openai:gpt-5": {"inputUsdPerMillion": -1, "outputUsdPerMillion": 10}}'],
    ['VERBATIM_PRICES', '{"gpt-5": {"inputUsdPerMillion": 1, "outputUsdPerMillion": 10}}'],
    ['VERBATIM_LOG_LEVEL', 'verbose'],
    ['VERBATIM_LEXICAL_TIMEOUT_MS', '5s'],
    ['VERBATIM_LEXICAL_TIMEOUT_MS', '0'],
    ['VERBATIM_VECTOR_TIMEOUT_MS', '-1'],
    ['VERBATIM_TRACE_DAYS', '1e3'],
    ['VERBATIM_INDEX_WORKERS', '65'],
    ['VERBATIM_CHUNKER', 'pages'],
    ['VERBATIM_CHUNK_SIMILARITY', '1.1'],
    ['VERBATIM_FETCH_HOSTS', 'docs.example.com,https://x.example'],
    ['VERBATIM_FETCH_HOSTS', '*'],
    ['VERBATIM_ON_MODEL_FAILURE', 'retry'],
    ['OPENAI_BASE_URL', 'localhost:8080'],
    ['COHERE_API_KEY', 'two words'],
  ])('refuses %s=%s, naming it, the form and an example', (name, value) => {
    const [fault, ...others] = faultsOf({ [name]: value });
    expect(others).toEqual([]);
    expect(fault?.variable).toBe(name);
    const example = describeConfig().find((row) => row.name === name)?.example;
    expect(fault?.message).toMatch(/; expected .+, such as /);
    expect(fault?.message).toContain(`such as ${name}=${example}`);
  });

  it('reports all faults together', () => {
    const environment = {
      VERBATIM_TENANT: 'Acme',
      VERBATIM_TRACE_DAYS: 'many',
      VERBATIM_MODEL: 'openai:gpt-5',
      VERBATIM_TENNANT: 'acme',
    };
    expect(
      faultsOf(environment)
        .map((fault) => fault.variable)
        .sort(),
    ).toEqual(['OPENAI_API_KEY', 'VERBATIM_TENANT', 'VERBATIM_TENNANT', 'VERBATIM_TRACE_DAYS']);
    expect(() => readConfig(environment)).toThrow(/4 faults:(\n- .+){4}$/);
    expect(() => readConfig(environment)).toThrow(expect.objectContaining({ code: 'config' }));
  });

  it.each([
    ['VERBATIM_MODEL', 'openai:gpt-5', ['OPENAI_API_KEY']],
    ['VERBATIM_MODEL', 'anthropic:claude', ['ANTHROPIC_API_KEY']],
    ['VERBATIM_MODEL', 'azure_openai:prod', ['AZURE_OPENAI_API_KEY', 'AZURE_OPENAI_ENDPOINT']],
    ['VERBATIM_EMBEDDER', 'cohere:embed-v4.0', ['COHERE_API_KEY']],
    ['VERBATIM_RERANKER', 'cohere:rerank-v3.5', ['COHERE_API_KEY']],
    ['VERBATIM_MODEL', 'ollama:llama3.1', []],
    ['VERBATIM_EMBEDDER', 'transformers:some/model', []],
  ])('%s=%s without its key is a fault that names the key', (name, value, missing) => {
    const faults = faultsOf({ [name]: value });
    expect(faults.map((fault) => fault.variable)).toEqual(missing);
    for (const fault of faults) expect(fault.message).toContain(`${name}=${value.split(':')[0]}:`);
  });

  it('accepts a provider with its key, and keeps the key out of what is shown', () => {
    const config = readConfig({ VERBATIM_MODEL: 'openai:gpt-5', OPENAI_API_KEY: 'sk-abcdefgh1234' });
    expect(config.openai.apiKey).toBe('sk-abcdefgh1234');
    expect(config.secrets).toEqual(['sk-abcdefgh1234']);
  });

  it('counts the password of the database among the secrets, as written and as meant', () => {
    const { secrets } = readConfig({ DATABASE_URL: 'postgres://v:p%40ssword@h/db' });
    expect(secrets).toEqual(['postgres://v:p%40ssword@h/db', 'p%40ssword', 'p@ssword']);
  });

  it.each([
    [{ DATABASE_URL: 'mysql://root:hunter2hunter2@h/db' }, 'hunter2'],
    [{ COHERE_API_KEY: 'hunter2 hunter2' }, 'hunter2'],
    [{ VERBATIM_MODEL: 'sk-hunter2hunter2' }, 'hunter2'],
    [{ VERBATIM_TENANT: 'K3Y-OF-COHERE', COHERE_API_KEY: 'K3Y-OF-COHERE' }, 'K3Y'],
    [{ COHERE_BASE_URL: 'ftp://ana:hunter2@proxy' }, 'hunter2'],
    [{ OPENAI_BASE_URL: 'http://ana:hunter2@llm.example/v1' }, 'hunter2'],
    [{ OLLAMA_BASE_URL: 'http://ana:hunter2/3@gpu' }, 'hunter2'],
    [{ OLLAMA_BASE_URL: 'ana:hunter2@gpu' }, 'hunter2'],
    [{ SLACK_API_URL: 'ana:hunter2@slack' }, 'hunter2'],
    [{ VERBATIM_FETCH_HOSTS: 'docs.example.com,https://ana:hunter2@wiki.example.com/' }, 'hunter2'],
    [{ VERBATIM_TRUSTED_PROXIES: 'http://ana:hunter2@proxy' }, 'hunter2'],
    [{ VERBATIM_API_KEY: 'hunter2' }, 'hunter2'],
  ])('never shows a secret: %j', (environment, secret) => {
    const faults = faultsOf(environment as unknown as Record<string, string>);
    expect(faults).not.toEqual([]);
    expect(JSON.stringify(faults)).not.toContain(secret);
  });

  it.each(describeConfig().flatMap(({ name, example }) => (/^https?:/.test(example) ? [name] : [])))(
    'refuses a user or a password in %s, which no request could be sent with',
    (name) => {
      for (const credentials of ['ana:hunter2@', 'ana@', ':hunter2@']) {
        const [fault] = faultsOf({ [name]: `https://${credentials}llm.example/v1` });
        expect(fault?.message).toContain('expected an http:// or https:// URL without a user or a password in it');
        expect(fault?.message).not.toContain('hunter2');
      }
    },
  );

  it('knows all addresses by their examples', () => {
    const urls = describeConfig().filter(({ name }) => /URL|ENDPOINT/.test(name) && name !== 'DATABASE_URL');
    expect(urls).toHaveLength(7);
    for (const { example } of urls) expect(example).toMatch(/^https?:/);
  });

  it.each([
    ['VERBATIM_TENNANT', 'VERBATIM_TENANT'],
    ['VERBATIM_LOGLEVEL', 'VERBATIM_LOG_LEVEL'],
    ['verbatim_model', 'VERBATIM_MODEL'],
    ['VERBATIM_FETCH_HOST', 'VERBATIM_FETCH_HOSTS'],
    ['VERBATIM_EMBED_THREAD', 'VERBATIM_EMBED_THREADS'],
  ])('asks of %s whether %s was meant', (given, meant) => {
    expect(faultsOf({ [given]: 'x' })[0]?.message).toBe(
      `${given} is not a variable of Verbatim; did you mean ${meant}?`,
    );
  });

  it('suggests nothing for a variable that resembles none, and leaves other programs’ variables alone', () => {
    expect(faultsOf({ VERBATIM_QUUX_OF_ZANZIBAR: '1' })[0]?.message).not.toContain('did you mean');
    expect(faultsOf({ PATH: '/bin', OPENAI_ORG: 'x' })).toEqual([]);
  });
});

describe('describeConfig', () => {
  it('has a row with meaning and a valid example for every variable', () => {
    const rows = describeConfig();
    expect(new Set(rows.map((row) => row.name)).size).toBe(rows.length);
    const keys = Object.fromEntries(
      rows.filter((row) => row.name.endsWith('_KEY')).map((row) => [row.name, row.example]),
    );
    for (const row of rows) {
      expect(row.meaning.length).toBeGreaterThan(10);
      expect(faultsOf({ ...keys, [row.name]: row.example })).toEqual([]);
    }
  });

  it.each(describeConfig().map((row) => [row.name, row.default] as const))(
    'states the true default of %s',
    (name, stated) => {
      const words = [
        "the provider's own",
        'none',
        '',
        'info for services, warn for commands and on a terminal',
        'cores - 1, at least 1, at most 4',
        'none: answers count as free',
        'cohere:rerank-v3.5 with COHERE_API_KEY, else builtin',
      ];
      if (words.includes(stated)) return expect(faultsOf({})).toEqual([]);
      return expect(readConfig({ [name]: stated })).toEqual(readConfig({}));
    },
  );
});
