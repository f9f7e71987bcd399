import type { RawCall } from '@/e2e/sandbox/api-server';

/**
 * The requests, in order; a string is a GET. `$RV` is the version of the first list, `$CONTINUE` the latest token.
 * Some compare only the code, because their message quotes a parser.
 */
export type AnswerCase = string | (RawCall & { readonly codeOnly?: true });

const APPS = '/apis/apps/v1/namespaces/asks';
const CORE = '/api/v1/namespaces/asks';
const WEB = `${APPS}/deployments/web`;
const MAP = `${CORE}/configmaps/m1`;
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const STRATEGIC = 'application/strategic-merge-patch+json';

const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      {
        name: 'app',
        image: 'app:1',
        env: [
          { name: 'A', value: 'a' },
          { name: 'B', value: 'b' },
        ],
        ports: [{ containerPort: 80 }, { containerPort: 81, name: 'admin' }],
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
      },
      { name: 'side', image: 'side:1' },
    ],
    volumes: [
      { name: 'v', emptyDir: {} },
      { name: 'w', configMap: { name: 'c' } },
    ],
    tolerations: [{ key: 'a', operator: 'Exists' }],
  },
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', finalizers: ['example.com/hold'], annotations: { a: '1' } },
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
};
const configMap = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { odd: String(Number(name.slice(1)) % 2) } },
  data: { key: name },
  ...more,
});
const create = (path: string, body: object): RawCall => ({ method: 'POST', path, body });
const patch = (path: string, type: string, body: string | object): RawCall => ({
  method: 'PATCH',
  path,
  type,
  body,
});
const APPLIED = `${APPS}/deployments/applied`;
/** By a manager, with further parameters. */
const apply = (manager: string, spec: object, metadata: object = {}) =>
  patch(`${APPLIED}?fieldManager=${manager}`, APPLY, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'applied', ...metadata },
    spec,
  });
const inTemplate = (...containers: object[]) => ({ template: { spec: { containers } } });
const env = (...names: string[]) => ({ env: names.map((name) => ({ name, value: name })) });
const app = (image: string, more: object = {}) => ({
  selector: { matchLabels: { app: 'applied' } },
  template: {
    metadata: { labels: { app: 'applied' } },
    spec: { containers: [{ name: 'app', image, ports: [{ containerPort: 80 }], ...more }] },
  },
});
const put = (path: string, body: object): RawCall => ({ method: 'PUT', path, body });
const onlyCode = (answerCase: string | RawCall): AnswerCase => ({
  ...(typeof answerCase === 'string' ? { method: 'GET', path: answerCase } : answerCase),
  codeOnly: true,
});
const remove = (path: string, body?: object): RawCall => ({
  method: 'DELETE',
  path,
  ...(body === undefined ? {} : { body }),
});
const strategic = (spec: object) => patch(WEB, STRATEGIC, { spec: { template: { spec } } });
const json = (...operations: object[]) => patch(MAP, JSON_PATCH, operations);

export const ANSWER_CASES: Readonly<Record<string, readonly AnswerCase[]>> = {
  'lists in pages, by selector and by version': [
    ...[1, 2, 3, 4, 5].map((number) => create(`${CORE}/configmaps`, configMap(`m${number}`))),
    `${CORE}/configmaps?labelSelector=odd`,
    `${CORE}/configmaps?labelSelector=odd&limit=2`,
    `${CORE}/configmaps?labelSelector=odd&limit=2&continue=$CONTINUE`,
    `${CORE}/configmaps?limit=100`,
    `${CORE}/configmaps?labelSelector=odd%3D1`,
    `${CORE}/configmaps?labelSelector=odd%20in%20(0),odd!%3D1`,
    `${CORE}/configmaps?labelSelector=odd%20notin%20(0),odd`,
    `${CORE}/configmaps?labelSelector=!odd&fieldSelector=metadata.name%3Dm1`,
    `${CORE}/configmaps?fieldSelector=metadata.name%3Dm2`,
    `${CORE}/configmaps?fieldSelector=metadata.name!%3Dm2,metadata.namespace%3Dasks&labelSelector=odd`,
    `${CORE}/configmaps?fieldSelector=data.key%3Dm2`,
    onlyCode(`${CORE}/configmaps?continue=nonsense`),
    `${CORE}/configmaps?resourceVersion=0&labelSelector=odd`,
    `${CORE}/configmaps?resourceVersion=nonsense`,
    `${CORE}/configmaps?resourceVersion=99999999`,
    `${CORE}/configmaps?resourceVersion=$RV&resourceVersionMatch=Exact&labelSelector=odd`,
    `${CORE}/configmaps?resourceVersion=$RV&resourceVersionMatch=NotOlderThan&labelSelector=odd`,
    `${MAP}?resourceVersion=99999999`,
    `${MAP}?resourceVersion=0`,
  ],
  watches: [
    `${CORE}/configmaps?watch=1&timeoutSeconds=1&labelSelector=odd%3D1`,
    `${CORE}/configmaps?watch=1&timeoutSeconds=1&resourceVersion=0&labelSelector=odd%3D1`,
    `${CORE}/configmaps?watch=1&timeoutSeconds=1&resourceVersion=$RV`,
    put(MAP, configMap('m1', { data: { key: 'other' } })),
    put(MAP, configMap('m1', { metadata: { name: 'm1' }, data: { key: 'third' } })),
    remove(`${CORE}/configmaps/m5`),
    `${CORE}/configmaps?watch=1&timeoutSeconds=1&resourceVersion=$RV&labelSelector=odd%3D1`,
    `${CORE}/configmaps?watch=1&timeoutSeconds=1&resourceVersion=$RV&fieldSelector=metadata.name%3Dm1`,
    `${MAP}?watch=1&timeoutSeconds=1&resourceVersion=$RV`,
    `${CORE}/configmaps?watch=1&timeoutSeconds=1&resourceVersion=1`,
    `${CORE}/configmaps?watch=1&timeoutSeconds=1&resourceVersion=99999999`,
    `${CORE}/configmaps?watch=1&timeoutSeconds=1&resourceVersionMatch=NotOlderThan&sendInitialEvents=true&allowWatchBookmarks=true&labelSelector=odd`,
    `${CORE}/configmaps?watch=1&timeoutSeconds=1&sendInitialEvents=true`,
    `${CORE}/configmaps?watch=1&timeoutSeconds=1&resourceVersion=$RV&sendInitialEvents=false`,
  ],
  'JSON patches': [
    create(`${CORE}/configmaps`, configMap('m6')),
    json({ op: 'test', path: '/data/key', value: 'third' }, { op: 'add', path: '/data/new', value: 'n' }),
    json({ op: 'test', path: '/data/key', value: 'wrong' }, { op: 'add', path: '/data/never', value: 'n' }),
    json({ op: 'replace', path: '/data/new', value: 'r' }),
    json({ op: 'replace', path: '/data/none', value: 'r' }),
    json({ op: 'copy', from: '/data/new', path: '/data/copied' }),
    json({ op: 'move', from: '/data/new', path: '/data/moved' }),
    json({ op: 'remove', path: '/data/copied' }),
    json({ op: 'remove', path: '/data/copied' }),
    json({ op: 'move', from: '/data/none', path: '/data/moved' }),
    json({ op: 'add', path: '/metadata/finalizers', value: ['example.com/a'] }),
    json({ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/b' }),
    json({ op: 'add', path: '/metadata/finalizers/0', value: 'example.com/c' }),
    json({ op: 'add', path: '/metadata/finalizers/9', value: 'example.com/d' }),
    json({ op: 'remove', path: '/metadata/finalizers/1' }),
    json({ op: 'remove', path: '/metadata/finalizers' }),
    json({ op: 'nothing', path: '/data' }),
    json({ op: 'add', path: 'data/x', value: '' }),
    json({ op: 'add', path: '/data/x' }),
    json({ op: 'add', path: '/nosuch', value: 1 }),
    json({ op: 'test', path: '/metadata/resourceVersion', value: '1' }),
    json({ op: 'replace', path: '/metadata/resourceVersion', value: '1' }),
    json({ op: 'replace', path: '/metadata/name', value: 'other' }),
    patch(MAP, JSON_PATCH, '{}'),
    onlyCode(patch(MAP, JSON_PATCH, 'nonsense')),
    patch(MAP, JSON_PATCH, []),
    patch(`${CORE}/configmaps/m6`, JSON_PATCH, [
      { op: 'add', path: '/metadata/annotations', value: { 'a.example/b': '1' } },
      { op: 'replace', path: '/metadata/annotations/a.example~1b', value: '2' },
    ]),
    patch(`${CORE}/configmaps/none`, JSON_PATCH, []),
  ],
  'merge patches': [
    patch(MAP, MERGE, { data: { key: null, more: 'm' }, metadata: { labels: { odd: null } } }),
    patch(MAP, MERGE, { data: null }),
    patch(MAP, MERGE, '[]'),
    onlyCode(patch(MAP, MERGE, 'nonsense')),
    patch(MAP, 'application/nonsense', {}),
    patch(MAP, MERGE, { metadata: { resourceVersion: '1' } }),
  ],
  // prettier-ignore
  'strategic merges, by the keys of the lists': [
    create(`${APPS}/deployments`, deployment),
    strategic({ containers: [{ name: 'app', image: 'app:2' }] }),
    strategic({ containers: [{ name: 'app', env: [{ name: 'B', value: 'bb' }, { name: 'C', value: 'c' }] }] }),
    strategic({ containers: [{ name: 'app', env: [{ name: 'A', $patch: 'delete' }] }] }),
    strategic({ containers: [{ name: 'app', env: [{ $patch: 'replace' }, { name: 'Z', value: 'z' }] }] }),
    strategic({ containers: [{ name: 'app', ports: [{ containerPort: 81, name: 'metrics' }] }] }),
    strategic({ containers: [{ name: 'side', $patch: 'delete' }] }),
    strategic({ '$setElementOrder/containers': [{ name: 'first' }, { name: 'app' }], containers: [{ name: 'first', image: 'first:1' }] }),
    strategic({ containers: [{ name: 'app', volumeMounts: [{ mountPath: '/v', readOnly: true }] }] }),
    strategic({ volumes: [{ name: 'w', emptyDir: {}, configMap: null }] }),
    strategic({ volumes: [{ name: 'w', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] }),
    strategic({ tolerations: [{ key: 'b', operator: 'Exists' }] }),
    strategic({ imagePullSecrets: [{ name: 'a' }, { name: 'b' }] }),
    strategic({ imagePullSecrets: [{ name: 'c' }] }),
    strategic({ hostAliases: [{ ip: '1.1.1.1', hostnames: ['a'] }] }),
    strategic({ hostAliases: [{ ip: '1.1.1.1', hostnames: ['b'] }, { ip: '2.2.2.2', hostnames: ['c'] }] }),
    strategic({ securityContext: { $patch: 'delete' } }),
    patch(WEB, STRATEGIC, { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/hold'] } }),
    patch(WEB, STRATEGIC, { metadata: { finalizers: ['example.com/two', 'example.com/three'] } }),
    patch(WEB, STRATEGIC, { metadata: { annotations: null, finalizers: null } }),
    patch(WEB, STRATEGIC, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }),
    onlyCode(patch(WEB, STRATEGIC, 'nonsense')),
    patch(WEB, STRATEGIC, '[]'),
    WEB,
  ],
  // prettier-ignore
  'server-side apply, by owners of fields': [
    patch(APPLIED, APPLY, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'applied' } }),
    apply('helm', app('app:1', { ...env('A', 'B', 'C'), resources: { limits: { cpu: '0.5', memory: '64Mi' } } }), { labels: { a: '1', b: '2' } }),
    apply('helm', app('app:1', { ...env('A', 'B', 'C'), resources: { limits: { cpu: '0.5', memory: '64Mi' } } }), { labels: { a: '1', b: '2' } }),
    apply('helm&dryRun=All', app('app:2')),
    apply('other', inTemplate({ name: 'app', ...env('B') }), { labels: { b: '2' } }),
    apply('helm', app('app:1', env('A')), { labels: { a: '1' } }),
    patch(`${APPLIED}?fieldManager=shiplog`, STRATEGIC, { spec: inTemplate({ name: 'app', image: 'app:0', ...env('Z') }, { name: 'side', image: 'side:1' }) }),
    apply('helm', app('app:2', env('A'))),
    apply('helm', app('app:0', env('A', 'Z'))),
    patch(`${APPLIED}?fieldManager=scaler`, MERGE, { spec: { replicas: 3, paused: true }, metadata: { annotations: { note: 'x' } } }),
    apply('helm', { ...app('app:2', env('C', 'A', 'D')), replicas: 1, paused: false }),
    apply('third', { replicas: 3, ...inTemplate({ name: 'app', image: 'app:0' }) }),
    apply('helm', { ...app('app:2', env('C', 'A', 'D')), replicas: 1 }),
    apply('helm&force=true', { ...app('app:2', env('C', 'A', 'D')), replicas: 1 }),
    apply('helm', app('app:2', { ...env('A'), ports: [{ containerPort: 81 }, { containerPort: 80, protocol: 'UDP' }], readinessProbe: { httpGet: { path: '/', port: 80 } } })),
    apply('helm', { ...app('app:2'), ...{ strategy: { type: 'Recreate' }, minReadySeconds: 5 } }),
    apply('helm', app('app:2', { resources: {}, command: ['a', 'b'] }), { annotations: {}, finalizers: ['example.com/a'] }),
    apply('helm', app('app:2', { command: ['a'] })),
    apply('shiplog', inTemplate({ name: 'side', image: 'side:2' })),
    apply('shiplog&force=true', inTemplate({ name: 'side', image: 'side:2' })),
    apply('shiplog', {}),
    patch(`${APPLIED}?fieldManager=shiplog`, STRATEGIC, { spec: inTemplate({ name: 'app', image: 'app:0' }) }),
    patch(`${APPLIED}?fieldManager=shiplog`, JSON_PATCH, [{ op: 'remove', path: '/metadata/managedFields/0' }]),
    patch(`${APPLIED}/status?fieldManager=controller`, APPLY, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'applied' }, spec: { replicas: 9 }, status: { replicas: 2 } }),
    apply('helm', app('app:3'), { resourceVersion: '1' }),
    apply('helm', app('app:3'), { managedFields: [] }),
    onlyCode(patch(`${APPLIED}?fieldManager=helm`, APPLY, 'a: [')),
    patch(`${APPLIED}?fieldManager=helm`, APPLY, 'apiVersion: apps/v1\nkind: Deployment\nmetadata: { name: applied }\nspec: { replicas: 4 }\n'),
    patch(`${APPLIED}?fieldManager=shiplog`, MERGE, { spec: { replicas: 4 } }),
    patch(`${APPLIED}?fieldManager=shiplog`, JSON_PATCH, [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }]),
    APPLIED,
    remove(APPLIED),
  ],
  // prettier-ignore
  'subresources, updates and conflicts': [
    `${WEB}/scale`,
    put(`${WEB}/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web', namespace: 'asks' }, spec: { replicas: 5 } }),
    put(`${WEB}/scale`, {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'web', namespace: 'asks', resourceVersion: '1' },
      spec: { replicas: 6 },
    }),
    patch(`${WEB}/scale`, MERGE, { spec: { replicas: 3 } }),
    patch(`${WEB}/scale`, MERGE, { spec: { replicas: -3 } }),
    patch(`${WEB}/status`, MERGE, { spec: { replicas: 9 }, status: { replicas: 3, observedGeneration: 1 } }),
    put(WEB, { ...deployment, metadata: { name: 'web', resourceVersion: '1' } }),
    put(WEB, { ...deployment, metadata: { name: 'other' } }),
    put(WEB, { ...deployment, metadata: { name: 'web', namespace: 'elsewhere' } }),
    put(`${APPS}/deployments/none`, { ...deployment, metadata: { name: 'none' } }),
    put(WEB, { ...deployment, metadata: { name: 'web' }, spec: { ...deployment.spec, selector: { matchLabels: { app: 'x' } } } }),
    put(WEB, { ...deployment, metadata: { name: 'web' } }),
    put(`${WEB}?dryRun=All`, { ...deployment, metadata: { name: 'web' }, spec: { ...deployment.spec, replicas: 7 } }),
    { ...create(`${APPS}/deployments?dryRun=All`, { ...deployment, metadata: { name: 'dry' } }) },
    `${APPS}/deployments/dry`,
    create(`${APPS}/controllerrevisions`, { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'r' }, data: { a: 1 }, revision: 1 }),
    patch(`${APPS}/controllerrevisions/r`, MERGE, { data: { a: 2 } }),
    patch(`${APPS}/controllerrevisions/r`, MERGE, { revision: 4 }),
    create(`${APPS}/controllerrevisions`, { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 's' }, revision: 1 }),
    remove(WEB, { preconditions: { uid: 'other' } }),
    remove(`${WEB}?dryRun=All`),
    remove(WEB, { propagationPolicy: 'Foreground', gracePeriodSeconds: 0 }),
    remove(`${CORE}/configmaps/m2`),
    remove(`${CORE}/configmaps/m2`),
    remove(`${CORE}/configmaps?labelSelector=odd%3D1`),
  ],
  'what is malformed, unknown or not offered': [
    `${APPS}/unheardofs`,
    '/apis/apps/v9/deployments',
    '/apis/nosuch.example/v1/things',
    '/apis/apps/v1/namespaces/asks/deployments/web/nosuch',
    '/nosuch',
    '/apis/nosuch.example',
    onlyCode(create(`${APPS}/deployments`, { ...deployment, kind: 'StatefulSet' })),
    onlyCode(create(`${APPS}/deployments`, { ...deployment, apiVersion: 'apps/v9' })),
    create(`${APPS}/deployments`, { ...deployment, metadata: { name: 'x', namespace: 'elsewhere' } }),
    create(`${APPS}/deployments`, { ...deployment, metadata: {} }),
    create(`${APPS}/deployments`, { ...deployment, metadata: { name: 'x', resourceVersion: '1' } }),
    create('/apis/apps/v1/namespaces/absent/deployments', { ...deployment, metadata: { name: 'x' } }),
    create(`${APPS}/deployments?fieldValidation=Strict`, {
      ...deployment,
      metadata: { name: 'x' },
      nosuch: 1,
      spec: { ...deployment.spec, extra: 1 },
    }),
    create(`${APPS}/deployments`, { ...deployment, metadata: { name: 'warned' }, nosuch: 1 }),
    create(`${APPS}/deployments?fieldValidation=Ignore`, {
      ...deployment,
      metadata: { name: 'ignored' },
      nosuch: 1,
    }),
    onlyCode({ method: 'POST', path: `${APPS}/deployments`, body: 'nonsense' }),
    onlyCode({ method: 'POST', path: `${APPS}/deployments`, body: 'a: 1', type: 'application/nonsense' }),
    { method: 'PUT', path: `${APPS}/deployments`, body: {} },
    onlyCode({ method: 'GET', path: WEB, accept: 'application/nonsense' }),
    { method: 'DELETE', path: '/apis/apps/v1/deployments' },
    { method: 'POST', path: WEB, body: {} },
  ],
};
