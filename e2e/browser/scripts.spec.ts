import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';

const folder = fileURLToPath(new URL('../../.next/static', import.meta.url));

test('no script of a page has the schemas of the API in it', () => {
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  );
  expect(scripts.length).toBeGreaterThan(10);
  // The member of every schema, which no minifier renames.
  expect(scripts.filter((file) => readFileSync(join(folder, file), 'utf8').includes('_zod'))).toEqual([]);
});

/** Two thirds of it are React and Next. What a page loads later, such as a dialog, is not named by its document. */
const NAMED_KB_MAX = 205;

const workload = '/workloads/deployments.apps/shop/cart';
for (const path of [
  ...['/', workload, `${workload}/compare?from=1&to=2`, '/timeline', '/rollouts'],
  ...['/rollouts/rollouts.argoproj.io/shop/cart', '/records', '/review', '/review/report', '/activity'],
  ...['/activity/events', '/rollout-histories', '/help/glossary', '/settings/identity'],
]) {
  test(`the scripts that the document of ${path} names have at most ${NAMED_KB_MAX} KB, compressed`, async () => {
    const document = await (await fetch(`${process.env.SHIPLOG_URL}${path}`)).text();
    const scripts = [...document.matchAll(/<script src="\/_next\/static\/([^"]+)"([^>]*)>/g)]
      .filter(([, , attributes = '']) => !attributes.includes('noModule'))
      .map(([, file = '']) => file);
    expect(scripts.length).toBeGreaterThan(2);
    const bytes = scripts.map((file) => gzipSync(readFileSync(join(folder, file))).length);
    expect(bytes.reduce((sum, each) => sum + each, 0) / 1024).toBeLessThan(NAMED_KB_MAX);
  });
}
