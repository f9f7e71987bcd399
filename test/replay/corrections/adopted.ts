import { controllerUidOf, type KubeObject } from '@/lib/kube/object';
import { textAt } from '@/lib/kube/read';
import { numberOf, readTold, type ToldRevision } from '@/test/replay/corrections/told-history';
import { rowsOfStreams } from '@/test/replay/corrections/rows';
import { type Facts, secondsAt } from '@/test/replay/facts/facts';
import type { Changes, Correction, Row, RowScene } from '@/test/replay/judge';

export const adopted: Correction = {
  name: 'revisions that are older than their workload tell nothing of it',
  source:
    'a controller adopts the orphans that its selector matches, with the numbers that they have: ' +
    'https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/controller_ref_manager.go',
  rows: {
    ...rowsOfStreams({
      'deployments.apps': [5, 4, 3, 7, 5, 5, 7, 1],
      'statefulsets.apps': [7, 3, 1, 5, 11, 2, 14, 4],
      'daemonsets.apps': [5, 6, 6, 6, 2, 5, 9, 4],
      'clonesets.apps.kruise.io': [5, 9, 9, 10, 2, 8, 5, 4],
      'statefulsets.apps.kruise.io': [2, 2, 6, 9, 5, 8, 5, 3],
      'daemonsets.apps.kruise.io': [4, 8, 3, 7, 3, 4, 10, 4],
      'rollouts.argoproj.io': [2, 1, 6, 4, 3, 4, 3, 4],
      'applications.core.oam.dev': [8, 3, 3, 4, 1, 3, 2, 2],
      'rollouts.rollouts.kruise.io': [6, 1, 4, 0, 0, 3, 0, 2],
      'canaries.flagger.app': [4, 2, 3, 3, 3, 4, 4, 2],
      'rollouts.standard.oam.dev': [0, 2, 5, 0, 0, 0, 0, 3],
    }),
  },
  applies: (row, scene) => Object.keys(changesOf(row, scene)).length > 0,
  right: (_, row, scene) => changesOf(row, scene),
};

function changesOf(row: Row, scene: () => RowScene): Changes {
  const { of, facts } = row;
  // Its controller has no code that adopts revisions.
  if (facts === null || of.startsWith('leaderworkersets.')) return {};
  if (facts.history !== undefined) return changesOfWorkload(facts, row, scene());
  const isArgo = of.startsWith('progressive rollouts.argoproj.io ');
  return isArgo && facts.began !== undefined ? changesOfRollout(facts, row, scene()) : {};
}

function changesOfWorkload(facts: Facts, row: Row, { objects, startMs }: RowScene): Changes {
  const { workload, revisions } = readTold(row, objects);
  if (workload === undefined) return {};
  const before = new Set(revisions.filter(({ source }) => isOlder(source, workload)));
  const own = revisions.filter((revision) => !before.has(revision));
  const firstOwn = Math.min(...own.map(({ source }) => Number(numberOf(source))));
  // It numbers upward: a higher one is its own.
  const isAdopted = (revision: ToldRevision) =>
    before.has(revision) && !(Number(numberOf(revision.source)) > firstOwn);
  if (!revisions.some(isAdopted)) return {};
  const at = secondsAt(workload.metadata.creationTimestamp, startMs);
  const history = revisions.map((each) => (isAdopted(each) ? tellAdopted(each, at) : each.text)).join(', ');
  // A rollout in progress is told since its target had its number.
  const isStartUnknown =
    facts.state === 'rolling' &&
    facts.since !== undefined &&
    revisions.some((each) => each.isTarget && isAdopted(each) && timeTold(each) === facts.since);
  return isStartUnknown ? { history, since: null } : { history };
}

/** Seconds, where they are proven. */
function timeTold({ text }: ToldRevision): string | undefined {
  return / from (-?\d+)\b(?! at the latest)/.exec(text)?.[1];
}

/** Its number is of an earlier incarnation, and proves neither a rollback nor a time of this one. */
function tellAdopted({ text }: ToldRevision, at: string): string {
  const [name = '', ...words] = text.split(' ');
  const told = words
    .map((word) => (/^[A-Z]+$/.test(word) ? word.replace('A', '') : word))
    .filter((word) => word !== '')
    .join(' ')
    .replace(/ from( -?\d+)?( at the latest)?/, ` from ${at} at the latest`)
    .replace(/ renumbered(-maybe)?$/, '');
  return `${name} ${told} adopted`;
}

/** A progressive rollout of an adopted ReplicaSet began at no known time. */
function changesOfRollout(facts: Facts, { of }: Row, { objects, startMs }: RowScene): Changes {
  const workload = objects.find(
    ({ kind, metadata }) => kind === 'Rollout' && of.endsWith(`/${metadata.name}`),
  );
  const hash = textAt(workload?.status, 'currentPodHash');
  const target = objects.find(
    (each) =>
      each.metadata.labels?.['rollouts-pod-template-hash'] === hash &&
      controllerUidOf(each) === workload?.metadata.uid,
  );
  if (workload === undefined || target === undefined || !isOlder(target, workload)) return {};
  return secondsAt(target.metadata.creationTimestamp, startMs) === facts.began ? { began: null } : {};
}

function isOlder({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return a.creationTimestamp < b.creationTimestamp;
}
