import { type PauseReason, type RolloutStatus } from '@/server/sandbox/controllers/argo/argo-rollout';
import { timeText } from '@/server/sandbox/controllers/objects/time';

/**
 * What one look at a Rollout changes about its pauses and about being aborted.
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

  /** Neither paused nor aborted any more. */
  clear(): void {
    this.#isCleared = true;
    this.#abort = 'lifted';
  }

  abort(message: string): void {
    this.#abort = { message };
  }

  /** Why it was aborted by this look; empty when somebody else did it. */
  get abortMessage(): string {
    return typeof this.#abort === 'object' ? this.#abort.message : '';
  }

  isAborted(before: RolloutStatus): boolean {
    return this.#abort !== 'lifted' && (this.#abort !== undefined || before.abort === true);
  }

  /** The members of the status that follow. An abort ends every pause. */
  outcome(
    before: RolloutStatus,
    now: number,
  ): Pick<RolloutStatus, 'abort' | 'abortedAt' | 'pauseConditions' | 'controllerPause'> {
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
export function pausedSince(
  { pauseConditions = [] }: RolloutStatus,
  reason: PauseReason,
): number | undefined {
  const condition = pauseConditions.find((candidate) => candidate.reason === reason);
  return condition === undefined ? undefined : Date.parse(condition.startTime);
}
