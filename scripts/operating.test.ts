import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Sources that make messages. */
function sources(): string {
  const files = ['app', 'components', 'lib', 'server', 'deploy/image'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  return [...files, 'proxy.ts']
    .filter((name) => /\.(tsx?|mjs)$/.test(name) && !/\.test\.tsx?$/.test(name))
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .join('\n');
}

test('every message that docs/operating.md quotes is one of Shiplog', () => {
  const text = readFileSync(join(root, 'docs/operating.md'), 'utf8');
  const quoted = [...text.matchAll(/(?<![*\w])\*([^*\n]+)\*(?!\*)/g)].map(([, message = '']) => message);
  expect(quoted.length).toBeGreaterThan(20);
  const all = sources();
  for (const message of quoted)
    for (const part of message.split('…').map((each) => each.trim()))
      expect(all.includes(part), `"${part}" of "${message}"`).toBe(true);
});
