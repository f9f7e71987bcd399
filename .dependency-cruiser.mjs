/**
 * The arrows of docs/architecture.md: each folder may import those above it in its list and nothing else of that list.
 * Imports of types count. Folders in an order have no circles.
 */
const lib = [
  'kube',
  'format',
  'diff',
  'history',
  'workloads',
  'producers',
  'oam',
  'rollout',
  'records',
  'api',
  'view',
  'timeline',
];
const server = [
  'shared',
  'http',
  'cluster',
  'controllers',
  'archive',
  'audit',
  'notifications',
  'reads',
  'actions',
  'recorder',
  'rollout-histories',
  'stream',
  'runtime',
];
const test = '\\.test\\.tsx?$|^test/';
/** What tests share may build on anything that its folder is tested with. */
const testSupport = `${test}|/testing/`;

/** Each folder of a list must not import those that come after it. */
function downwards(root, folders) {
  return folders.slice(0, -1).map((name, index) => ({
    name: `${root}/${name} imports nothing that builds on it`,
    severity: 'error',
    from: { path: `^${root}/${name}/`, pathNot: testSupport },
    to: { path: `^${root}/(${folders.slice(index + 1).join('|')})/` },
  }));
}

function never(name, from, to) {
  return { name, severity: 'error', from: { path: from, pathNot: test }, to: { path: to } };
}

const config = {
  forbidden: [
    { name: 'no circles of files', severity: 'error', from: { pathNot: test }, to: { circular: true } },
    ...downwards('lib', lib),
    ...downwards('server', server),
    never('kinds never import each other', '^lib/workloads/kinds/(?!table)', '^lib/workloads/kinds/'),
    never('lib imports nothing above it', '^lib/', '^(app|components|server|sandbox)/'),
    never('server imports no page', '^server/', '^(app|components)/'),
    never(
      'server/runtime alone knows the sandbox',
      '^server/(?!runtime/|controllers/.*/testing/)',
      '^sandbox/',
    ),
    never('components ask the server over HTTP', '^components/', '^(app|server|sandbox)/'),
    never('primitives know no feature', '^components/ui/', '^components/(?!ui/)'),
    never('the client of the API builds on nothing here', '^components/queries/', '^components/(?!queries/)'),
    never(
      'what features share imports none of them',
      '^components/shared/',
      '^components/(?!ui/|queries/|shared/)',
    ),
    never('primitives know no words of the domain', '^components/ui/', '^lib/(?!kube/|format/|errors)'),
    never(
      'no feature imports another',
      '^components/(?!ui/|queries/|shared/)([^/]+)/',
      '^components/(?!ui/|queries/|shared/|$1/)',
    ),
    never(
      'the sandbox is a cluster, not a part of Shiplog',
      '^sandbox/',
      '^(app|components)/|^server/(?!shared/|cluster/|controllers/)',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^\\.next/|^node_modules/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'] },
  },
};

export default config;
