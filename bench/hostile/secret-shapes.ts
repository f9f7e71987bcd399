import type { Hostile } from '@/bench/hostile/environment';
import { Keys } from '@/server/shared/keys';
import { TEXT_CHARS_MAX } from '@/server/shared/masking/json-walk';

const CHARS = 1024 * 1024;
const keys = new Keys(Buffer.alloc(32, 7));

/** Patterns of the mask, and text that begins like them: each fills 1 MB. */
const shapes: Readonly<Record<string, string>> = {
  'x://': 'x://',
  'x://a:b/': 'x://a:b/',
  '-u a:b': '-u a:b ',
  'token: x': '\ntoken: x',
  'token:"': 'token:"',
  'token=x': 'token=x ',
  '--token x': '--token x ',
  'Bearer abcdef': 'Bearer abcdef ',
  'Cookie: a': 'Cookie: a\n',
  '&sig=x': '&sig=x',
  'eyJ…': 'eyJhbGciOi.abcd.',
  'mysql -px': ' mysql -px',
  '-p x': ' -p x',
  'password is x': 'password is x ',
  '40 letters': 'aB3/'.repeat(10) + ' ',
  'token: |': 'token: |\n',
  'tokens: -': '\n tokens:\n  - x',
  'name: token, value': 'name: token\nvalue: x\n',
  '<password>': '<password>x',
  '<a name="token">': '<a name="token" value="x">',
  '{Token:x': '{Token:x ',
  '{\\"token\\"': '{\\"token\\":\\"',
  'mysql "': 'mysql "',
  'curl -ua:b': 'curl -ua:b ',
  'mc alias set': 'mc alias set ',
  'echo x | login': 'echo x | login\n',
  'a:b@tcp(': 'a:b@tcp(',
  'scott/Tiger1@': 'scott/Tiger1@',
  'https://a/hooks/b1c2d3e4': 'https://a/hooks/b1c2d3e4 ',
  'base64 of a text': Buffer.from('password: x\n'.repeat(8)).toString('base64') + ' ',
  'base64 in lines': Buffer.from('password: x\n'.repeat(8)).toString('base64').slice(0, 64) + '\n',
  'another alphabet': 'рassword=x ',
  'BEGIN PRIVATE KEY': '-----BEGIN PRIVATE KEY-----',
};

/** Values that are searched, as many as an object holds; a single longer one is masked completely. */
const inspected: readonly Hostile[] = Object.entries(shapes).map(([name, shape]) => {
  const text = shape.repeat(Math.floor(TEXT_CHARS_MAX / shape.length));
  const values = Array.from(
    { length: Math.ceil(CHARS / TEXT_CHARS_MAX) },
    (_, index) => `${index}${text.slice(2)}`,
  );
  const template = (value: string) => ({ spec: { containers: [{ name: 'a', args: [...values, value] }] } });
  return {
    what: `1 MB of ${JSON.stringify(name)} on either side`,
    run: () => keys.mask.diff(template('before'), template('after')),
  };
});

/** As many values as fit 1 MB, each masked because of its name. */
const values = Array.from({ length: CHARS / 10 }, (_, index) => `Ab9${index}`);
const members = Object.fromEntries(values.map((value) => [value, value]));

const hidden: readonly Hostile[] = Object.entries({
  'a list under the name of a credential': { tokens: values },
  'members under the name of a credential': { credentials: members },
  'what a Secret holds': { kind: 'Secret', stringData: members },
}).map(([name, template]) => ({
  what: `1 MB of ${name}`,
  run: () => keys.mask.template(template),
}));

export const secretShapes: readonly Hostile[] = [...inspected, ...hidden];
