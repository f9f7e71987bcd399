/**
 * The arrows of docs/architecture.md, for every folder that has folders: each may import those before it in its list and
 * nothing else of that list; '.' stands for the folder's own files. So folders have no circles. Imports of types count.
 * A folder in a folder that has a place of its own, such as 'workloads/kinds', does not stand in that of the outer one.
 */
const order = {
  bench: ['support', 'hostile', '.'],
  e2e: [
    'controlplane',
    'controllers',
    'sandbox',
    'support',
    'cluster',
    'oam',
    'chart',
    'browser',
    'records',
    'image',
  ],
  lib: [
    '.',
    'kube',
    'api',
    'format',
    'diff',
    'history',
    'pods',
    'engine',
    'messages',
    'owners',
    'workloads',
    'oam',
    'rollout',
    'argo',
    'workloads/kinds',
    'rollout/systems',
    'producers',
    'records',
    'view',
    'timeline',
  ],
  'lib/rollout': ['.', 'flagger', 'oam', 'openkruise', 'systems'],
  'lib/workloads': [
    '.',
    'application',
    'leader-worker-set',
    'storm-service',
    'kruise',
    'daemon-set',
    'deployment',
    'stateful-set',
    'sources',
    'kinds',
  ],
  sandbox: ['engine', 'crds', 'api', 'controllers', 'seed', '.'],
  'sandbox/api': ['objects', '.'],
  'sandbox/controllers': [
    'objects',
    'runtime',
    'scheduler',
    'revisions',
    'replica-set',
    'pod-set',
    'daemon-set',
    'deployment',
    'stateful-set',
    'kubelet',
    'argo',
    'gitops',
    'kruise',
    'kubevela',
    'leader-worker-set',
    'oam-rollout',
    'storm-service',
    '.',
  ],
  'sandbox/controllers/kruise': ['rollout', '.'],
  'sandbox/seed': ['.', 'fleet'],
  server: [
    'shared',
    'cluster',
    'controllers',
    'archive',
    'identity',
    'audit',
    'notifications',
    'views',
    'reviews',
    'actions',
    'recorder',
    'rollout-histories',
    'reads',
    'stream',
    'runtime',
    'http',
  ],
  'server/actions': ['checks', '.'],
  'server/archive': ['migrations', '.'],
  'server/controllers': ['engine', 'oam-rollout', '.'],
  'server/shared': ['masking', '.'],
};
const test = '\\.test\\.tsx?$|^test/';
/** What tests share may build on anything that its folder is tested with. */
const testSupport = `${test}|/testing/`;

function filesOf(root, names) {
  const apart = (name) => order[root].filter((other) => other.startsWith(`${name}/`));
  const inFolder = (name) => {
    const others = apart(name).map((other) => `(?!${other.slice(name.length + 1)}/)`);
    return `^${root}/${name}/${others.join('')}`;
  };
  return names.map((name) => (name === '.' ? `^${root}/[^/]+$` : inFolder(name))).join('|');
}

const downwards = Object.entries(order).flatMap(([root, names]) =>
  names.slice(0, -1).map((name, index) => ({
    name: `${root}/${name} imports nothing that builds on it`,
    severity: 'error',
    from: { path: filesOf(root, [name]), pathNot: testSupport },
    to: { path: filesOf(root, names.slice(index + 1)) },
  })),
);

const ordered = Object.entries(order).flatMap(([root, names]) => names.map((name) => `${root}/${name}`));
const everyFolderHasItsPlace = {
  name: 'every folder has its place in the order',
  severity: 'error',
  from: {
    path: `^(${Object.keys(order).join('|')})/`,
    pathNot: `^(${[...Object.keys(order), ...ordered].join('|')})/[^/]+$|${testSupport}`,
  },
  to: {},
};

function never(name, from, to) {
  return { name, severity: 'error', from: { path: from, pathNot: test }, to: { path: to } };
}

const config = {
  forbidden: [
    { name: 'no circles of files', severity: 'error', from: { pathNot: test }, to: { circular: true } },
    ...downwards,
    everyFolderHasItsPlace,
    never('kinds never import each other', '^lib/workloads/kinds/(?!table)', '^lib/workloads/kinds/'),
    never('lib imports nothing above it', '^lib/', '^(app|components|server|sandbox)/'),
    never('server imports no page', '^server/', '^(app|components)/'),
    never(
      'server/runtime alone knows the sandbox',
      '^server/(?!runtime/|controllers/.*/testing/)',
      '^sandbox/',
    ),
    {
      name: 'for a person, Cluster.transportFor is the only way to an API server',
      severity: 'error',
      from: { path: '^server/(notifications|reads|reviews|actions|stream|http)/', pathNot: testSupport },
      to: {
        path: '^server/cluster/(background-transport|connection-pool|credentials|live-cluster|transport)',
      },
    },
    never('components ask the server over HTTP', '^components/', '^(app|server|sandbox)/'),
    {
      name: 'pages take types of the API, and lists of values, but no schema',
      severity: 'error',
      from: { path: '^(app|components)/', pathNot: testSupport },
      to: { path: '^lib/api/', pathNot: '-values\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    never('primitives know no feature', '^components/ui/', '^components/(?!ui/)'),
    never('the client of the API builds on nothing here', '^components/queries/', '^components/(?!queries/)'),
    never(
      'what features share imports none of them',
      '^components/shared/',
      '^components/(?!ui/|queries/|shared/)',
    ),
    never('the time axis knows no timeline', '^components/time-axis/', '^components/(?!ui/|time-axis/)'),
    never('primitives know no words of the domain', '^components/ui/', '^lib/(?!kube/|format/|errors)'),
    never('the list page knows no list', '^components/list/', '^components/(?!ui/|queries/|shared/|list/)'),
    never(
      'no feature imports another',
      '^components/(?!ui/|queries/|shared/|list/|time-axis/)([^/]+)/',
      '^components/(?!ui/|queries/|shared/|list/|time-axis/|$1/)',
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
