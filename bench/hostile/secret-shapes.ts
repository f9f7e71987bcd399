import { type Hostile } from '@/bench/hostile/hostile';
import { Keys } from '@/server/keys';
import { maskedDiff, TEXT_CHARS_MAX } from '@/server/mask';

const CHARS = 1024 * 1024;
const keys = new Keys(Buffer.alloc(32, 7));

/** What the mask looks for, or what begins like it: each fills a text of 1 MB. */
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
  'BEGIN PRIVATE KEY': '-----BEGIN PRIVATE KEY-----',
};

/** Values that are looked into, as many as an object holds; a single longer one is hidden whole. */
export const secretShapes: readonly Hostile[] = Object.entries(shapes).map(([name, shape]) => {
  const text = shape.repeat(Math.floor(TEXT_CHARS_MAX / shape.length));
  const values = Array.from(
    { length: Math.ceil(CHARS / TEXT_CHARS_MAX) },
    (_, index) => `${index}${text.slice(2)}`,
  );
  const template = (value: string) => ({ spec: { containers: [{ name: 'a', args: [...values, value] }] } });
  return {
    what: `1 MB of ${JSON.stringify(name)} on either side`,
    run: () => maskedDiff(keys, template('before'), template('after')),
  };
});
