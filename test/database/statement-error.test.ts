import { expect, test } from 'vitest';
import { DatabaseTimeoutError, DatabaseUnavailableError } from '../../retrieval/errors.ts';
import { StatementError, translateError } from '../../src/database/statement-error.ts';

const driverError = (code: string, message = 'as the server says it') => Object.assign(new Error(message), { code });
const SERVER = 'db:5432/verbatim';

test.each([
  ['too many connections', '53300', 'sorry, too many clients already'],
  ['out of another resource', '53400', 'configuration limit exceeded'],
  ['no connections allowed', '55000', 'database "verbatim" is not currently accepting connections'],
  ['shutting down', '57P01', 'terminating connection due to administrator command'],
  ['starting up', '57P03', 'the database system is starting up'],
  ['dropped', '57P04', 'database was dropped'],
  ['in recovery', '25006', 'cannot execute INSERT in a read-only transaction'],
  ['cancelled by an administrator', '57014', 'canceling statement due to user request'],
  ['the connection failed', '08006', 'connection failure'],
])('%s (%s) means that the database is away', (_, code, message) => {
  const error = translateError(driverError(code, message), SERVER);
  expect(error).toBeInstanceOf(DatabaseUnavailableError);
  expect((error as Error).message).toContain(SERVER);
});

test.each([
  ['another prerequisite', '55000', 'currval of sequence is not yet defined'],
  ['a wrong statement', '42601', 'syntax error'],
  ['a right that is missing', '42501', 'permission denied'],
])('%s (%s) is a fault of ours', (_, code, message) => {
  expect(translateError(driverError(code, message), SERVER)).toBeInstanceOf(StatementError);
});

test('where only reading was meant, writing is a fault of ours, and a deadline is ours', () => {
  expect(translateError(driverError('25006'), SERVER, 1_000)).toBeInstanceOf(StatementError);
  expect(translateError(driverError('57014'), SERVER, 1_000)).toBeInstanceOf(DatabaseTimeoutError);
});
