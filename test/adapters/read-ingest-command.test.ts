import { describe, expect, test } from 'vitest';
import { readIngestCommand } from '../../adapters/read-ingest-command.ts';
import { typedText } from '../../adapters/slack/escape-mrkdwn.ts';

const everyone = { allow: ['verbatim:everyone'], require: [], level: null };

describe('what stands after ingest', () => {
  test.each([
    [' plain words', { readers: null, text: 'plain words' }],
    [' a  b\t c\n  - one\n    - two <b> & >', { readers: null, text: 'a  b\t c\n  - one\n    - two <b> & >' }],
    ['\n    indented\n  less', { readers: null, text: '    indented\n  less' }],
    [' --allow verbatim:everyone say  it', { readers: everyone, text: 'say  it' }],
    [' —allow=verbatim:everyone x y', { readers: everyone, text: 'x y' }],
    [' text --allow verbatim:everyone', { readers: null, text: 'text --allow verbatim:everyone' }],
    [' -- --allow is an option', { readers: null, text: '--allow is an option' }],
    [' — said nobody', { readers: null, text: '— said nobody' }],
    [' - an item\n- another', { readers: null, text: '- an item\n- another' }],
    [
      ' --level Internal --require verbatim:role:manager --allow a:b https://x.example/a',
      {
        readers: { allow: ['a:b'], require: ['verbatim:role:manager'], level: 'internal' },
        url: 'https://x.example/a',
      },
    ],
    [' https://x.example is down', { readers: null, text: 'https://x.example is down' }],
  ])('%j', (argument, read) => {
    expect(readIngestCommand(argument)).toEqual(read);
  });

  test.each([
    ['', /give an address or a text/],
    [' --', /give an address or a text/],
    [' --allow', /--allow wants a value/],
    [' --allow --level internal x', /--allow wants a value/],
    [' --level secret x', /no access level/],
    [' --alow verbatim:everyone x', /no option --alow/],
    [' ftp://x.example/a', /no address that is fetched/],
    [' file:///etc/passwd', /no address that is fetched/],
    [' -- javascript:alert(1)', /no address that is fetched/],
    [' https://', /no address that is fetched/],
    [' https://x.example/a --allow verbatim:everyone', /options come before the address/],
  ])('%j is an error and no note', (argument, said) => {
    expect(() => readIngestCommand(argument)).toThrow(said);
  });
});

describe('what was typed after a command', () => {
  test.each([
    ['a   b\n\t- c', 'a   b\n\t- c'],
    ['a &lt;b&gt; &amp;amp; c', 'a <b> &amp; c'],
    ['if a <b> or x > y', 'if a <b> or x > y'],
    ['<@U1|ann> in <#C1|general> and <!here>', '@ann in #general and @here'],
    ['<http://x.example|x.example> <https://y.example/a|the page>', 'x.example https://y.example/a'],
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
  ])('%j', (text, typed) => {
    expect(typedText(text)).toBe(typed);
  });
});
