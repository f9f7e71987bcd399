import type { Command } from '@/e2e/sandbox/kubectl-transcript';

export interface CommandList {
  readonly name: string;
  readonly namespace: string;
  readonly commands: readonly Command[];
}

type Kind = 'Deployment' | 'StatefulSet' | 'DaemonSet';

/** A manifest as people write it: without defaults. */
function workload(kind: Kind, name: string, image: string, spec: object = {}): string {
  const labels = { app: name };
  return JSON.stringify({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, labels, annotations: { 'kubernetes.io/change-cause': `release ${image}` } },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'app',
              image,
              ports: [{ name: 'http', containerPort: 8080 }],
              env: [{ name: 'MODE', value: 'calm' }],
              readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
              resources: { requests: { cpu: '0.1', memory: '64Mi' } },
              volumeMounts: [{ name: 'scratch', mountPath: '/tmp' }],
            },
          ],
          volumes: [{ name: 'scratch', emptyDir: {} }],
        },
      },
      ...spec,
    },
  });
}

const deployment = workload('Deployment', 'web', 'app:1', { replicas: 3 });
const statefulSet = workload('StatefulSet', 'db', 'db:1', { replicas: 3, serviceName: 'db' });
const daemonSet = workload('DaemonSet', 'agent', 'agent:1');

const reads: CommandList = {
  name: 'get and describe',
  namespace: 'reads',
  commands: [
    'create namespace reads',
    { run: 'apply -f -', input: deployment },
    { run: 'apply -f -', input: statefulSet },
    { run: 'apply -f -', input: daemonSet },
    'rollout status deployment/web',
    'rollout status sts/db',
    'rollout status ds/agent',
    'get namespaces reads',
    'get namespace reads -o yaml',
    'get deployments',
    'get deploy,rs,sts,ds,pods -o wide',
    'get all --show-labels',
    'get pods -A -l app=web',
    'get pods -l app!=web',
    'get pods --field-selector status.phase=Running',
    'get pods --chunk-size=2',
    'get cr -o wide',
    'get deployment web -o yaml',
    'get statefulset db -o yaml',
    'get daemonset agent -o yaml',
    'get controllerrevision -l app=db -o yaml',
    'get rs -l app=web -o yaml',
    'get nodes',
    'get deploy web --watch --request-timeout=1s',
    'get deploy web --watch-only --output-watch-events --request-timeout=1s',
    'describe deployment web',
    'describe rs -l app=web',
    'describe sts db',
    'describe ds agent',
    'describe controllerrevision -l app=db',
    'events --for=deployment/web',
    'get deployment missing',
    'get unheardof',
    'get pods --field-selector spec.nosuch=1',
    'get deploy web -o wide --show-managed-fields',
  ],
};

const changes: CommandList = {
  name: 'create, patch, set, scale, edit and label',
  namespace: 'changes',
  // prettier-ignore
  commands: [
    'create namespace changes',
    'create namespace changes',
    'create deployment web --image=app:1 --replicas=2 --port=8080',
    'create deployment Bad_Name --image=app:1',
    'create deployment dry --image=app:1 --dry-run=server -o yaml',
    'create configmap settings --from-literal=a=1',
    'get configmap settings -o yaml',
    { run: 'create -f -', input: statefulSet },
    { run: 'create -f -', input: daemonSet },
    { run: 'create -f -', input: daemonSet },
    'set image deployment/web app=app:2',
    'set image sts/db app=db:2',
    'set image ds/agent app=agent:2',
    'set image deployment/web nosuch=app:3',
    'set env deployment/web MODE=loud LEVEL-',
    'set resources deployment/web --limits=cpu=1,memory=128Mi --requests=cpu=500m',
    'get deployment web -o yaml',
    'scale deployment/web --replicas=4',
    'scale deployment/web --replicas=5 --current-replicas=3',
    'scale sts/db --replicas=2',
    'scale ds/agent --replicas=2',
    'get deployment web --subresource=scale -o yaml',
    'get deployment web --subresource=status',
    'patch deployment web -p {"spec":{"template":{"spec":{"containers":[{"name":"app","image":"app:3"}]}}}}',
    'patch deployment web --type=merge -p {"metadata":{"labels":{"team":"shop"}},"spec":{"progressDeadlineSeconds":900}}',
    'patch deployment web --type=json -p [{"op":"test","path":"/spec/replicas","value":4},{"op":"replace","path":"/spec/replicas","value":3}]',
    'patch deployment web --type=json -p [{"op":"test","path":"/spec/replicas","value":4},{"op":"replace","path":"/spec/replicas","value":5}]',
    'patch deployment web --type=json -p [{"op":"remove","path":"/spec/nosuch"}]',
    'patch deployment web -p {"spec":{"replicas":3}}',
    'patch deployment web -p {"spec":{"selector":{"matchLabels":{"app":"other"}}}}',
    'patch deployment web -p {"spec":{"replicas":-1}}',
    'patch deployment web -p {"spec":{"nosuch":1}}',
    'patch sts db -p {"spec":{"updateStrategy":{"rollingUpdate":{"partition":1}}}}',
    'patch sts db -p {"spec":{"serviceName":"other"}}',
    'patch ds agent -p {"spec":{"updateStrategy":{"type":"OnDelete"}}}',
    'patch ds agent -p {"spec":{"selector":{"matchLabels":{"app":"other"}},"template":{"metadata":{"labels":{"app":"other"}}}}}',
    'patch deployment web --type=merge -p {"spec":{"nosuch":1}}',
    'label deployment web tier=front',
    'label deployment web tier=back',
    'label deployment web tier=back --overwrite',
    'label deployment web tier-',
    'annotate deployment web note=here --overwrite',
    'edit deployment/web',
    'edit sts/db',
    'get deployment web -o yaml',
    'get sts db -o yaml',
    'get ds agent -o yaml',
    { run: 'create -f -', input: workload('Deployment', 'odd', 'app:1', { replicas: 'x' }) },
    { run: 'create -f -', input: workload('Deployment', 'odd', 'app:1', { wrong: 1 }) },
    { run: 'create -f -', input: workload('Deployment', 'odd', 'app:1', { selector: { matchLabels: { app: 'other' } } }) },
    { run: 'create -f -', input: workload('Deployment', 'odd', '', { replicas: 1 }) },
    { run: 'create -f -', input: workload('Deployment', 'odd', 'app:1', { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } }) },
    'create deployment nowhere --image=app:1 --namespace=absent',
  ],
};

const applies: CommandList = {
  name: 'apply and replace',
  namespace: 'applies',
  commands: [
    'create namespace applies',
    { run: 'apply -f -', input: deployment },
    { run: 'apply -f -', input: deployment },
    { run: 'diff -f -', input: deployment },
    { run: 'apply -f - --dry-run=server', input: workload('Deployment', 'web', 'app:2', { replicas: 2 }) },
    { run: 'apply -f -', input: workload('Deployment', 'web', 'app:2', { replicas: 2, paused: true }) },
    { run: 'apply -f -', input: workload('Deployment', 'web', 'app:3') },
    'get deployment web -o yaml',
    'apply view-last-applied deployment/web',
    { run: 'apply -f -', input: statefulSet },
    { run: 'apply -f -', input: workload('StatefulSet', 'db', 'db:2', { replicas: 2, serviceName: 'db' }) },
    {
      run: 'apply -f -',
      input: workload('StatefulSet', 'db', 'db:2', { replicas: 2, serviceName: 'other' }),
    },
    { run: 'apply -f -', input: daemonSet },
    { run: 'apply -f -', input: workload('DaemonSet', 'agent', 'agent:2') },
    'get sts db -o yaml',
    'get ds agent -o yaml',
    'create deployment made --image=app:1',
    { run: 'apply -f -', input: workload('Deployment', 'made', 'app:2') },
    { run: 'replace -f -', input: workload('Deployment', 'web', 'app:4', { replicas: 1 }) },
    { run: 'replace -f -', input: workload('Deployment', 'missing', 'app:4') },
    { run: 'replace --force -f -', input: workload('DaemonSet', 'agent', 'agent:3') },
    'get deployment web -o yaml',
    { run: 'delete -f -', input: deployment },
    { run: 'delete -f -', input: deployment },
  ],
};

const serverSide = (image: string, spec: object, ...args: string[]) => ({
  run: ['apply --server-side -f -', ...args].join(' '),
  input: workload('Deployment', 'web', image, spec),
});
const managedBy = (test: string) => `get deployment web -o jsonpath={.metadata.managedFields[?(@.${test})]}`;

const serverSideApplies: CommandList = {
  name: 'apply on the server',
  namespace: 'server-side',
  commands: [
    'create namespace server-side',
    serverSide('app:1', { replicas: 2 }),
    serverSide('app:1', { replicas: 2 }),
    managedBy('operation=="Apply"'),
    serverSide('app:2', { replicas: 2 }, '--dry-run=server', '-o=yaml'),
    serverSide('app:2', { replicas: 2, paused: true }),
    'get deployment web -o yaml',
    'set image deployment/web app=app:3',
    serverSide('app:4', { replicas: 2 }),
    managedBy('operation=="Apply"'),
    'patch deployment web --field-manager=patcher -p {"spec":{"replicas":3}}',
    serverSide('app:4', { replicas: 2 }),
    serverSide('app:3', { replicas: 3 }, '--field-manager=other'),
    serverSide('app:3', { replicas: 3 }),
    managedBy('manager=="kubectl-set"'),
    managedBy('manager=="other"'),
    serverSide('app:4', { replicas: 2 }),
    serverSide('app:4', { replicas: 2 }, '--force-conflicts'),
    serverSide('app:4', {}),
    managedBy('operation=="Apply"'),
    managedBy('operation=="Update"'),
    'get deployment web -o yaml',
    { run: 'apply --server-side -f -', input: statefulSet },
    {
      run: 'apply --server-side -f -',
      input: workload('StatefulSet', 'db', 'db:2', { replicas: 3, serviceName: 'x' }),
    },
    { run: 'apply --server-side -f -', input: daemonSet },
    { run: 'apply --server-side -f -', input: workload('DaemonSet', 'agent', 'agent:2') },
    'get ds agent -o yaml',
  ],
};

function rollout(kind: string, name: string, namespace: string, manifest: string): CommandList {
  const it = `${kind}/${name}`;
  return {
    name: `rollout of a ${kind}`,
    namespace,
    commands: [
      `create namespace ${namespace}`,
      { run: 'apply -f -', input: manifest },
      `rollout status ${it}`,
      `rollout history ${it}`,
      `set image ${it} app=app:2`,
      { run: `annotate ${it} --overwrite`, more: ['kubernetes.io/change-cause=second try'] },
      `rollout status ${it}`,
      // Later there are more than ten similar events, and which of them are combined depends on the moment.
      `describe ${it}`,
      `set env ${it} MODE=loud`,
      `rollout status ${it}`,
      `rollout history ${it}`,
      `rollout history ${it} --revision=1`,
      `rollout history ${it} --revision=2`,
      `rollout history ${it} --revision=2 -o yaml`,
      `rollout history ${it} --revision=9`,
      `rollout undo ${it} --dry-run=client`,
      `rollout undo ${it} --dry-run=server`,
      `rollout undo ${it}`,
      `rollout status ${it}`,
      `rollout history ${it}`,
      `rollout undo ${it} --to-revision=1`,
      `rollout status ${it}`,
      `rollout undo ${it} --to-revision=9`,
      `rollout history ${it}`,
      `rollout restart ${it}`,
      `rollout status ${it}`,
      `rollout history ${it}`,
      `rollout pause ${it}`,
      `rollout pause ${it}`,
      `set image ${it} app=app:3`,
      `rollout undo ${it}`,
      `rollout restart ${it}`,
      `get ${it} -o wide`,
      `rollout resume ${it}`,
      `rollout resume ${it}`,
      `rollout status ${it}`,
      `rollout history ${it}`,
      `describe ${it} --show-events=false`,
      `get ${it} -o yaml`,
      `rollout history ${kind}`,
      `rollout status ${it} --revision=1 --timeout=2s`,
    ],
  };
}

const failing: CommandList = {
  name: 'a rollout that gets stuck',
  namespace: 'failing',
  commands: [
    'create namespace failing',
    {
      run: 'apply -f -',
      input: workload('Deployment', 'web', 'app:1', { replicas: 3, progressDeadlineSeconds: 3 }),
    },
    'rollout status deployment/web',
    'set image deployment/web app=app:broken',
    'rollout status deployment/web --timeout=20s',
    'get deployment web -o wide',
    'get pods',
    'describe deployment web',
    'get deployment web -o yaml',
    'rollout undo deployment/web',
    'rollout status deployment/web --timeout=20s',
    'set image deployment/web app=app:hang',
    'get pods',
  ],
};

const deletions: CommandList = {
  name: 'delete, in each way',
  namespace: 'deletions',
  commands: [
    'create namespace deletions',
    ...[deployment, statefulSet, daemonSet].flatMap((input) => ({ run: 'apply -f -', input })),
    'delete deployment/web --cascade=orphan',
    'delete sts/db --cascade=orphan',
    'delete ds/agent --cascade=orphan',
    'get deploy,rs,sts,ds,pods,controllerrevisions',
    ...[deployment, statefulSet, daemonSet].flatMap((input) => ({ run: 'apply -f -', input })),
    'rollout history deployment/web',
    'get rs,pods -o wide',
    'get pods -l app=web -o jsonpath={.items[0].spec}',
    'get pods -l app=web -o jsonpath={.items[0].metadata.generation}',
    'delete deployment/web sts/db ds/agent',
    'wait --for=delete pod -l app=web --timeout=10s',
    'get all',
    ...[deployment, statefulSet, daemonSet].flatMap((input) => ({ run: 'apply -f -', input })),
    'delete pods -l app=db',
    'rollout status sts/db',
    'delete rs -l app=web',
    'get pods',
    'delete deployment,sts,ds --all --cascade=foreground',
    'get all',
    { run: 'apply -f -', input: deployment },
    'delete deployment web --dry-run=server',
    'delete deployment web --now',
    'delete deployment web --force',
    'delete deployment missing',
    'delete pods --all --grace-period=0 --force',
  ],
};

const access: CommandList = {
  name: 'auth, and what is refused',
  namespace: 'access',
  commands: [
    'create namespace access',
    { run: 'apply -f -', input: deployment },
    'auth whoami',
    { run: 'auth whoami', user: 'viewer' },
    'auth can-i create deployments',
    { run: 'auth can-i create deployments', user: 'viewer' },
    { run: 'auth can-i list deployments', user: 'viewer' },
    { run: 'auth can-i list secrets', user: 'viewer' },
    { run: 'auth can-i patch deployments', user: 'patcher' },
    { run: 'auth can-i update deployments', user: 'patcher' },
    { run: 'auth can-i patch deployments/web', user: 'patcher' },
    { run: 'auth can-i get pods --subresource=log', user: 'operator' },
    { run: 'auth can-i list deployments -A', user: 'reader-shop' },
    { run: 'auth can-i list deployments -n shop', user: 'reader-shop' },
    'auth can-i list deployments --as=viewer',
    { run: 'auth can-i list pods --as=admin', user: 'viewer' },
    'auth can-i --list',
    { run: 'auth can-i --list', user: 'operator' },
    { run: 'auth can-i --list', user: 'nobody' },
    { run: 'get deployments', user: 'nobody' },
    { run: 'get secrets', user: 'viewer' },
    { run: 'get deployments', user: 'reader-shop' },
    { run: 'delete deployment web', user: 'viewer' },
    { run: 'set image deployment/web app=app:2', user: 'viewer' },
    { run: 'set image deployment/web app=app:2', user: 'patcher' },
    { run: 'rollout undo deployment/web', user: 'patcher' },
    { run: 'scale deployment/web --replicas=2', user: 'viewer' },
    { run: 'get nodes', user: 'reader-shop' },
  ],
};

/** They read all namespaces, or have a deadline of seconds, so no other case may run meanwhile. */
export const ALONE: readonly CommandList[] = [reads, failing];

/** The other kubectl commands for workloads, in namespaces of their own. */
export const BESIDE_OTHERS: readonly CommandList[] = [
  changes,
  applies,
  serverSideApplies,
  rollout('deployment', 'web', 'rollout-deployment', deployment),
  rollout('statefulset', 'db', 'rollout-statefulset', statefulSet),
  rollout('daemonset', 'agent', 'rollout-daemonset', daemonSet),
  deletions,
  access,
];
