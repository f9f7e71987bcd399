import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, test } from 'vitest';
import { isMap, isNode, isScalar, parse, parseDocument, type YAMLMap } from 'yaml';
import { type Variable, variables } from '@/server/shared/variables';

const root = fileURLToPath(new URL('..', import.meta.url));
const chart = `${root}deploy/chart/shiplog/`;
const read = (path: string) => readFileSync(path, 'utf8');

/** Helm packs no file from outside the chart. The rules have one source; `npm run docs:chart` copies them. */
test.each([
  'read-only',
  'read-write',
  'impersonate',
  'any-owner',
  'watch-config',
  'write-rollouthistory',
  'oam-rollout',
])('%s.yaml of the chart is that of deploy/rbac', async (name) => {
  await expect(read(`${root}deploy/rbac/${name}.yaml`)).toMatchFileSnapshot(`${chart}rbac/${name}.yaml`);
});

test('the admission policy of the chart is that of deploy/oam-rollout', async () => {
  const text = read(`${root}deploy/oam-rollout/policy.yaml`);
  await expect(text).toMatchFileSnapshot(`${chart}files/oam-rollout-policy.yaml`);
});

test('the chart has the version of the package', () => {
  const { version } = JSON.parse(read(`${root}package.json`)) as { version: string };
  expect(parse(read(`${chart}Chart.yaml`))).toMatchObject({ appVersion: version });
});

test('the chart has the icon of the application', () => {
  const icon = Buffer.from(read(`${root}app/icon.svg`)).toString('base64');
  expect(parse(read(`${chart}Chart.yaml`))).toMatchObject({ icon: `data:image/svg+xml;base64,${icon}` });
});

describe('variables of the chart', () => {
  const template = read(`${chart}templates/_variables.tpl`);
  const listed = (name: string) =>
    new RegExp(`define "shiplog.${name}" -}}\\n(.*)`).exec(template)?.[1]?.split(' ') ?? [];
  const entries = Object.entries<Variable>(variables);

  it('are all of Shiplog', () => {
    const schema = JSON.parse(read(`${chart}values.schema.json`)) as {
      properties: { config: { properties: object } };
    };
    expect(Object.keys(schema.properties.config.properties).sort()).toEqual(Object.keys(variables).sort());
  });

  it('refuse those that hold a secret, and those that a value sets', () => {
    const secrets = entries.filter(([, { isSecret }]) => isSecret).map(([name]) => name);
    expect(listed('secretNames')).toEqual(secrets.sort());
    const set = [...template.matchAll(/(?:set \$all|^ ) "([A-Z_]+)"/gm)].map(([, name = '']) => name);
    const own = [...new Set(set)].filter((name) => !secrets.includes(name));
    expect(listed('ownNames')).toEqual(own.sort());
  });
});

/** `npm run docs:chart` writes them. */
test('the README of the chart lists its values', async () => {
  const path = `${chart}README.md`;
  const text = read(path);
  const marked = /(?<=<!-- values: written by npm run docs:chart -->\n)[^]*(?=<!-- end of values -->)/;
  expect(text).toMatch(marked);
  await expect(text.replace(marked, () => `\n${valueTable()}\n`)).toMatchFileSnapshot(path);
});

function valueTable(): string {
  const rows = rowsOf(parseDocument(read(`${chart}values.yaml`)).contents as YAMLMap, []);
  return `| Value | Meaning | Default |\n|---|---|---|\n${rows.join('')}`;
}

/** A mapping with a sentence of its own is one row; of another one each member is. */
function rowsOf(map: YAMLMap, path: string[]): string[] {
  return map.items.flatMap(({ key, value }, index) => {
    if (!isScalar(key)) return [];
    const own = [...path, String(key.value)];
    const comment = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined);
    const sentence = /^ -- (.*)/m.exec(comment ?? '')?.[1];
    if (isMap(value) && value.items.length > 0 && sentence === undefined) return rowsOf(value, own);
    const plain: unknown = isNode(value) ? value.toJSON() : value;
    const shown = plain === '' || plain === null ? '' : `\`${JSON.stringify(plain).replace(/^"|"$/g, '')}\``;
    return [`| \`${own.join('.')}\` | ${sentence ?? ''} | ${shown} |\n`];
  });
}
