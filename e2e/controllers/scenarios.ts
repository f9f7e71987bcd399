import type { ClusterActor, Step } from '@/e2e/controllers/actor';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';

/** Steps after which two clusters must hold the same, by name. */
type Scenarios = Readonly<Record<string, readonly Step[]>>;

const labels = { app: 'web' };

function workload(kind: string, image: string, spec: JsonObject, annotations: JsonObject): JsonObject {
  const command = ['sh', '-c', 'test 1 -lt 2 && echo "<ok>"'];
  const resources = { requests: { cpu: '0.1', memory: '64Mi' } };
  const template = {
    metadata: { labels, annotations: { 'example.com/note': 'a & b' } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'app', image, command, resources }],
    },
  };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', annotations },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  };
}

type CreateManifest = (image: string, spec?: JsonObject, annotations?: JsonObject) => JsonObject;

const deployment: CreateManifest = (image, spec, annotations = {}) =>
  workload('Deployment', image, { replicas: 4, ...spec }, annotations);

const statefulSet: CreateManifest = (image, spec) => {
  const annotations = { 'kubernetes.io/change-cause': `to ${image}` };
  return workload('StatefulSet', image, { replicas: 3, serviceName: 'web', ...spec }, annotations);
};

const daemonSet: CreateManifest = (image, spec = {}) =>
  workload('DaemonSet', image, spec, { 'kubernetes.io/change-cause': `to ${image}` });

function withMemory(manifest: JsonObject, memory: string): JsonObject {
  return JSON.parse(JSON.stringify(manifest).replace('64Mi', memory)) as JsonObject;
}

function rolling(rollingUpdate: JsonObject): JsonObject {
  return { updateStrategy: { type: 'RollingUpdate', rollingUpdate } };
}

const onDelete = { updateStrategy: { type: 'OnDelete' } };

function ofEveryKind(kind: string, make: CreateManifest): Scenarios {
  const it = `${kind}/web`;
  const image = (tag: number | string) => `set image ${it} app=web:${tag}`;
  // The time of a restart is part of the template, and so of the hash of a StatefulSet's revision.
  const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-02T03:04:05Z' };
  const patch = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
  const limited = [2, 3, 4, 5].map(image);
  const scenarios: Scenarios = {
    create: [],
    'change and change back': [image(2), image(3), image(1)],
    'change during a rollout that hangs, then back': [image('hang'), image('broken'), image(1)],
    'undo, undo again, undo to a revision': [
      image(2),
      image(3),
      `rollout undo ${it}`,
      `rollout undo ${it}`,
      `rollout undo ${it} --to-revision=1`,
    ],
    'history limit 2, then 0': [
      make('web:1', { revisionHistoryLimit: 2 }),
      ...limited,
      make('web:6', { revisionHistoryLimit: 0 }),
    ],
    'the same template by two roads': [image(2), `set env ${it} A=1`, `set env ${it} A-`, make('web:1')],
    restart: [kind === 'statefulset' ? `patch ${it} -p ${patch}` : `rollout restart ${it}`],
    'orphan and adopt': [image(2), `delete ${it} --cascade=orphan`, make('web:1')],
    delete: [`delete ${it}`],
  };
  const begun = Object.entries(scenarios).map(([name, steps]) => {
    const isBegun = typeof steps[0] === 'object';
    return [`${kind}: ${name}`, isBegun ? steps : [make('web:1'), ...steps]];
  });
  return Object.fromEntries(begun) as Scenarios;
}

const strategy = (maxSurge: number | string, maxUnavailable: number | string) => ({
  replicas: 5,
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});
const setDeployment = (tag: number | string) => `set image deployment/web app=web:${tag}`;
const scaleDeployment = (replicas: number) => `scale deployment/web --replicas=${replicas}`;
const rollBackTo = (revision: number) =>
  `annotate deployment/web deprecated.deployment.rollback.to=${revision}`;

const ofDeployments: Scenarios = {
  'deployment: paused, changed, changed back to an old template, resumed': [
    deployment('web:1'),
    setDeployment(2),
    'rollout pause deployment/web',
    setDeployment(3),
    scaleDeployment(6),
    setDeployment(1),
    'rollout resume deployment/web',
  ],
  'deployment: undo is refused while paused': [
    deployment('web:1'),
    setDeployment(2),
    'rollout pause deployment/web',
    (actor) => actor.refused('rollout', 'undo', 'deployment/web'),
  ],
  'deployment: scaled during a rollout that hangs, up and down': [
    deployment('web:1', { replicas: 10 }),
    setDeployment('hang'),
    ...[17, 5, 8].map(scaleDeployment),
  ],
  'deployment: a ReplicaSet deleted by hand': [
    deployment('web:1'),
    setDeployment(2),
    setDeployment(3),
    remove('rs', ({ spec }) => JSON.stringify(spec).includes('"web:2"')),
    remove('rs', ({ spec }) => JSON.stringify(spec).includes('"web:3"')),
  ],
  // Beyond this, the reported progress depends on whether the controller was quick enough to see old pods.
  'deployment: surge, unavailability and Recreate': [
    deployment('web:1', strategy(0, 1)),
    deployment('web:hang', strategy(0, '30%')),
    deployment('web:hang', strategy('50%', 0)),
    deployment('web:2', { replicas: 5, strategy: { type: 'Recreate' } }),
  ],
  'deployment: annotations follow, change-cause after the fact too': [
    deployment('web:1', {}, { 'kubernetes.io/change-cause': 'first', team: 'a' }),
    'annotate deployment/web kubernetes.io/change-cause=late --overwrite',
    setDeployment(2),
    'annotate deployment/web kubernetes.io/change-cause=second new=1 team- --overwrite',
    'rollout undo deployment/web',
  ],
  'deployment: the old way to ask for a rollback': [
    deployment('web:1', {}, { 'kubernetes.io/change-cause': 'first' }),
    deployment('web:2', {}, { 'kubernetes.io/change-cause': 'second' }),
    ...[0, 99, 1, 3].map(rollBackTo),
  ],
  'deployment: a progress deadline that runs out, then a good template': [
    deployment('web:1', { progressDeadlineSeconds: 3, minReadySeconds: 1 }),
    setDeployment('hang'),
    until('ProgressDeadlineExceeded'),
    'rollout pause deployment/web',
    'rollout resume deployment/web',
    setDeployment(2),
    until('NewReplicaSetAvailable'),
  ],
  'deployment: another family of quantities is the same template, another order is not': [
    withMemory(deployment('web:1'), '1Ki'),
    withMemory(deployment('web:1'), '1024'),
    'set env deployment/web A=1 B=2',
    'set env deployment/web A-',
    'set env deployment/web A=1',
  ],
  'deployment: scaled to nothing and back': [
    deployment('web:1'),
    ...[0, 3, 0].map(scaleDeployment),
    setDeployment(2),
  ],
  'deployment: a pod of an unknown size, a node selector that fits nowhere': [
    deployment('web:1'),
    'set resources deployment/web --requests=cpu=100',
  ],
};

const setStateful = (tag: number | string) => `set image statefulset/web app=web:${tag}`;
const scaleStateful = (replicas: number) => `scale statefulset/web --replicas=${replicas}`;

const ofStatefulSets: Scenarios = {
  'statefulset: the partition moves down': [
    statefulSet('web:1', { replicas: 5, ...rolling({ partition: 0 }) }),
    ...[4, 2, 0].map((partition) => statefulSet('web:2', { replicas: 5, ...rolling({ partition }) })),
  ],
  'statefulset: a pod below the partition comes back as it was': [
    statefulSet('web:1', rolling({ partition: 2 })),
    setStateful(2),
    'delete pod web-0 web-2',
  ],
  'statefulset: OnDelete': [
    statefulSet('web:1', onDelete),
    setStateful(2),
    'delete pod web-1',
    setStateful(1),
    'delete pod web-0 web-2',
  ],
  'statefulset: an ordered rollout stays stuck after going back, until its pod is deleted': [
    statefulSet('web:1'),
    setStateful('hang'),
    'rollout undo statefulset/web',
    'delete pod web-2',
  ],
  'statefulset: parallel, with an offset, scaled up and down': [
    statefulSet('web:1', { podManagementPolicy: 'Parallel', ordinals: { start: 3 } }),
    setStateful('hang'),
    ...[6, 2].map(scaleStateful),
    setStateful(1),
  ],
  'statefulset: scaled down while a pod hangs': [
    statefulSet('web:1', { replicas: 4 }),
    setStateful('hang'),
    scaleStateful(2),
  ],
  'statefulset: a revision deleted by hand, then a change': [
    statefulSet('web:1'),
    setStateful(2),
    setStateful(3),
    remove('controllerrevision', ({ revision }) => revision === 2),
    remove('controllerrevision', ({ revision }) => revision === 3),
    'label pod web-0 touched=1',
    setStateful(4),
  ],
  'statefulset: without a rollingUpdate block': [
    statefulSet('web:1', { updateStrategy: { type: 'RollingUpdate' } }),
    setStateful(2),
    scaleStateful(5),
  ],
  'statefulset: another family of quantities is another revision': [
    withMemory(statefulSet('web:1'), '1Ki'),
    withMemory(statefulSet('web:1'), '1024'),
  ],
};

const setDaemon = (tag: number | string) => `set image daemonset/web app=web:${tag}`;
const onOneNode = { nodeSelector: { 'kubernetes.io/hostname': 'worker-2' } };

const ofDaemonSets: Scenarios = {
  'daemonset: OnDelete half done': [
    daemonSet('web:1', onDelete),
    setDaemon(2),
    remove('pod', (_, index) => index === 0),
  ],
  'daemonset: a surge': [
    daemonSet('web:1', rolling({ maxSurge: 1, maxUnavailable: 0 })),
    ...[2, 'hang', 3].map(setDaemon),
  ],
  'daemonset: half of the nodes at a time': [
    daemonSet('web:1', rolling({ maxUnavailable: '50%' })),
    setDaemon('hang'),
  ],
  'daemonset: a revision deleted by hand': [
    daemonSet('web:1'),
    setDaemon(2),
    setDaemon(3),
    remove('controllerrevision', ({ revision }) => revision === 1),
    remove('controllerrevision', ({ revision }) => revision === 3),
  ],
  'daemonset: a copy of the present revision under a higher number': [
    daemonSet('web:1'),
    setDaemon(2),
    copyRevision,
  ],
  'daemonset: only some nodes': [
    daemonSet('web:1'),
    `patch daemonset/web -p ${JSON.stringify({ spec: { template: { spec: onOneNode } } })}`,
  ],
};

export const SCENARIOS = Object.entries({
  ...ofEveryKind('deployment', deployment),
  ...ofEveryKind('statefulset', statefulSet),
  ...ofEveryKind('daemonset', daemonSet),
  ...ofDeployments,
  ...ofStatefulSets,
  ...ofDaemonSets,
});

async function list(actor: ClusterActor, kind: string): Promise<KubeObject[]> {
  return (JSON.parse(await actor.kubectl('get', kind, '-o', 'json')) as { items: KubeObject[] }).items;
}

/** Deletes the objects of a kind that are meant. */
function remove(kind: string, isMeant: (object: KubeObject, index: number) => boolean): Step {
  return async (actor) => {
    for (const { metadata } of (await list(actor, kind)).filter(isMeant))
      await actor.kubectl('delete', kind, metadata.name);
  };
}

/** By kubectl, which writes JSON as the controllers do: they compare bytes. */
async function copyRevision(actor: ClusterActor): Promise<void> {
  const revisions = await list(actor, 'controllerrevisions');
  const newest = revisions.find(({ revision }) => revision === 2);
  const { labels: own, ownerReferences } = newest?.metadata ?? {};
  const metadata = {
    name: 'web-copied',
    labels: { ...own, 'controller-revision-hash': 'copied' },
    ownerReferences,
  };
  await actor.create({ ...newest, metadata, revision: 7 });
}

function until(reason: string): Step {
  return async (actor) => {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      if (JSON.stringify(await list(actor, 'deployments')).includes(`"reason":"${reason}"`)) return;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
    throw new Error(`The Deployment never said ${reason}.`);
  };
}
