import { type Actor } from '@/e2e/controllers/actor';
import { type JsonObject } from '@/lib/kube/json';

/** The script of one LeaderWorkerSet, with what Shiplog must report at each idle point. */
export interface GroupScenario {
  readonly name: string;
  readonly play: (actor: Actor, tell: () => Promise<void>) => Promise<void>;
  /**
   * `number+former*pods` of each revision newest first, the target in brackets; the groups as `revision/pods`; the
   * state.
   */
  readonly told: readonly string[];
}

const PATH = (namespace: string) =>
  `/apis/leaderworkerset.x-k8s.io/v1/namespaces/${namespace}/leaderworkersets`;

function group(image: string, size = 2): JsonObject {
  const containers = [{ name: 'vllm', image }];
  return { size, workerTemplate: { spec: { terminationGracePeriodSeconds: 1, containers } } };
}

function rolling(rollingUpdateConfiguration: JsonObject): JsonObject {
  return { rolloutStrategy: { type: 'RollingUpdate', rollingUpdateConfiguration } };
}

async function begin(actor: Actor, spec: JsonObject = {}): Promise<void> {
  const { client, namespace } = actor;
  await client.create(PATH(namespace), {
    apiVersion: 'leaderworkerset.x-k8s.io/v1',
    kind: 'LeaderWorkerSet',
    metadata: { name: 'llama' },
    spec: {
      replicas: 3,
      startupPolicy: 'LeaderCreated',
      networkConfig: { subdomainPolicy: 'Shared' },
      leaderWorkerTemplate: { ...group('vllm:1'), restartPolicy: 'RecreateGroupOnPodRestart' },
      ...rolling({ partition: 0, maxUnavailable: 1, maxSurge: 0 }),
      ...spec,
    },
  });
  await actor.settle();
}

async function edit({ client, namespace }: Actor, spec: JsonObject): Promise<void> {
  await client.patch(`${PATH(namespace)}/llama`, { spec }, 'merge-patch');
}

async function change(actor: Actor, spec: JsonObject): Promise<void> {
  await edit(actor, spec);
  await actor.settle();
}

const ship = (actor: Actor, image: string) => change(actor, { leaderWorkerTemplate: group(image) });

export const GROUP_SCENARIOS: readonly GroupScenario[] = [
  {
    name: 'two changes and a rollback to the first revision, which the cluster has pruned',
    play: async (actor, tell) => {
      await begin(actor);
      await tell();
      for (const image of ['vllm:2', 'vllm:3', 'vllm:1']) {
        await ship(actor, image);
        await tell();
      }
    },
    told: [
      '[1*6] | 1/2 1/2 1/2 | complete: 3 of 3 groups ready',
      '[2*6] | 2/2 2/2 2/2 | complete: 3 of 3 groups ready',
      '[3*6] | 3/2 3/2 3/2 | complete: 3 of 3 groups ready',
      '[4*6] | 4/2 4/2 4/2 | complete: 3 of 3 groups ready',
    ],
  },
  {
    name: 'held at a canary, rolled back there, shipped again and released',
    play: async (actor, tell) => {
      await begin(actor, rolling({ partition: 2, maxUnavailable: 1, maxSurge: 0 }));
      await ship(actor, 'vllm:2');
      await tell();
      await ship(actor, 'vllm:1');
      await tell();
      await ship(actor, 'vllm:2');
      await tell();
      await change(actor, rolling({ partition: 0 }));
      await tell();
    },
    told: [
      '[2*2] 1*4 | 1/2 1/2 2/2 | held: partition 2: groups 0 and 1 stay on revision 1',
      '[3+1*6] 2*0 | 3/2 3/2 3/2 | complete: 3 of 3 groups ready',
      '[4+2*2] 3+1*4 | 3/2 3/2 4/2 | held: partition 2: groups 0 and 1 stay on revision 3',
      '[4+2*6] | 4/2 4/2 4/2 | complete: 3 of 3 groups ready',
    ],
  },
  {
    name: 'scaled while a rollout is stalled, and restored by another template',
    play: async (actor, tell) => {
      await begin(actor);
      await ship(actor, 'vllm:hang');
      await tell();
      await change(actor, { replicas: 4 });
      await change(actor, { leaderWorkerTemplate: group('vllm:3') });
      await tell();
    },
    told: [
      '[2*2] 1*4 | 1/2 1/2 2/2 | rolling: 1 of 3 groups updated; group 2 is starting',
      '[3*8] | 3/2 3/2 3/2 3/2 | complete: 4 of 4 groups ready',
    ],
  },
  {
    name: 'with one group more for the time, to groups of another size',
    play: async (actor, tell) => {
      await begin(actor, rolling({ partition: 0, maxUnavailable: 0, maxSurge: 1 }));
      await change(actor, { leaderWorkerTemplate: group('vllm:2', 3) });
      await tell();
    },
    told: ['[2*9] | 2/3 2/3 2/3 | complete: 3 of 3 groups ready'],
  },
  {
    name: 'scaled to 0 in the middle, which skips the rest',
    play: async (actor, tell) => {
      await begin(actor, rolling({ partition: 2, maxUnavailable: 1, maxSurge: 0 }));
      await ship(actor, 'vllm:2');
      await change(actor, { ...rolling({ partition: 0 }), replicas: 0 });
      await tell();
    },
    told: ['[2*0] |  | complete: scaled to 0'],
  },
];
