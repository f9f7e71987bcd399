import 'server-only';
import { type ObservedRelease } from '@/lib/ledger/observation';
import { type Revision } from '@/lib/history/revision';
import { isUnderWay } from '@/lib/ledger/release';
import { type Rollout } from '@/lib/rollout/rollout';
import { type WorkloadFacts } from '@/lib/rollout/system';
import { type Workload } from '@/lib/workloads/workload';
import { type Cluster } from '@/server/cluster/cluster';
import { type Keys } from '@/server/keys';
import { maskText } from '@/server/mask';
import { maskTraffic } from '@/server/reads/mask-traffic';
import { deriveRolloutView, type RolloutView } from '@/server/reads/rollout-view';
import { type Summaries } from '@/server/reads/summaries';
import { type WorkloadView } from '@/server/reads/view';
import { type TemplateHashes } from '@/server/recorder/template-hashes';

/** What steps a workload at one moment. */
export interface ReleaseSight {
  release: ObservedRelease;
  /** Of the workloads that the system made for it: they have the template before the workload itself has a revision of it. */
  auxiliaries: readonly WorkloadFacts[];
}

interface Place {
  cluster: Cluster;
  view: (workload: Workload) => WorkloadView;
  hashes: TemplateHashes;
  keys: Keys;
  summaries: Pick<Summaries, 'betweenNow'>;
  nowMs: number;
}

/** The release that holds the workload, masked where people will read it; null where nothing steps it. */
export function releaseOf(place: Place, { workload, history }: WorkloadView): ReleaseSight | null {
  const { cluster, view, hashes, keys, nowMs } = place;
  const sights = cluster.rollouts.rolloutsOf(workload).map((object) => {
    const seen = deriveRolloutView(cluster, { view }, object, nowMs);
    const { rollout, input, system } = seen;
    const release: ObservedRelease = {
      ...masked(rollout, hashOf(rollout, workload, history.revisions, hashes), keys),
      ...(system.podLabels.length === 0 && { marksNoPods: true }),
    };
    const change = changeOf(place, seen);
    return {
      release: change === null ? release : { ...release, change },
      auxiliaries: input.auxiliaries,
    };
  });
  // Only one is allowed, but nobody enforces it.
  return sights.find(({ release }) => isUnderWay(release)) ?? sights[0] ?? null;
}

/** Null where the revisions of the workload tell it. */
function changeOf({ cluster, summaries }: Place, { system, input }: RolloutView): string | null {
  const sides = system.sides?.(input) ?? null;
  return sides === null
    ? null
    : (summaries.betweenNow(cluster.cache, sides.before, sides.after)?.text ?? null);
}

/** Of what it brings: the template that the workload asks for, as long as nothing has recorded that. */
function hashOf(
  { revisions: { updated } }: Rollout,
  { bodyId }: Workload,
  revisions: readonly Revision[],
  hashes: TemplateHashes,
): string | null {
  if (updated === null) return null;
  if (updated.pending) return hashes.of(bodyId);
  const source = revisions.find(({ id }) => id === updated.id)?.source;
  return source === undefined ? null : hashes.of(source.bodyId);
}

function masked(rollout: Rollout, hash: string | null, keys: Keys): ObservedRelease {
  return {
    ...rollout,
    hash,
    message: maskText(rollout.message, keys),
    steps: rollout.steps.map((step) => ({
      ...step,
      traffic: { ...step.traffic, planned: maskTraffic(step.traffic.planned, keys) },
    })),
  };
}
