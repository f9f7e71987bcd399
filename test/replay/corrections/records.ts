import type { Correction, Row } from '@/test/replay/judge';

/** By record: what it says of its rollout, and what is right. */
type Rights = Readonly<Record<string, Readonly<Record<string, readonly [golden: string, right: string]>>>>;

const recreated = 'record deployments.apps n-rechold/web 2';
const canceled = 'record deployments.apps r-backfwd/shop';
const indexer = 'record deployments.apps search/indexer';

/** The month has deployments with the strategy Recreate, whose pods take 4 to 5 s to end. */
const written: Rights = {
  [recreated]: {
    began: ['28', '9'],
    steps: ['wave 1 completed - got 3 for 3 28-28', 'wave 1 completed - got 3 for 3 10-28'],
  },
  [`${canceled} 3`]: { ended: ['48', '42'], spans: ['held 41-48', 'held 41-42'] },
  [`${canceled} 4`]: { began: ['48', '42'] },
  [`${indexer} 2`]: { began: ['1353605', '1353600'] },
  [`${indexer} 3`]: { began: ['1724405', '1724400'] },
  [`${indexer} 4`]: { began: ['2145605', '2145600'] },
  [`${indexer} 5`]: { began: ['2590264', '2590260'] },
  'record deployments.apps ops/backup 2': { began: ['2491205', '2491200'] },
};

const surge = /^record leaderworkersets\.leaderworkerset\.x-k8s\.io l-surge\/llm [45]$/;
/** Of the pods that came: groups 4 and 5 exist only during the rollout, of 2 pods each. */
const withoutSurge = (steps: string) =>
  steps
    .replace('wave 1 completed - got 8 for', 'wave 1 completed - got 4 for')
    .replace('4 of 4 got 10 for', '4 of 4 got 6 for');

export const records: readonly Correction[] = [
  {
    name: 'a rollout begins with the write of its template, though its revision comes later',
    source:
      'kubernetes/29-recreate-slow-end: image 2 at 8.5 s, its ReplicaSet at 28 s, no pod in between; ' +
      'rollouts/24-back-and-forward: image 2 at 42 s, resumed by the Rollout at 48 s; ' +
      'https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/recreate.go',
    rows: {
      'kubernetes/29-recreate-slow-end': 1,
      // Its watch begins in the middle: nothing shows since when.
      'late kubernetes/29-recreate-slow-end': 0,
      'rollouts/24-back-and-forward': 2,
      'sandbox/month': 5,
    },
    applies: (row) => Object.keys(rightsOf(row)).length > 0,
    right: (_, row) => rightsOf(row),
  },
  {
    name: 'the pods of surge groups belong to no step, also while the controller deletes them',
    source: 'lws/02-partition-with-surge and lws/33-surge-quick-changes: true at their marks',
    rows: { 'lws/33-surge-quick-changes': 2 },
    applies: ({ of, facts }) =>
      surge.test(of) && facts?.steps !== undefined && withoutSurge(facts.steps) !== facts.steps,
    right: (facts) => ({ steps: withoutSurge(facts?.steps ?? '') }),
  },
];

function rightsOf({ of, facts }: Row): Record<string, string> {
  const known = Object.entries(written[of] ?? {});
  if (known.some(([member, [golden]]) => facts?.[member] !== golden)) return {};
  return Object.fromEntries(known.map(([member, [, right]]) => [member, right]));
}
