import type { KubeObject } from '@/lib/kube/object';
import { textAt } from '@/lib/kube/read';
import { rowsOfStreams } from '@/test/replay/corrections/rows';
import { type Spelling, spellingOf } from '@/test/replay/corrections/spelling';
import { readTold, type ToldRevision } from '@/test/replay/corrections/told-history';
import type { Facts } from '@/test/replay/facts/facts';
import type { Changes, Correction, Row } from '@/test/replay/judge';

export const restarts: Correction = {
  name: 'a restart of the current release is no way back',
  source:
    'kubectl rollout restart changes nothing but kubectl.kubernetes.io/restartedAt of the template: ' +
    'https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/objectrestarter.go',
  rows: {
    'sandbox/month': 16,
    'kubernetes/22-native': 67,
    'late kubernetes/22-native': 0,
    ...rowsOfStreams({
      'deployments.apps': [11, 9, 21, 13, 19, 12, 12, 12],
      'statefulsets.apps': [14, 13, 8, 18, 21, 8, 10, 17],
      'daemonsets.apps': [7, 11, 6, 8, 22, 12, 7, 12],
      'clonesets.apps.kruise.io': [19, 10, 12, 15, 20, 10, 13, 11],
      'statefulsets.apps.kruise.io': [15, 13, 11, 13, 17, 9, 5, 10],
      'daemonsets.apps.kruise.io': [14, 14, 9, 13, 6, 17, 16, 10],
      'leaderworkersets.leaderworkerset.x-k8s.io': [6, 11, 12, 9, 9, 18, 14, 11],
      'rollouts.argoproj.io': [7, 4, 5, 7, 2, 5, 11, 11],
      'applications.core.oam.dev': [6, 16, 5, 11, 7, 7, 8, 6],
      'controllerrevisions.apps': [1, 0, 0, 2, 0, 1, 0, 1],
      'rollouts.rollouts.kruise.io': [1, 5, 3, 3, 2, 2, 3, 5],
      'canaries.flagger.app': [5, 13, 4, 7, 11, 9, 7, 6],
      'rollouts.standard.oam.dev': [6, 4, 2, 4, 2, 4, 5, 2],
    }),
  },
  applies: ({ facts, ...row }, scene) =>
    facts?.history !== undefined &&
    Object.keys(changesOf(facts, { ...row, facts }, scene().objects)).length > 0,
  right: (facts, row, scene) => (facts === null ? {} : changesOf(facts, row, scene().objects)),
};

function changesOf(facts: Facts, row: Row, objects: readonly KubeObject[]): Changes {
  const { workload, revisions } = readTold(row, objects);
  const spelled = new Map(revisions.map((revision) => [revision, spellingOf(revision.source)]));
  const requested = workload && spellingOf(holderOfTemplate(workload, objects));
  const changes: Record<string, string | null> = {};
  for (const [member, value] of Object.entries(facts)) {
    const name = /^can roll back to (\S+)/.exec(member)?.[1];
    const revision = revisions.find((each) => each.name === name);
    if (revision !== undefined && isRestartOf(spelled.get(revision), requested))
      changes[member] = withWarning(value);
  }
  const target = revisions.find(({ isTarget }) => isTarget);
  const current = target === undefined ? workload && spellingOf(workload) : spelled.get(target);
  const isSameRelease = (revision: ToldRevision) => isRestartOf(spelled.get(revision), current);
  if (!revisions.some((revision) => revision.name === facts.default && isSameRelease(revision)))
    return changes;
  const candidates = revisions.filter((revision) => {
    const spelling = spelled.get(revision);
    const isGone = revision.source.metadata.deletionTimestamp !== undefined;
    // What another controller records need be no template.
    if (revision === target || isGone || (spelling === undefined && workload !== undefined)) return false;
    return spelling?.release !== current?.release;
  });
  const chosen =
    candidates.find(({ ready }) => ready > 0) ??
    candidates.find(({ name }) => name === facts.previous) ??
    candidates[0];
  // Revisions may share a number.
  return chosen?.name === facts.default ? changes : { ...changes, default: chosen?.name ?? null };
}

function isRestartOf(a: Spelling | undefined, b: Spelling | undefined): boolean {
  return a !== undefined && b !== undefined && a.release === b.release && a.whole !== b.whole;
}

/** A Rollout may name the workload whose template it uses. */
function holderOfTemplate(workload: KubeObject, objects: readonly KubeObject[]): KubeObject {
  const [kind, name] = ['kind', 'name'].map((member) => textAt(workload.spec, 'workloadRef', member));
  return objects.find((each) => each.kind === kind && each.metadata.name === name) ?? workload;
}

/** Behind what it says of owners. */
function withWarning(value: string): string {
  const codes = value.split(' ');
  const last = codes.findLastIndex((code) => /_owner$|^last_applied$/.test(code));
  return codes.toSpliced(last + 1, 0, 'same_release').join(' ');
}
