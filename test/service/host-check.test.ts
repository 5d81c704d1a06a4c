import { describe, expect, test } from 'vitest';
import { createHostCheck } from '../../src/service/host-check.ts';

const PUBLIC = 'https://verbatim.example.com';

describe('a service that listens for this machine alone', () => {
  test.each([
    ['127.0.0.1:3000', true],
    ['localhost:8080', true],
    ['LOCALHOST', true],
    ['[::1]:3000', true],
    ['127.8.9.1', true],
    [undefined, true],
    ['verbatim.example.com', true],
    ['verbatim.example.com:443', true],
    ['evil.example', false],
    ['evil.example:3000', false],
    ['127.0.0.1.evil.example', false],
    ['localhost.evil.example', false],
    ['evil.example/127.0.0.1', false],
    ['evil.example@127.0.0.1', false],
    ['verbatim.example.com.evil.example', false],
    ['0.0.0.0:3000', false],
    ['192.168.1.5:3000', false],
    ['', false],
  ])('goes by the name %s: %s', (header, ours) => {
    expect(createHostCheck({ host: '127.0.0.1', publicUrl: PUBLIC })(header)).toBe(ours);
  });

  test('has no public name unless one is set', () => {
    expect(createHostCheck({ host: 'localhost', publicUrl: null })('verbatim.example.com')).toBe(false);
  });
});

test('a service that listens for others goes by any name', () => {
  expect(createHostCheck({ host: '0.0.0.0', publicUrl: null })('docs.corp.example:3000')).toBe(true);
});
