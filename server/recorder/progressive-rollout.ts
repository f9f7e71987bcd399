import 'server-only';
import type { ObservedProgressiveRollout } from '@/lib/records/observation';
import type { Revision } from '@/lib/history/revision';
import { isRolloutInProgress } from '@/lib/records/progressive-rollout';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import type { Workload } from '@/lib/history/workload';
import type { Cluster } from '@/server/cluster/cluster';
import type { Mask } from '@/server/shared/mask';
import { maskedTraffic } from '@/server/shared/masked-traffic';
import { deriveRolloutView, type RolloutView } from '@/server/views/rollout-view';
import type { Masked } from '@/lib/masked';
import type { ChangeSummaries } from '@/server/views/change-summaries';
import type { WorkloadView } from '@/server/views/workload-view';
import type { TemplateHashes } from '@/server/recorder/template-hashes';

/** The progressive rollout that drives the workload at one moment. */
export interface ProgressiveState {
  progressiveRollout: ObservedProgressiveRollout;
  /** Of the workloads generated for it: they have the template before the workload itself has a revision of it. */
  auxiliaries: readonly RolloutFacts[];
}

interface ProgressiveContext {
  cluster: Cluster;
  view: (workload: Workload) => WorkloadView;
  hashes: TemplateHashes;
  mask: Mask;
  summaries: Pick<ChangeSummaries, 'betweenNow'>;
  nowMs: number;
}

/** The progressive rollout that drives the workload, masked where people will read it; null where there is none. */
export function observeProgressiveRollout(
  context: ProgressiveContext,
  { workload, history }: WorkloadView,
): ProgressiveState | null {
  const { cluster, view, hashes, mask, nowMs } = context;
  const rollouts = cluster.rollouts.rolloutsOf(workload).map((object) => {
    const rolloutView = deriveRolloutView(cluster, { view }, object, nowMs);
    const { rollout, input, system } = rolloutView;
    const observed: ObservedProgressiveRollout = {
      ...masked(rollout, hashOf(rollout, workload, history.revisions, hashes), mask),
      ...(system.podLabels.length === 0 && { marksNoPods: true }),
    };
    const change = changeOf(context, rolloutView);
    return {
      progressiveRollout: change === null ? observed : { ...observed, change },
      auxiliaries: input.auxiliaries,
    };
  });
  // Only one is allowed, but nothing enforces it.
  return rollouts.find((each) => isRolloutInProgress(each.progressiveRollout)) ?? rollouts[0] ?? null;
}

/** Null where the revisions of the workload have it. */
function changeOf(
  { cluster, summaries }: ProgressiveContext,
  { system, input }: RolloutView,
): Masked<string> | null {
  const sides = system.sides?.(input) ?? null;
  return sides === null
    ? null
    : (summaries.betweenNow(cluster.cache, sides.before, sides.after)?.text ?? null);
}

/** Of its target: the workload's desired template, while nothing has recorded that. */
function hashOf(
  { revisions: { updated } }: ProgressiveRollout,
  { bodyId }: Workload,
  revisions: readonly Revision[],
  hashes: TemplateHashes,
): string | null {
  if (updated === null) return null;
  if (updated.pending) return hashes.of(bodyId);
  const source = revisions.find(({ id }) => id === updated.id)?.source;
  return source === undefined ? null : hashes.of(source.bodyId);
}

function masked(rollout: ProgressiveRollout, hash: string | null, mask: Mask): ObservedProgressiveRollout {
  return {
    ...rollout,
    hash,
    message: mask.text(rollout.message),
    steps: rollout.steps.map((step) => ({
      ...step,
      traffic: { ...step.traffic, planned: maskedTraffic(step.traffic.planned, mask) },
    })),
  };
}
