import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EntryDefaults } from '@/server/shared/cluster-entry';
import { FILE_BYTES_MAX, parseClustersFile } from '@/server/shared/clusters-file';
import { ConfigError } from '@/server/shared/config-error';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';

const outer = entryDefaults;

function parse(text: string, defaults: Partial<EntryDefaults> = {}) {
  return parseClustersFile(text, '/etc/shiplog', { ...outer, ...defaults });
}

function problemsOf(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** A file with these entries, each at a line of its own from line 3 on. */
function withClusters(...entries: string[]): string {
  return `apiVersion: shiplog.dev/v1\nclusters:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`;
}

const here = 'source: {inCluster: true}';

test('reads every member of the file', () => {
  const file = parse(`
apiVersion: shiplog.dev/v1
clusters:
  - name: prod-eu
    title: Production EU
    stage: production
    source: {inCluster: true}
    namespaces: [shop, pay, shop]
    readOnly: true
    links: {logs: "https://logs.example/{namespace}"}
    argocd: {name: production, cluster: staging}
    formerNames: [prod]
    id: 0d4e7a52-6f0d-4c55-9a53-3f2d3d8a6c11
  - name: prod-us
    source: {kubeconfig: kubeconfigs/prod-us, context: admin@prod-us}
  - name: staging
    source: {secret: {name: shiplog-cluster-staging}}
defaults:
  stage: test
  links: {logs: "https://logs.example/", argocd: "https://argocd.example/{application}"}
  argocd: {namespaces: [gitops]}
discover:
  secrets: {labelSelector: shiplog.dev/cluster}
`);
  const links = [
    { label: 'Logs', url: 'https://logs.example/' },
    { label: 'Argo CD', url: 'https://argocd.example/{application}' },
  ];
  const argocd = { namespaces: ['gitops'], name: null, cluster: null };
  const defaults = { ...outer, stage: 'test', links, argocd };
  expect(file).toEqual({
    entries: [
      {
        ...outer,
        name: 'prod-eu',
        title: 'Production EU',
        stage: 'production',
        source: { kind: 'in_cluster' },
        namespaces: ['shop', 'pay'],
        readOnly: true,
        links: [
          { label: 'Logs', url: 'https://logs.example/{namespace}' },
          { label: 'Argo CD', url: 'https://argocd.example/{application}' },
        ],
        argocd: { ...argocd, name: 'production', cluster: 'staging' },
        formerNames: ['prod'],
        id: '0d4e7a52-6f0d-4c55-9a53-3f2d3d8a6c11',
      },
      {
        ...defaults,
        name: 'prod-us',
        title: 'prod-us',
        source: {
          kind: 'kubeconfig',
          files: ['/etc/shiplog/kubeconfigs/prod-us'],
          context: 'admin@prod-us',
        },
        formerNames: [],
        id: null,
      },
      {
        ...defaults,
        name: 'staging',
        title: 'staging',
        source: { kind: 'secret', name: 'shiplog-cluster-staging' },
        formerNames: [],
        id: null,
      },
    ],
    discovery: { labelSelector: 'shiplog.dev/cluster', defaults },
  });
});

test('the example of the documentation is valid', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/clusters.md', import.meta.url)), 'utf8');
  const [example = ''] = /(?<=```yaml\n)apiVersion[^]*?(?=```)/.exec(page) ?? [];
  expect(parse(example).entries.map(({ name }) => name)).toEqual(['prod-eu', 'prod-us', 'staging']);
});

test('the prefixes of an entry and the credential for people override those of the file, one by one', () => {
  const text = `${withClusters(
    `{name: a, ${here}, credential: token}`,
    `{name: b, ${here}, identity: {groupsPrefix: "b:"}}`,
  )}defaults: {credential: impersonate, identity: {usernamePrefix: "oidc:"}}`;
  const identity = { usernamePrefix: '', groupsPrefix: 'g:' };
  expect(parse(text, { identity }).entries).toMatchObject([
    { credential: 'token', identity: { usernamePrefix: 'oidc:', groupsPrefix: 'g:' } },
    { credential: 'impersonate', identity: { usernamePrefix: 'oidc:', groupsPrefix: 'b:' } },
  ]);
});

test('an entry overrides the defaults of the file, and those override the variables', () => {
  const text = `${withClusters(
    `{name: a, ${here}}`,
    `{name: b, ${here}, namespaces: [], readOnly: false}`,
  )}defaults: {readOnly: true, namespaces: [shop]}`;
  const links = [{ label: 'Metrics', url: 'https://metrics.example/' }];
  const { entries } = parse(text, { namespaces: ['pay'], links });
  expect(entries).toMatchObject([
    { namespaces: ['shop'], readOnly: true, links },
    { namespaces: [], readOnly: false, links },
  ]);
  expect(parse(withClusters(`{name: a, ${here}}`), { namespaces: ['pay'] }).entries[0]?.namespaces).toEqual([
    'pay',
  ]);
});

test('no entry can write where Shiplog is read-only', () => {
  const text = `${withClusters(`{name: a, ${here}, readOnly: false}`)}defaults: {readOnly: false}\ndiscover: {secrets: {labelSelector: x}}`;
  const { entries, discovery } = parse(text, { readOnly: true });
  expect([entries[0]?.readOnly, discovery?.defaults.readOnly]).toEqual([true, true]);
});

test('clusters from labelled Secrets get the token of a person only where the file says so of them', () => {
  const discover = (members: string) =>
    `${withClusters(`{name: a, ${here}}`)}defaults: {credential: token}\ndiscover: {secrets: {labelSelector: x${members}}}`;
  const { entries, discovery } = parse(discover(''), { credential: 'token' });
  expect([entries[0]?.credential, discovery?.defaults.credential]).toEqual(['token', 'impersonate']);
  expect(parse(discover(', credential: token')).discovery?.defaults.credential).toBe('token');
});

test('a file may leave its clusters to labelled Secrets', () => {
  const text = 'apiVersion: shiplog.dev/v1\ndiscover: {secrets: {labelSelector: "shiplog.dev/cluster=yes"}}';
  expect(parse(text)).toEqual({
    entries: [],
    discovery: { labelSelector: 'shiplog.dev/cluster=yes', defaults: outer },
  });
});

test('reports every problem of the file at once, each with its line', () => {
  const text = `
apiVersion: v1
clusters:
  - name: Prod
    title: ""
    stage: In production
    source: {kubeconfig: a, secret: {name: b}}
    readOnly: maybe
    namespaces: [shop, Not_A_Name]
    links: {logs: "https://{name}.example", traces: "https://traces.example"}
  - name: pod
    source: {context: prod}
  - source: {inCluster: false}
    id: two words
  - name: test
    source: {secret: {name: Test}}
    credential: tokn
    identity: {prefix: "oidc:"}
defaults: {colour: red}
discover: {argocd: false, clusterProfiles: false, secrets: {labelSelector: ""}}
`;
  const name = '1 to 40 characters of a-z, 0-9, and "-", and neither "pod" nor "live"';
  const source =
    'it must be one of {inCluster: true}, {kubeconfig: path, context: name}, and {secret: {name: name}}';
  const members =
    'name, title, source, stage, namespaces, readOnly, credential, identity, links, argocd, formerNames, id';
  expect(new Set(problemsOf(text))).toEqual(
    new Set([
      'apiVersion (line 2) is "v1"; it must be shiplog.dev/v1.',
      `clusters[0].name (line 4) is "Prod"; it must be ${name}.`,
      'clusters[0].title (line 5) is ""; it must be text of 1 to 100 characters on one line.',
      'clusters[0].stage (line 6) is "In production"; it must be 1 to 40 characters of a-z, 0-9, and "-".',
      `clusters[0].source (line 7) names more than one source; ${source}.`,
      'clusters[0].readOnly (line 8) is "maybe"; it must be true or false.',
      'clusters[0].namespaces[1] (line 9) is "Not_A_Name"; it must be the name of a namespace.',
      expect.stringMatching(
        /^clusters\[0\]\.links\.logs \(line 10\) has a placeholder in its scheme or host; it must be a URL/,
      ),
      'clusters[0].links.traces (line 10) is unknown; known are logs, metrics, commit, argocd.',
      `clusters[1].name (line 11) is "pod"; it must be ${name}.`,
      `clusters[1].source (line 12) names no source; ${source}.`,
      `clusters[2].name (line 13) is missing; it must be ${name}.`,
      'clusters[2].source.inCluster (line 13) is false; it must be true.',
      'clusters[2].id (line 14) is "two words"; it must be 1 to 64 letters, digits, and "-".',
      'clusters[3].source.secret.name (line 16) is "Test"; it must be the name of a Secret in the namespace of Shiplog.',
      'clusters[3].credential (line 17) is "tokn"; it must be impersonate or token.',
      'clusters[3].identity.prefix (line 18) is unknown; known are usernamePrefix, groupsPrefix.',
      'defaults.colour (line 19) is unknown; known are stage, namespaces, readOnly, credential, identity, links, argocd.',
      'discover.argocd (line 20) is not supported; remove it.',
      'discover.clusterProfiles (line 20) is not supported; remove it.',
      'discover.secrets.labelSelector (line 20) is ""; it must be a label selector, such as shiplog.dev/cluster.',
    ]),
  );
  expect(problemsOf(withClusters(`{name: a, ${here}, colour: red}`))).toEqual([
    `clusters[0].colour (line 3) is unknown; known are ${members}.`,
  ]);
});

test('a name leads to one cluster only, also a former name', () => {
  const text = withClusters(
    `{name: prod, ${here}, id: one}`,
    `{name: test, ${here}, formerNames: [old, prod]}`,
    `{name: old, ${here}, id: one}`,
    `{name: Prod, ${here}, formerNames: [own, own]}`,
  );
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(/^clusters\[3\]\.name \(line 6\) is "Prod"/),
    'clusters[1].formerNames[1] (line 4) is "prod", which is also clusters[0].name (line 3); it must be another.',
    'clusters[2].name (line 5) is "old", which is also clusters[1].formerNames[0] (line 4); it must be another.',
    'clusters[3].formerNames[1] (line 6) is "own", which is also clusters[3].formerNames[0] (line 6); it must be another.',
    'clusters[2].id (line 5) is "one", which is also clusters[0].id (line 3); it must be another.',
  ]);
});

test.each([
  ['an empty file', '', /^The file \(line 1\) is empty; it must be a mapping with apiVersion/],
  ['another document', '- a', /^The file \(line 1\) is a list of 1/],
  ['a file without clusters', 'apiVersion: shiplog.dev/v1', /^The file names no cluster/],
  ['an empty list', 'apiVersion: shiplog.dev/v1\nclusters: []', /^The file names no cluster/],
  ['a list that is none', 'apiVersion: shiplog.dev/v1\nclusters: 1', /^clusters \(line 2\) is 1/],
  ['text that is not YAML', 'clusters: [', /^The file is not valid YAML: .* line 1/],
  ['a member twice', 'clusters: []\nclusters: []', /^The file is not valid YAML: .* line 2/],
  ['an unknown alias', 'clusters: *prod', /^The file is not valid YAML: .*prod/],
  ['deep nesting', '['.repeat(100_000), /^The file is not valid YAML/],
  ['a long file', `#${'x'.repeat(FILE_BYTES_MAX)}`, /^The file is longer than 1 MB/],
])('explains %s', (_what, text, message) => {
  expect(problemsOf(text)[0]).toMatch(message);
});

test('a file has at most 200 clusters', () => {
  const entries = Array.from({ length: 201 }, (_, index) => `{name: c${index}, ${here}}`);
  expect(problemsOf(withClusters(...entries))).toEqual([
    'clusters (line 3) is a list of 201; it must be a list of at most 200 clusters.',
  ]);
  expect(parse(withClusters(...entries.slice(1))).entries.length).toBe(200);
});

test('a problem never quotes what is unknown, such as the token of a kubeconfig', () => {
  const text = 'apiVersion: v1\nclusters: [{name: prod, cluster: {}}]\nusers: [{user: {token: s3cret}}]';
  expect(problemsOf(text).join()).not.toContain('s3cret');
});

test('any text either has clusters or problems', () => {
  const piece = fc.constantFrom(
    'apiVersion: shiplog.dev/v1',
    'clusters',
    ':',
    '\n',
    '  ',
    '- ',
    '{',
    '}',
    '[',
    ']',
    'name',
    'source',
    'a',
    '&x',
    '*x',
    '!!int',
    '"',
    ',',
    '<<',
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
      (text) => {
        try {
          parse(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      },
    ),
  );
});
