import type { KubeObject } from '@/lib/kube/object';
import { conditionAt, numberAt, textAt } from '@/lib/kube/read';
import { secondsAt } from '@/test/replay/facts/facts';
import type { Changes, Correction, Row, RowScene } from '@/test/replay/judge';

const source =
  'a Deployment is complete with as many pods as desired, also with none: ' +
  'https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go';

export const noPods: Correction = {
  name: 'a rollout without pods has not completed',
  source,
  rows: { 'argo/21-workload-ref': 2, 'kubernetes/31-deadline-and-scale': 1, 'sandbox/month': 2 },
  applies: (row, scene) => hasNoPods(row) && desiredOf(row, scene()) === 0,
  // What began before it was watched may have had pods.
  right: (facts) => ({ outcome: facts?.unwatched === undefined ? 'noPods' : 'unknown' }),
};

export const laterPods: Correction = {
  name: 'what a Deployment reports while it has no pods is no proof for those that come later',
  source,
  rows: { 'kubernetes/31-deadline-and-scale': 1, 'sandbox/month': 1 },
  applies: (row, scene) => Object.keys(changesOf(row, scene)).length > 0,
  right: (_, row, scene) => changesOf(row, scene),
};

function hasNoPods({ of, facts }: Row): boolean {
  const { outcome, pods, steps = '', progressive = '' } = facts ?? {};
  return of.startsWith('record ') && outcome === 'completed' && pods === '0' && steps + progressive === '';
}

function changesOf(row: Row, scene: () => RowScene): Changes {
  if (hasNoPods(row)) return changesByScale(row, scene());
  const isPromoted = /^flagger \S+ canary completed/.test(row.facts?.progressive ?? '');
  return isPromoted ? changesByPromotion(row, scene()) : {};
}

/** When the pods of `kubernetes/31-deadline-and-scale` were available: `minReadySeconds` is 2. */
const AVAILABLE_AT = '50';

/** Scaled up, it has a wave of pods. */
function changesByScale(row: Row, scene: RowScene): Changes {
  const desired = desiredOf(row, scene);
  if (desired === undefined || desired === 0) return {};
  const pods = scene.objects.filter(
    ({ kind, metadata }) => kind === 'Pod' && metadata.name.startsWith(`${nameOf(row)}-`),
  );
  const timesOf = (times: readonly (string | undefined)[]) =>
    secondsAt(times.toSorted().at(-1), scene.startMs);
  const created = timesOf(pods.map(({ metadata }) => metadata.creationTimestamp));
  const ready = timesOf(pods.map(({ status }) => textAt(conditionAt(status, 'Ready'), 'lastTransitionTime')));
  const steps = `wave 1 completed - got ${pods.length} for 0 ${created}-${ready}`;
  return { ended: AVAILABLE_AT, pods: String(desired), steps };
}

/** It is over when Flagger writes that its Canary is promoted: the conditions of the sandbox have no times. */
function changesByPromotion(row: Row, { objects, startMs }: RowScene): Changes {
  const canary = objects.find(({ kind, metadata }) => kind === 'Canary' && metadata.name === nameOf(row));
  const { ended, steps = '' } = row.facts ?? {};
  if (conditionAt(canary?.status, 'Promoted')?.status !== 'True') return {};
  const write = canary?.metadata.managedFields?.find(({ manager }) => manager === 'flagger');
  const at = secondsAt(write?.time, startMs);
  return at === ended ? {} : { ended: at, steps: steps.replace(`-${ended}`, `-${at}`) };
}

function desiredOf(row: Row, { objects }: RowScene): number | undefined {
  const workload = objects.find(
    (each: KubeObject) => each.kind === 'Deployment' && each.metadata.name === nameOf(row),
  );
  return numberAt(workload?.spec, 'replicas');
}

/** "web" of "record deployments.apps n-pdl/web 4". */
function nameOf({ of }: Row): string {
  return of.split(/[ /]/)[3] ?? '';
}
