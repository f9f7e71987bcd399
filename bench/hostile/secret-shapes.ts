import { type Hostile } from '@/bench/hostile/hostile';
import { Keys } from '@/server/keys';
import { maskText } from '@/server/mask';

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
  'BEGIN PRIVATE KEY': '-----BEGIN PRIVATE KEY-----',
};

export const secretShapes: readonly Hostile[] = Object.entries(shapes).map(([name, shape]) => ({
  what: `1 MB of ${JSON.stringify(name)}`,
  run: () => maskText(shape.repeat(Math.ceil(CHARS / shape.length)), keys),
}));
