import { type Actor } from '@/e2e/controllers/actor';
import { type Scenario } from '@/e2e/controllers/scenarios';
import { type JsonObject } from '@/lib/kube/json';

const labels = { app: 'web' };

function template(image: string, level = 'info'): JsonObject {
  const containers = [{ name: 'app', image, env: [{ name: 'LEVEL', value: level }] }];
  return { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers } };
}

type Kind = 'CloneSet' | 'StatefulSet' | 'DaemonSet';

const KINDS: readonly Kind[] = ['CloneSet', 'StatefulSet', 'DaemonSet'];
const SIZES: Record<Kind, JsonObject> = {
  CloneSet: { replicas: 3 },
  StatefulSet: { replicas: 3, serviceName: 'web' },
  DaemonSet: {},
};
const IN_PLACE: Record<Kind, JsonObject> = {
  CloneSet: { podUpdatePolicy: 'InPlaceIfPossible' },
  StatefulSet: { podUpdatePolicy: 'InPlaceIfPossible' },
  DaemonSet: { rollingUpdateType: 'InPlaceIfPossible' },
};

async function begin(actor: Actor, kind: Kind, rollingUpdate: JsonObject = {}, spec: JsonObject = {}) {
  await actor.apply({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind,
    metadata: { name: 'web', annotations: { 'kubernetes.io/change-cause': 'the first' } },
    spec: {
      ...SIZES[kind],
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate },
      template: template('web:1'),
      ...spec,
    },
  });
  await actor.settle();
}

async function change(actor: Actor, kind: Kind, spec: JsonObject): Promise<void> {
  const resource = `${kind.toLowerCase()}s.apps.kruise.io/web`;
  await actor.kubectl('patch', resource, '--type=merge', '-p', JSON.stringify({ spec }));
  await actor.settle();
}

async function ship(actor: Actor, kind: Kind, ...images: string[]): Promise<void> {
  for (const image of images) await change(actor, kind, { template: template(image) });
}

function rolling(rollingUpdate: JsonObject): JsonObject {
  return { updateStrategy: { rollingUpdate } };
}

const ofEveryKind: readonly Scenario[] = KINDS.flatMap((kind) => [
  {
    name: `${kind}: there and back`,
    play: async (actor: Actor) => {
      await begin(actor, kind);
      await ship(actor, kind, 'web:2', 'web:1');
    },
  },
  {
    name: `${kind}: in place, and then by new pods`,
    play: async (actor: Actor) => {
      await begin(actor, kind, IN_PLACE[kind]);
      await ship(actor, kind, 'web:2');
      await change(actor, kind, { template: template('web:2', 'debug') });
    },
  },
  {
    name: `${kind}: an image that never gets ready`,
    play: async (actor: Actor) => {
      await begin(actor, kind, { ...IN_PLACE[kind], maxUnavailable: 1 });
      await ship(actor, kind, 'web:hang');
    },
  },
  {
    name: `${kind}: paused, then partitioned, then released, with a short history`,
    play: async (actor: Actor) => {
      await begin(actor, kind, { paused: true }, { revisionHistoryLimit: 1 });
      await ship(actor, kind, 'web:2');
      await change(actor, kind, rolling({ paused: false, partition: 2 }));
      await change(actor, kind, rolling({ partition: 0 }));
      await ship(actor, kind, 'web:3');
    },
  },
]);

const ofSome: readonly Scenario[] = [
  {
    name: 'CloneSet: the shape of v1alpha1, a surge, and a return behind the partition',
    play: async (actor) => {
      const updateStrategy = { type: 'ReCreate', partition: '50%', maxSurge: 1, maxUnavailable: 0 };
      await begin(actor, 'CloneSet', {}, { updateStrategy });
      await ship(actor, 'CloneSet', 'web:2', 'web:1');
    },
  },
  {
    name: 'CloneSet: scaled by its scale in the middle of an update',
    play: async (actor) => {
      await begin(actor, 'CloneSet', { partition: '50%' });
      await ship(actor, 'CloneSet', 'web:2');
      for (const replicas of [2, 5]) {
        await actor.kubectl('scale', 'clonesets.apps.kruise.io/web', `--replicas=${replicas}`);
        await actor.settle();
      }
    },
  },
  {
    name: 'CloneSet: deleted, its pods and revisions left alone',
    play: async (actor) => {
      await begin(actor, 'CloneSet');
      await actor.kubectl('delete', 'clonesets.apps.kruise.io/web', '--cascade=orphan');
      await begin(actor, 'CloneSet', {}, { template: template('web:2') });
    },
  },
  {
    name: 'StatefulSet: half at a time, with reserved ordinals',
    play: async (actor) => {
      const spec = { podManagementPolicy: 'Parallel', reserveOrdinals: [1] };
      await begin(actor, 'StatefulSet', { maxUnavailable: '50%' }, spec);
      await ship(actor, 'StatefulSet', 'web:hang');
    },
  },
  {
    name: 'StatefulSet: some of its pods in no order',
    play: async (actor) => {
      await begin(actor, 'StatefulSet', { partition: 2, unorderedUpdate: {} });
      await ship(actor, 'StatefulSet', 'web:2');
    },
  },
  {
    name: 'DaemonSet: a surge',
    play: async (actor) => {
      await begin(actor, 'DaemonSet', { maxSurge: 1, maxUnavailable: 0, partition: 1 });
      await ship(actor, 'DaemonSet', 'web:2');
    },
  },
];

export const KRUISE_SCENARIOS: readonly Scenario[] = [...ofEveryKind, ...ofSome];
