import { type ClusterActor } from '@/e2e/controllers/actor';
import { type JsonObject } from '@/lib/kube/json';

/** Actions on workloads, after which two clusters must hold the same. */
export interface Scenario {
  readonly name: string;
  /** Returns the output where that matters too. */
  play(actor: ClusterActor): Promise<string | void>;
}

const labels = { app: 'web' };

function deployment(image: string, spec: JsonObject = {}, annotations: Record<string, string> = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', annotations },
    spec: { replicas: 4, selector: { matchLabels: labels }, template: template(image), ...spec },
  };
}

function statefulSet(image: string, spec: JsonObject = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'web', annotations: { 'kubernetes.io/change-cause': `to ${image}` } },
    spec: {
      replicas: 3,
      serviceName: 'web',
      selector: { matchLabels: labels },
      template: template(image),
      ...spec,
    },
  };
}

function daemonSet(image: string, spec: JsonObject = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'web', annotations: { 'kubernetes.io/change-cause': `to ${image}` } },
    spec: { selector: { matchLabels: labels }, template: template(image), ...spec },
  };
}

function template(image: string): JsonObject {
  const command = ['sh', '-c', 'test 1 -lt 2 && echo "<ok>"'];
  return {
    metadata: { labels, annotations: { 'example.com/note': 'a & b' } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'app', image, command, resources: { requests: { cpu: '0.1', memory: '64Mi' } } }],
    },
  };
}

type CreateManifest = (image: string, spec?: JsonObject) => object;

const KINDS: readonly [kind: string, make: CreateManifest][] = [
  ['deployment', deployment],
  ['statefulset', statefulSet],
  ['daemonset', daemonSet],
];

/** Sets the image in the template, as people do. */
function setImage(kind: string, image: string): (actor: ClusterActor) => Promise<void> {
  return async (actor) => {
    await actor.kubectl('set', 'image', `${kind}/web`, `app=${image}`);
    await actor.settle();
  };
}

async function begin(actor: ClusterActor, manifest: object): Promise<void> {
  await actor.apply(manifest);
  await actor.settle();
}

const ofEveryKind: Scenario[] = KINDS.flatMap(([kind, make]): Scenario[] => [
  { name: `${kind}: create`, play: (actor) => begin(actor, make('web:1')) },
  {
    name: `${kind}: change and change back`,
    play: async (actor) => {
      await begin(actor, make('web:1'));
      for (const image of ['web:2', 'web:3', 'web:1']) await setImage(kind, image)(actor);
    },
  },
  {
    name: `${kind}: change during a rollout that hangs, then back`,
    play: async (actor) => {
      await begin(actor, make('web:1'));
      for (const image of ['web:hang', 'web:broken']) await setImage(kind, image)(actor);
      await setImage(kind, 'web:1')(actor);
    },
  },
  {
    name: `${kind}: undo, undo again, undo to a revision`,
    play: async (actor) => {
      await begin(actor, make('web:1'));
      for (const image of ['web:2', 'web:3']) await setImage(kind, image)(actor);
      for (const to of [[], [], ['--to-revision=1']]) {
        await actor.kubectl('rollout', 'undo', `${kind}/web`, ...to);
        await actor.settle();
      }
    },
  },
  {
    name: `${kind}: history limit 2, then 0`,
    play: async (actor) => {
      await begin(actor, make('web:1', { revisionHistoryLimit: 2 }));
      for (const number of [2, 3, 4, 5]) await setImage(kind, `web:${number}`)(actor);
      await begin(actor, make('web:6', { revisionHistoryLimit: 0 }));
    },
  },
  {
    name: `${kind}: the same template by two roads`,
    play: async (actor) => {
      await begin(actor, make('web:1'));
      await setImage(kind, 'web:2')(actor);
      await actor.kubectl('set', 'env', `${kind}/web`, 'A=1');
      await actor.settle();
      await actor.kubectl('set', 'env', `${kind}/web`, 'A-');
      await actor.settle();
      await begin(actor, make('web:1'));
    },
  },
  {
    name: `${kind}: restart`,
    play: async (actor) => {
      await begin(actor, make('web:1'));
      // The time of a restart is part of the template, and so of the hash of a StatefulSet's revision.
      const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-02T03:04:05Z' };
      const patch = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
      if (kind === 'statefulset') await actor.kubectl('patch', `${kind}/web`, '-p', patch);
      else await actor.kubectl('rollout', 'restart', `${kind}/web`);
      await actor.settle();
    },
  },
  {
    name: `${kind}: orphan and adopt`,
    play: async (actor) => {
      await begin(actor, make('web:1'));
      await setImage(kind, 'web:2')(actor);
      await actor.kubectl('delete', `${kind}/web`, '--cascade=orphan');
      await actor.settle();
      await begin(actor, make('web:1'));
    },
  },
  {
    name: `${kind}: delete`,
    play: async (actor) => {
      await begin(actor, make('web:1'));
      await actor.kubectl('delete', `${kind}/web`);
      await actor.settle();
    },
  },
]);

const ofDeployments: Scenario[] = [
  {
    name: 'deployment: paused, changed, changed back to an old template, resumed',
    play: async (actor) => {
      await begin(actor, deployment('web:1'));
      await setImage('deployment', 'web:2')(actor);
      await actor.kubectl('rollout', 'pause', 'deployment/web');
      await setImage('deployment', 'web:3')(actor);
      await actor.kubectl('scale', 'deployment/web', '--replicas=6');
      await actor.settle();
      await setImage('deployment', 'web:1')(actor);
      await actor.kubectl('rollout', 'resume', 'deployment/web');
      await actor.settle();
    },
  },
  {
    name: 'deployment: undo is refused while paused',
    play: async (actor) => {
      await begin(actor, deployment('web:1'));
      await setImage('deployment', 'web:2')(actor);
      await actor.kubectl('rollout', 'pause', 'deployment/web');
      await actor.settle();
      const output = await actor.refused('rollout', 'undo', 'deployment/web');
      await actor.settle();
      return output;
    },
  },
  {
    name: 'deployment: scaled during a rollout that hangs, up and down',
    play: async (actor) => {
      await begin(actor, deployment('web:1', { replicas: 10 }));
      await setImage('deployment', 'web:hang')(actor);
      for (const replicas of [17, 5, 8]) {
        await actor.kubectl('scale', 'deployment/web', `--replicas=${replicas}`);
        await actor.settle();
      }
    },
  },
  {
    name: 'deployment: a ReplicaSet deleted by hand',
    play: async (actor) => {
      await begin(actor, deployment('web:1'));
      for (const image of ['web:2', 'web:3']) await setImage('deployment', image)(actor);
      const sets = JSON.parse(await actor.kubectl('get', 'rs', '-o', 'json')) as {
        items: {
          metadata: { name: string };
          spec: { template: { spec: { containers: { image: string }[] } } };
        }[];
      };
      const named = (image: string) =>
        sets.items.find(({ spec }) => spec.template.spec.containers[0]?.image === image)?.metadata.name ?? '';
      await actor.kubectl('delete', 'rs', named('web:2'));
      await actor.settle();
      await actor.kubectl('delete', 'rs', named('web:3'));
      await actor.settle();
    },
  },
  {
    name: 'deployment: surge, unavailability and Recreate',
    play: async (actor) => {
      const strategy = (maxSurge: number | string, maxUnavailable: number | string) => ({
        replicas: 5,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
      });
      await begin(actor, deployment('web:1', strategy(0, 1)));
      await begin(actor, deployment('web:hang', strategy(0, '30%')));
      await begin(actor, deployment('web:hang', strategy('50%', 0)));
      await begin(actor, deployment('web:2', { replicas: 5, strategy: { type: 'Recreate' } }));
      // Beyond this, the reported progress depends on whether the controller was quick enough to see old pods.
    },
  },
  {
    name: 'deployment: annotations follow, change-cause after the fact too',
    play: async (actor) => {
      await begin(actor, deployment('web:1', {}, { 'kubernetes.io/change-cause': 'first', team: 'a' }));
      await actor.kubectl('annotate', 'deployment/web', 'kubernetes.io/change-cause=late', '--overwrite');
      await actor.settle();
      await setImage('deployment', 'web:2')(actor);
      await actor.kubectl(
        'annotate',
        'deployment/web',
        'kubernetes.io/change-cause=second',
        'new=1',
        'team-',
        '--overwrite',
      );
      await actor.settle();
      await actor.kubectl('rollout', 'undo', 'deployment/web');
      await actor.settle();
    },
  },
  {
    name: 'deployment: the old way to ask for a rollback',
    play: async (actor) => {
      await begin(actor, deployment('web:1', {}, { 'kubernetes.io/change-cause': 'first' }));
      await begin(actor, deployment('web:2', {}, { 'kubernetes.io/change-cause': 'second' }));
      for (const number of ['0', '99', '1', '3']) {
        await actor.kubectl('annotate', 'deployment/web', `deprecated.deployment.rollback.to=${number}`);
        await actor.settle();
      }
    },
  },
  {
    name: 'deployment: a progress deadline that runs out, then a good template',
    play: async (actor) => {
      await begin(actor, deployment('web:1', { progressDeadlineSeconds: 3, minReadySeconds: 1 }));
      await setImage('deployment', 'web:hang')(actor);
      await waitForCondition(actor, 'ProgressDeadlineExceeded');
      await actor.settle();
      await actor.kubectl('rollout', 'pause', 'deployment/web');
      await actor.settle();
      await actor.kubectl('rollout', 'resume', 'deployment/web');
      await actor.settle();
      await setImage('deployment', 'web:2')(actor);
      await waitForCondition(actor, 'NewReplicaSetAvailable');
      await actor.settle();
    },
  },
  {
    name: 'deployment: another family of quantities is the same template, another order is not',
    play: async (actor) => {
      const withMemory = (memory: string) => {
        const manifest = deployment('web:1') as { spec: { template: JsonObject } };
        const text = JSON.stringify(manifest).replace('64Mi', memory);
        return JSON.parse(text) as object;
      };
      await begin(actor, withMemory('1Ki'));
      await begin(actor, withMemory('1024'));
      await actor.kubectl('set', 'env', 'deployment/web', 'A=1', 'B=2');
      await actor.settle();
      await actor.kubectl('set', 'env', 'deployment/web', 'A-');
      await actor.settle();
      await actor.kubectl('set', 'env', 'deployment/web', 'A=1');
      await actor.settle();
    },
  },
  {
    name: 'deployment: scaled to nothing and back',
    play: async (actor) => {
      await begin(actor, deployment('web:1'));
      for (const replicas of [0, 3]) {
        await actor.kubectl('scale', 'deployment/web', `--replicas=${replicas}`);
        await actor.settle();
      }
      await actor.kubectl('scale', 'deployment/web', '--replicas=0');
      await actor.settle();
      await setImage('deployment', 'web:2')(actor);
    },
  },
  {
    name: 'deployment: a pod of an unknown size, a node selector that fits nowhere',
    play: async (actor) => {
      await begin(actor, deployment('web:1'));
      await actor.kubectl('set', 'resources', 'deployment/web', '--requests=cpu=100');
      await actor.settle();
    },
  },
];

const ofStatefulSets: Scenario[] = [
  {
    name: 'statefulset: the partition moves down',
    play: async (actor) => {
      const at = (image: string, partition: number) =>
        statefulSet(image, {
          replicas: 5,
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
        });
      await begin(actor, at('web:1', 0));
      for (const partition of [4, 2, 0]) await begin(actor, at('web:2', partition));
    },
  },
  {
    name: 'statefulset: a pod below the partition comes back as it was',
    play: async (actor) => {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
      await begin(actor, statefulSet('web:1', { updateStrategy }));
      await setImage('statefulset', 'web:2')(actor);
      await actor.kubectl('delete', 'pod', 'web-0', 'web-2');
      await actor.settle();
    },
  },
  {
    name: 'statefulset: OnDelete',
    play: async (actor) => {
      await begin(actor, statefulSet('web:1', { updateStrategy: { type: 'OnDelete' } }));
      await setImage('statefulset', 'web:2')(actor);
      await actor.kubectl('delete', 'pod', 'web-1');
      await actor.settle();
      await setImage('statefulset', 'web:1')(actor);
      await actor.kubectl('delete', 'pod', 'web-0', 'web-2');
      await actor.settle();
    },
  },
  {
    name: 'statefulset: an ordered rollout stays stuck after going back, until its pod is deleted',
    play: async (actor) => {
      await begin(actor, statefulSet('web:1'));
      await setImage('statefulset', 'web:hang')(actor);
      await actor.kubectl('rollout', 'undo', 'statefulset/web');
      await actor.settle();
      await actor.kubectl('delete', 'pod', 'web-2');
      await actor.settle();
    },
  },
  {
    name: 'statefulset: parallel, with an offset, scaled up and down',
    play: async (actor) => {
      await begin(actor, statefulSet('web:1', { podManagementPolicy: 'Parallel', ordinals: { start: 3 } }));
      await setImage('statefulset', 'web:hang')(actor);
      for (const replicas of [6, 2]) {
        await actor.kubectl('scale', 'statefulset/web', `--replicas=${replicas}`);
        await actor.settle();
      }
      await setImage('statefulset', 'web:1')(actor);
    },
  },
  {
    name: 'statefulset: scaled down while a pod hangs',
    play: async (actor) => {
      await begin(actor, statefulSet('web:1', { replicas: 4 }));
      await setImage('statefulset', 'web:hang')(actor);
      await actor.kubectl('scale', 'statefulset/web', '--replicas=2');
      await actor.settle();
    },
  },
  {
    name: 'statefulset: a revision deleted by hand, then a change',
    play: async (actor) => {
      await begin(actor, statefulSet('web:1'));
      for (const image of ['web:2', 'web:3']) await setImage('statefulset', image)(actor);
      const revisions = JSON.parse(await actor.kubectl('get', 'controllerrevisions', '-o', 'json')) as {
        items: { metadata: { name: string }; revision: number }[];
      };
      for (const number of [2, 3])
        await actor.kubectl(
          'delete',
          'controllerrevision',
          revisions.items.find(({ revision }) => revision === number)?.metadata.name ?? '',
        );
      await actor.kubectl('label', 'pod', 'web-0', 'touched=1');
      await actor.settle();
      await setImage('statefulset', 'web:4')(actor);
    },
  },
  {
    name: 'statefulset: without a rollingUpdate block',
    play: async (actor) => {
      await begin(actor, statefulSet('web:1', { updateStrategy: { type: 'RollingUpdate' } }));
      await setImage('statefulset', 'web:2')(actor);
      await actor.kubectl('scale', 'statefulset/web', '--replicas=5');
      await actor.settle();
    },
  },
  {
    name: 'statefulset: another family of quantities is another revision',
    play: async (actor) => {
      const withMemory = (memory: string) =>
        JSON.parse(JSON.stringify(statefulSet('web:1')).replace('64Mi', memory)) as object;
      await begin(actor, withMemory('1Ki'));
      await begin(actor, withMemory('1024'));
    },
  },
];

const ofDaemonSets: Scenario[] = [
  {
    name: 'daemonset: OnDelete half done',
    play: async (actor) => {
      await begin(actor, daemonSet('web:1', { updateStrategy: { type: 'OnDelete' } }));
      await setImage('daemonset', 'web:2')(actor);
      const pods = (await actor.kubectl('get', 'pods', '-o', 'name')).trim().split('\n');
      await actor.kubectl('delete', pods[0] ?? '');
      await actor.settle();
    },
  },
  {
    name: 'daemonset: a surge',
    play: async (actor) => {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
      await begin(actor, daemonSet('web:1', { updateStrategy }));
      await setImage('daemonset', 'web:2')(actor);
      await setImage('daemonset', 'web:hang')(actor);
      await setImage('daemonset', 'web:3')(actor);
    },
  },
  {
    name: 'daemonset: half of the nodes at a time',
    play: async (actor) => {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } };
      await begin(actor, daemonSet('web:1', { updateStrategy }));
      await setImage('daemonset', 'web:hang')(actor);
    },
  },
  {
    name: 'daemonset: a revision deleted by hand',
    play: async (actor) => {
      await begin(actor, daemonSet('web:1'));
      for (const image of ['web:2', 'web:3']) await setImage('daemonset', image)(actor);
      const revisions = JSON.parse(await actor.kubectl('get', 'controllerrevisions', '-o', 'json')) as {
        items: { metadata: { name: string }; revision: number }[];
      };
      for (const number of [1, 3]) {
        const name = revisions.items.find(({ revision }) => revision === number)?.metadata.name ?? '';
        await actor.kubectl('delete', 'controllerrevision', name);
        await actor.settle();
      }
    },
  },
  {
    name: 'daemonset: a copy of the present revision under a higher number',
    play: async (actor) => {
      await begin(actor, daemonSet('web:1'));
      await setImage('daemonset', 'web:2')(actor);
      const revisions = JSON.parse(await actor.kubectl('get', 'controllerrevisions', '-o', 'json')) as {
        items: { metadata: JsonObject; data: JsonObject; revision: number }[];
      };
      const newest = revisions.items.find(({ revision }) => revision === 2);
      const { labels: own, ownerReferences } = newest?.metadata ?? {};
      const hash = { 'controller-revision-hash': 'copied' };
      // By kubectl, which writes JSON as the controllers do: they compare bytes.
      await actor.create({
        apiVersion: 'apps/v1',
        kind: 'ControllerRevision',
        metadata: { name: 'web-copied', labels: { ...(own as JsonObject), ...hash }, ownerReferences },
        data: newest?.data,
        revision: 7,
      });
      await actor.settle();
    },
  },
  {
    name: 'daemonset: only some nodes',
    play: async (actor) => {
      await begin(actor, daemonSet('web:1'));
      const manifest = daemonSet('web:1') as { spec: { template: { spec: JsonObject } } };
      manifest.spec.template.spec.nodeSelector = { 'kubernetes.io/hostname': 'worker-2' };
      await begin(actor, manifest);
    },
  },
];

export const SCENARIOS: readonly Scenario[] = [
  ...ofEveryKind,
  ...ofDeployments,
  ...ofStatefulSets,
  ...ofDaemonSets,
];

async function waitForCondition(actor: ClusterActor, reason: string): Promise<void> {
  const path = `/apis/apps/v1/namespaces/${actor.namespace}/deployments/web`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (JSON.stringify(await actor.client.get(path)).includes(`"reason":"${reason}"`)) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Error(`The Deployment never said ${reason}.`);
}
