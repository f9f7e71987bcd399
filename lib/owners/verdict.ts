/**
 * When an owner undoes a change that was made by hand. Times are RFC 3339. `then` is what holds after what prevents it
 * now.
 */
export type Verdict =
  /** Self-heal, or a controller that watches its objects. */
  | { when: 'seconds' }
  /** `paths` of the sources; `sources` counts them. */
  | { when: 'nextCommit'; paths: readonly string[]; sources: number }
  /** The last sync failed at this commit: no self-heal until the next one. */
  | { when: 'notWhileFailed'; paths: readonly string[]; sources: number }
  /** The owner does not compare what changed, and overwrites it whenever it syncs for another reason. */
  | { when: 'nextSync' }
  /** `stages` of Kargo, which sync without automation. */
  | { when: 'manualSync'; stages: readonly string[] }
  | { when: 'afterOperation'; then: Verdict }
  /** Null: no end is near. */
  | { when: 'notBefore'; time: string | null; window: 'allow' | 'deny'; then: Verdict }
  /** The project with its windows could not be read. */
  | { when: 'unlessWindow'; then: Verdict }
  /** By an annotation that makes Argo CD leave the application alone; its status is stale. */
  | { when: 'skipped' }
  /** The next reconciliation; null where nothing tells when the last one was. */
  | { when: 'at'; time: string | null; intervalMs: number | null }
  | { when: 'suspended' }
  /** The owner leaves the object, or what changed in it, alone: by this mark or rule. */
  | { when: 'excluded'; by: string }
  | { when: 'nextUpgrade' }
  | { when: 'nextDeployment' }
  /** Nothing tells how this tool acts. */
  | { when: 'nextRun' }
  | { when: 'unknown'; because: 'unreadable' | 'absent' | 'ambiguous' | 'unnamed' | 'rule' };

/** Whether it ends in a state that a person has to leave, so that nothing is undone without one. */
export function needsPerson(verdict: Verdict): boolean {
  if ('then' in verdict) return needsPerson(verdict.then);
  return ['manualSync', 'skipped', 'suspended', 'excluded', 'nextUpgrade', 'nextDeployment'].includes(
    verdict.when,
  );
}
