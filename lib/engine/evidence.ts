import { isActive } from '@/lib/history/assemble';
import type { PodSummary } from '@/lib/history/pod';
import type { Blocker } from '@/lib/api/pods';
import type { WorkloadFacts } from '@/lib/engine/facts';
import { outdatedPods, targetPods } from '@/lib/pods/by-revision';
import { type Assessment, blockersOf, isStuck, STUCK_AFTER_MS, startingPods } from '@/lib/pods/blockers';

/** Times are cut to whole seconds, and the clocks of API servers differ. */
const CLOCK_DIFFERENCE_MAX_MS = 2_000;

/** What the pods of a workload prove, worked out when a row of the table needs it. */
export class Evidence {
  readonly facts: WorkloadFacts;
  readonly #assessment: Assessment;
  #blocked: readonly Blocker[] | undefined;
  #targetBlocked: readonly Blocker[] | undefined;
  #lasting: readonly Blocker[] | undefined;
  #outdated: readonly PodSummary[] | undefined;

  constructor(facts: WorkloadFacts) {
    this.facts = facts;
    this.#assessment = { now: facts.now, hasDeadline: facts.deadline !== null };
  }

  /** Every blocked pod, worst first. */
  get blocked(): readonly Blocker[] {
    return (this.#blocked ??= this.#blockersAmong(this.facts.pods));
  }

  /** The blocked pods of the target, and pods that do not end, where the controller waits for their end. */
  get targetBlocked(): readonly Blocker[] {
    const { history, pods, waitsForDeletion } = this.facts;
    return (this.#targetBlocked ??= this.#blockersAmong(
      pods.filter((pod) =>
        pod.deletedAt === null ? history.revisionOfPod.get(pod.uid)?.target === true : waitsForDeletion,
      ),
    ));
  }

  /** The blocked pods of the target, where none of the others can still become ready; else none. */
  get lasting(): readonly Blocker[] {
    return (this.#lasting ??= this.#findLasting());
  }

  /** Every pod that is not ready yet, blocked or not, worst first. */
  get unready(): readonly Blocker[] {
    const { history, pods } = this.facts;
    return blockersOf(history, pods, { proven: false, ...this.#assessment });
  }

  /** Active pods that may still become ready. */
  get starting(): readonly PodSummary[] {
    return startingPods(this.facts.pods, this.#assessment);
  }

  /**
   * Whether all pods that are not ready were created by the last edit: it has changed the number of desired pods, if the
   * rollout had completed before.
   */
  get areNew(): boolean {
    const { pods, workload } = this.facts;
    const from = Date.parse(workload.editedAt ?? '') - CLOCK_DIFFERENCE_MAX_MS;
    // Written by the creation, all pods would be.
    if (!(from > Date.parse(workload.createdAt))) return false;
    return pods.every((pod) => pod.ready || !isActive(pod) || Date.parse(pod.createdAt) >= from);
  }

  /** Whether the last edit is so recent that pods may still start for it. */
  get isJustEdited(): boolean {
    const { workload, now } = this.facts;
    if (now === undefined || workload.editedAt == null) return false;
    return Date.parse(now) - Date.parse(workload.editedAt) < STUCK_AFTER_MS;
  }

  /** Active pods of another revision than the target. */
  get outdated(): readonly PodSummary[] {
    return (this.#outdated ??= outdatedPods(this.facts.history, this.facts.pods));
  }

  /** The pod that an ordered update waits for, where it is blocked. */
  get awaited(): readonly Blocker[] {
    const { awaitedPod, history } = this.facts;
    if (awaitedPod?.block == null || history.target === null) return [];
    return isStuck(awaitedPod.block, this.#assessment) ? this.#blockersAmong([awaitedPod]) : [];
  }

  #findLasting(): readonly Blocker[] {
    const { history, pods } = this.facts;
    const starting = startingPods(targetPods(history, pods), this.#assessment);
    return starting.length > 0 ? [] : this.targetBlocked;
  }

  #blockersAmong(pods: readonly PodSummary[]): Blocker[] {
    return blockersOf(this.facts.history, pods, { proven: true, ...this.#assessment });
  }
}
