import { type PauseReason, type ArgoStatus } from '@/sandbox/controllers/argo/argo-rollout';
import { timeText } from '@/sandbox/controllers/objects/time';

/**
 * What one reconcile changes about a Rollout's pauses and its abort.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/pause.go
 */
export class PauseChanges {
  readonly #added: PauseReason[] = [];
  readonly #ended = new Set<PauseReason>();
  #isCleared = false;
  #abort: { message: string } | 'lifted' | undefined;

  get hasBegun(): boolean {
    return this.#added.length > 0;
  }

  begin(reason: PauseReason): void {
    this.#added.push(reason);
  }

  end(reason: PauseReason): void {
    this.#ended.add(reason);
  }

  /** No longer paused or aborted. */
  clear(): void {
    this.#isCleared = true;
    this.#abort = 'lifted';
  }

  abort(message: string): void {
    this.#abort = { message };
  }

  /** Why this reconcile aborted it; empty when it did not. */
  get abortMessage(): string {
    return typeof this.#abort === 'object' ? this.#abort.message : '';
  }

  isAborted(before: ArgoStatus): boolean {
    return this.#abort !== 'lifted' && (this.#abort !== undefined || before.abort === true);
  }

  /** The resulting members of the status. An abort ends every pause. */
  outcome(
    before: ArgoStatus,
    now: number,
  ): Pick<ArgoStatus, 'abort' | 'abortedAt' | 'pauseConditions' | 'controllerPause'> {
    if (this.isAborted(before)) return { abort: true, abortedAt: before.abortedAt ?? timeText(now) };
    if (this.#isCleared) return {};
    const present = before.pauseConditions ?? [];
    const kept = present.filter(({ reason }) => !this.#ended.has(reason));
    const fresh = this.#added.filter((reason) => !present.some((condition) => condition.reason === reason));
    const pauseConditions = [...kept, ...fresh.map((reason) => ({ reason, startTime: timeText(now) }))];
    if (pauseConditions.length === 0) return {};
    return { pauseConditions, controllerPause: fresh.length > 0 || before.controllerPause === true };
  }
}

/** When a pause of this reason began, in milliseconds since the epoch; undefined while there is none. */
export function pausedSince({ pauseConditions = [] }: ArgoStatus, reason: PauseReason): number | undefined {
  const condition = pauseConditions.find((candidate) => candidate.reason === reason);
  return condition === undefined ? undefined : Date.parse(condition.startTime);
}
