import {
  change,
  create,
  day,
  type Kind,
  kinds,
  partition,
  remove,
  replaceBroken,
  replacePods,
  restart,
  ship,
  type WorkloadScript,
} from '@/e2e/records/script-steps';

/** In hours. */
const SECOND = 1 / 3600;
const SOON = 10 * SECOND;

const done = { outcome: 'completed' } as const;

/** One new pod per old pod, before or after it. */
const ofThree = [1, 2, 3].map((wave) => [`Wave ${wave}`, 1, 1] as const);
const inTurn = {
  Deployment: ofThree,
  StatefulSet: ofThree,
  DaemonSet: [...ofThree, ['Wave 4', 1, 1] as const],
};

/** What can happen to every kind: success, failure, rollback, pruning. */
function ofEveryKind(kind: Kind): WorkloadScript[] {
  return [
    {
      kind,
      name: `${kind.toLowerCase()}-weeks`,
      steps: [
        create(day(1, 9), '1', done),
        ship(day(2, 10), '2', { ...done, cause: 'new prices' }),
        ship(day(3, 10), '2+debug', { ...done, cause: 'look closer' }, 'helm'),
        restart(day(5, 14), { ...done, steps: inTurn[kind] }),
        ship(day(6, 9), '3', { outcome: 'superseded', cause: 'three' }),
        ship(day(6, 9) + SOON, '4', { ...done, cause: 'four' }),
        ship(day(8, 16), '5-hang', { outcome: 'rolledBack', cause: 'five' }),
        ship(day(8, 18), '4', { ...done }),
        replaceBroken(day(8, 18) + SOON),
        ship(day(11, 11), '6-crash', { outcome: 'superseded', cause: 'six' }, 'helm'),
        ship(day(11, 12), '7-broken', { outcome: 'superseded', cause: 'seven' }),
        ship(day(11, 13), '8', { ...done, cause: 'eight' }),
        replaceBroken(day(11, 13) + SOON),
        ship(day(20, 11), '2', { ...done }),
        ship(day(28, 11), '9', { ...done, cause: 'nine' }),
      ],
    },
    {
      kind,
      name: `${kind.toLowerCase()}-forgets`,
      steps: [
        create(day(1, 10), '1', done, { revisionHistoryLimit: 2 }),
        ...['2', '3', '4', '5', '6'].map((runs, index) => ship(day(3 + index, 12), runs, done)),
        // The cluster has long pruned it: a new source object has the old template.
        ship(day(10, 12), '1', done),
        ship(day(12, 12), '7-hang', { outcome: 'rolledBack' }),
        ship(day(12, 13), '2', done),
        replaceBroken(day(12, 13) + SOON),
        change(day(14, 10), { revisionHistoryLimit: 0 }),
        ship(day(15, 10), '8', done),
        ship(day(16, 10), '9', done),
        ship(day(17, 10), '8', done),
      ],
    },
    {
      kind,
      name: `${kind.toLowerCase()}-recreated`,
      steps: [
        create(day(2, 10), '1', done),
        ship(day(3, 10), '2-hang', { outcome: 'failed' }),
        remove(day(4, 10)),
        create(day(6, 10), '2', done),
        ship(day(7, 10), '1', done),
        remove(day(9, 10)),
        create(day(9, 10.1), '1', done),
      ],
    },
  ];
}

const ofDeployments: WorkloadScript[] = [
  {
    kind: 'Deployment',
    name: 'deployment-paused',
    steps: [
      create(day(1, 11), '1', done),
      ship(day(2, 11), '2', done),
      // A template that the cluster still has becomes the target at once; its rollout waits.
      change(day(4, 10), { paused: true }),
      ship(day(4, 11), '1', { ...done, begins: day(6, 11), chosen: day(4, 11) }),
      change(day(6, 11), { paused: false }),
      // A new one is recorded only when the Deployment is resumed.
      change(day(8, 10), { paused: true }),
      ship(day(8, 11), '3', null),
      ship(day(8, 12), '4', { ...done, begins: day(9, 12) }),
      change(day(9, 12), { paused: false }),
      // Paused midway.
      ship(day(11, 10), '5-slow', { ...done, spans: [['held', day(11, 10) + SOON, day(11, 12)]] }),
      change(day(11, 10) + SOON, { paused: true }),
      change(day(11, 12), { paused: false }),
    ],
  },
  {
    kind: 'Deployment',
    name: 'deployment-sizes',
    steps: [
      create(day(1, 12), '1', done, {
        replicas: 6,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      }),
      ship(day(2, 12), '2-slow', done),
      change(day(2, 12) + SOON, { replicas: 9 }),
      ship(day(5, 12), '3-slow', done),
      change(day(5, 12) + SOON, { replicas: 2 }),
      change(day(7, 12), { replicas: 0 }),
      ship(day(8, 12), '4', done),
      change(day(9, 12), { replicas: 3 }),
      change(day(10, 12), { strategy: { type: 'Recreate', rollingUpdate: null } }),
      // Its revision is created when the old pods are deleted, and nothing serves until then.
      ship(day(11, 12), '5', { ...done, steps: [['Wave 1', 3, 3]] }),
    ],
  },
];

const ofStatefulSets: WorkloadScript[] = [
  {
    kind: 'StatefulSet',
    name: 'statefulset-parts',
    steps: [
      create(day(1, 13), '1', done, { replicas: 4 }),
      change(day(2, 13), { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 3 } } }),
      ship(day(3, 13), '2', {
        ...done,
        spans: [
          ['held', day(3, 13), day(6, 13)],
          ['held', day(6, 13), day(9, 13)],
        ],
        steps: [
          ['Partition 3', 1, 1],
          ['Partition 2', 1, 1],
          ['Partition 0', 2, 2],
        ],
      }),
      partition(day(6, 13), 2),
      partition(day(9, 13), 0),
      partition(day(12, 13), 2),
      ship(day(13, 13), '3', {
        outcome: 'rolledBack',
        spans: [['held', day(13, 13), null]],
        steps: [['Partition 2', 2, 2]],
      }),
      ship(day(15, 13), '2', { ...done }),
    ],
  },
  {
    kind: 'StatefulSet',
    name: 'statefulset-ondelete',
    steps: [
      create(day(1, 14), '1', done, { updateStrategy: { type: 'OnDelete' } }),
      ship(day(3, 14), '2', { ...done, spans: [['held', day(3, 14), day(5, 15)]] }),
      replacePods(day(5, 14), 2),
      replacePods(day(5, 15), 1),
      ship(day(8, 14), '3', { outcome: 'superseded', spans: [['held', day(8, 14), null]] }),
      ship(day(9, 14), '4', { outcome: null, spans: [['held', day(9, 14), null]] }),
    ],
  },
];

const ofDaemonSets: WorkloadScript[] = [
  {
    kind: 'DaemonSet',
    name: 'daemonset-ondelete',
    steps: [
      create(day(1, 15), '1', done, { updateStrategy: { type: 'OnDelete' } }),
      ship(day(3, 15), '2', { ...done, spans: [['held', day(3, 15), day(6, 16)]] }),
      replacePods(day(5, 15), 2),
      replacePods(day(6, 16), 2),
      ship(day(8, 15), '3', { outcome: 'rolledBack', spans: [['held', day(8, 15), null]] }),
      ship(day(9, 15), '2', done),
    ],
  },
];

export const workloadScripts: readonly WorkloadScript[] = [
  ...(Object.keys(kinds) as Kind[]).flatMap(ofEveryKind),
  ...ofDeployments,
  ...ofStatefulSets,
  ...ofDaemonSets,
];
