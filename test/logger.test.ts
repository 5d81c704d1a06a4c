import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createLogger, currentRequestId, type LogLevel, maskSecrets, withRequestId } from '../src/logger.ts';

function capture(level: LogLevel = 'info', secrets: readonly string[] = []) {
  const lines: string[] = [];
  const logger = createLogger({ level, secrets, destination: { write: (line: string) => lines.push(line) } });
  const records = () => lines.map((line) => JSON.parse(line));
  return { logger, lines, records };
}

describe('createLogger', () => {
  it('writes one JSON line with level, time, message and fields', () => {
    const { logger, lines, records } = capture();
    logger.info({ documentId: 'd1', durationMs: 12 }, 'document indexed');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.endsWith('\n')).toBe(true);
    expect(records()[0]).toMatchObject({
      level: 'info',
      message: 'document indexed',
      documentId: 'd1',
      durationMs: 12,
    });
    expect(records()[0].time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(records()[0]).not.toHaveProperty('pid');
  });

  it('writes nothing below its level', () => {
    const { logger, records } = capture('warn');
    logger.info('quiet');
    logger.warn('loud');
    expect(records().map((record) => record.message)).toEqual(['loud']);
  });

  it.each([
    'token',
    'botToken',
    'accessToken',
    'apiKey',
    'api_key',
    'COHERE_API_KEY',
    'authorization',
    'set-cookie',
    'password',
    'clientSecret',
    'databaseUrl',
    'DATABASE_URL',
    'privateKey',
  ])('hides the field %s at any depth, in children too', (name) => {
    const { logger, lines } = capture();
    logger.info({ [name]: 'marmalade', request: { headers: [{ [name]: 'marmalade' }] } }, 'sent');
    logger.child({ [name]: 'marmalade' }).info('sent');
    expect(lines.join('')).not.toContain('marmalade');
    expect(lines.join('').match(/\[hidden\]/g)).toHaveLength(3);
  });

  it.each(['inputTokens', 'maxTokens', 'tokens', 'keyCount', 'secretsFound'])('keeps the field %s', (name) => {
    const { logger, records } = capture();
    logger.info({ [name]: 7 }, 'answered');
    expect(records()[0][name]).toBe(7);
  });

  it('hides secrets inside texts: messages, fields, errors, their stacks and causes', () => {
    const { logger, lines } = capture();
    const cause = new Error('connect postgres://verbatim:hunter2@db:5432/verbatim');
    logger.error({ error: new Error('401 for Bearer abcdef123456', { cause }) }, 'call failed');
    logger.error(new Error('invalid xoxb-1234-abcdef'));
    logger.warn({ reason: 'key sk-ant-api03-abcdefgh refused' }, 'with sk-abcdefghijkl');
    const all = lines.join('');
    for (const secret of ['hunter2', 'abcdef123456', 'xoxb-1234', 'sk-ant', 'sk-abc'])
      expect(all).not.toContain(secret);
  });

  it('hides the configured secrets wherever they occur', () => {
    const { logger, lines } = capture('info', ['plain-looking-value']);
    logger.info({ url: 'https://api.example.com/?k=plain-looking-value' }, 'sent plain-looking-value');
    expect(lines.join('')).not.toContain('plain-looking-value');
  });

  it('logs of an error its name, code, message, stack and cause, and no other property', () => {
    const { logger, lines, records } = capture();
    const error = Object.assign(new TypeError('bad row', { cause: 'because' }), {
      code: '23505',
      detail: 'Failing row contains (salaries of the board)',
    });
    logger.error({ error }, 'write failed');
    expect(records()[0].error).toMatchObject({
      name: 'TypeError',
      code: '23505',
      message: 'bad row',
      cause: 'because',
    });
    expect(records()[0].error.stack).toContain('TypeError: bad row');
    expect(lines.join('')).not.toContain('salaries');
  });

  it('gives an error without a message a constant one', () => {
    const { logger, records } = capture();
    logger.error(new Error('row 17 is bad'));
    expect(records()[0]).toMatchObject({ message: 'failed', error: { message: 'row 17 is bad' } });
  });

  it('survives cycles, bytes and big integers', () => {
    const { logger, records } = capture();
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    logger.info({ cycle, bytes: new Uint8Array(3), count: 12n, when: new Date(0) }, 'odd fields');
    expect(records()[0]).toMatchObject({ bytes: '[3 bytes]', count: '12', when: '1970-01-01T00:00:00.000Z' });
  });
});

describe('withRequestId', () => {
  it('puts the id on every line of a request, across awaits and beside other requests', async () => {
    const { logger, records } = capture();
    const request = (id: string) =>
      withRequestId(id, async () => {
        logger.info({ id }, 'started');
        await nextTurn();
        logger.child({ part: 'search' }).info({ id }, 'searched');
        return currentRequestId();
      });
    expect(await Promise.all([request('r1'), request('r2')])).toEqual(['r1', 'r2']);
    logger.info('outside');
    const written = records();
    expect(written).toHaveLength(5);
    for (const record of written.slice(0, 4)) expect(record.requestId).toBe(record.id);
    expect(written[4]).not.toHaveProperty('requestId');
    expect(currentRequestId()).toBeNull();
  });
});

describe('maskSecrets', () => {
  it.each([
    ['postgres://a:b@host/db', 'postgres://[hidden]@host/db'],
    ['see https://docs.example.com/a@b', 'see https://docs.example.com/a@b'],
    ['write to ana@example.com', 'write to ana@example.com'],
    ['Authorization: Bearer eyJhbGciOi.abc', 'Authorization: Bearer [hidden]'],
    ['the sk-8 class', 'the sk-8 class'],
    ['token eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2lnbg end', 'token [hidden] end'],
  ])('%s', (text, expected) => {
    expect(maskSecrets(text)).toBe(expected);
  });

  it('does not take a short configured value for a secret', () => {
    expect(maskSecrets('the test passed', ['test'])).toBe('the test passed');
  });
});
