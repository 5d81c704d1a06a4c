import { describe, expect, it } from 'vitest';
import { isNamedHost, isReachableAddress, parseAllowedHost } from '../../ingest/fetch-hosts.ts';
import { UsageError } from '../../retrieval/errors.ts';

const named = (url: string, ...hosts: string[]) => isNamedHost(new URL(url), hosts.map(parseAllowedHost));
const reachable = (url: string, address: string, ...hosts: string[]) =>
  isReachableAddress(new URL(url), address, hosts.map(parseAllowedHost));

describe('parseAllowedHost', () => {
  it.each([
    ['docs.example.com', { host: 'docs.example.com', wildcard: false, port: null }],
    [' Docs.Example.COM. ', { host: 'docs.example.com', wildcard: false, port: null }],
    ['*.example.com:8443', { host: 'example.com', wildcard: true, port: 8443 }],
    ['localhost:3000', { host: 'localhost', wildcard: false, port: 3000 }],
    ['127.0.0.1:8080', { host: '127.0.0.1', wildcard: false, port: 8080 }],
    ['[::1]:3000', { host: '::1', wildcard: false, port: 3000 }],
    ['[0:0:0:0:0:0:0:1]', { host: '::1', wildcard: false, port: null }],
    ['bücher.example', { host: 'xn--bcher-kva.example', wildcard: false, port: null }],
  ])('reads %s', (pattern, expected) => {
    expect(parseAllowedHost(pattern)).toEqual(expected);
  });

  it.each([
    '',
    '*',
    '*.',
    '*example.com',
    'a.*.com',
    'https://docs.example.com',
    'docs.example.com/path',
    'ana@docs.example.com',
    'docs.example.com:0',
    'docs.example.com:65536',
    'docs.example.com:http',
    '*.10.0.0.1',
    '::1',
    '[::1',
    'a b',
    '10.0.0.0/8',
  ])('refuses "%s"', (pattern) => {
    expect(() => parseAllowedHost(pattern)).toThrow(UsageError);
  });
});

describe('isNamedHost', () => {
  it.each([
    ['https://docs.example.com/a', 'docs.example.com', true],
    ['https://DOCS.example.com./a', 'docs.example.com', true],
    ['https://docs.example.com:8443/', 'docs.example.com', true],
    ['https://docs.example.com:8443/', 'docs.example.com:443', false],
    ['https://docs.example.com/', 'docs.example.com:443', true],
    ['http://docs.example.com/', 'docs.example.com:443', false],
    ['https://evil-docs.example.com/', 'docs.example.com', false],
    ['https://docs.example.com.evil.net/', 'docs.example.com', false],
    ['https://a.b.example.com/', '*.example.com', true],
    ['https://example.com/', '*.example.com', false],
    ['https://notexample.com/', '*.example.com', false],
    ['http://2130706433/', '127.0.0.1', true],
    ['http://0x7f.1/', '10.0.0.1', false],
    ['http://[::ffff:127.0.0.1]/', '127.0.0.1', false],
  ])('%s with the entry %s: %s', (url, entry, expected) => {
    expect(named(url, entry)).toBe(expected);
  });

  it('names nothing when the list is empty', () => {
    expect(named('https://docs.example.com/')).toBe(false);
  });
});

describe('isReachableAddress', () => {
  it.each(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])(
    'lets a named host be at the public address %s',
    (address) => {
      expect(reachable('https://docs.example.com/', address, 'docs.example.com')).toBe(true);
    },
  );

  it.each([
    '127.0.0.1',
    '127.8.8.8',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12:3456::1',
    'fec0::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:a00:1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:1::1',
    '2001:db8::1',
  ])('lets no host with a public name be at %s, named or by a wildcard', (address) => {
    expect(reachable('https://docs.example.com/', address, 'docs.example.com')).toBe(false);
    expect(reachable('https://docs.example.com/', address, '*.example.com')).toBe(false);
    expect(reachable('https://docs.example.com/', address, 'docs.example.com', 'localhost', '10.9.9.9')).toBe(false);
  });

  it.each([
    ['http://docs.example.com/', '10.1.2.3', ['docs.example.com', '10.1.2.3'], true],
    ['http://docs.example.com:8080/', '10.1.2.3', ['docs.example.com', '10.1.2.3:8080'], true],
    ['http://docs.example.com:8080/', '10.1.2.3', ['docs.example.com', '10.1.2.3:80'], false],
    ['http://docs.example.com/', '::ffff:10.1.2.3', ['docs.example.com', '10.1.2.3'], true],
    ['http://169.254.169.254/', '169.254.169.254', ['169.254.169.254'], true],
    ['http://localhost:3000/', '127.0.0.1', ['localhost:3000'], true],
    ['http://localhost:3000/', '::1', ['localhost:3000'], true],
    ['http://localhost:3001/', '127.0.0.1', ['localhost:3000'], false],
    ['http://app.localhost/', '127.0.0.1', ['*.localhost'], false],
    ['http://wiki.internal/', '10.0.0.7', ['wiki.internal'], true],
    ['http://wiki/', '10.0.0.7', ['wiki'], true],
    ['http://wiki.internal/', '10.0.0.7', ['*.internal'], false],
    ['http://metadata.internal/', '169.254.169.254', ['metadata.internal'], false],
  ])('%s at %s with %j: %s', (url, address, entries, expected) => {
    expect(reachable(url, address, ...entries)).toBe(expected);
  });
});
