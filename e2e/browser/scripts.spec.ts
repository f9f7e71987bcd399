import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';

test('no script of a page has the schemas of the API in it', () => {
  const folder = fileURLToPath(new URL('../../.next/static', import.meta.url));
  const scripts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  );
  expect(scripts.length).toBeGreaterThan(10);
  // The member of every schema, which no minifier renames.
  expect(scripts.filter((file) => readFileSync(join(folder, file), 'utf8').includes('_zod'))).toEqual([]);
});
