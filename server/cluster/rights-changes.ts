import 'server-only';
import type { Clock } from '@/server/shared/clock';
import type { Viewer } from '@/server/shared/viewer';

/** A role or a binding that was changed. */
export interface RightsChange {
  /** Null: all of them. */
  readonly namespace: string | null;
  /** `User ana` or `Group dev`, as the bindings name them; null: anyone. */
  readonly subjects: ReadonlySet<string> | null;
}

interface TimedChange extends RightsChange {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** No answer counts for longer. */
const KEPT_MS = 600_000;
const CHANGES_MAX = 200;
/** The authorizer of the API server reads the change from a cache of its own. */
const AUTHORIZER_LAG_MS = 1_000;
/** The API server adds it to every user that it knows. */
const EVERYONE = 'Group system:authenticated';

/** What changed lately in who may do what: an answer about someone from before it does not count any more. */
export class RightsChanges {
  readonly #clock: Pick<Clock, 'now'>;
  #changes: readonly TimedChange[] = [];

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  add(change: RightsChange): void {
    const at = this.#clock.now();
    const recent = this.#changes.filter((each) => at - each.at < KEPT_MS);
    this.#changes =
      recent.length < CHANGES_MAX
        ? [...recent, { ...change, at }]
        : [{ namespace: null, subjects: null, at }];
  }

  /**
   * Tells of an answer for the viewer whether it still counts: for a namespace or, without one, for the whole cluster. `at`
   * is when the API server was asked.
   */
  validityFor(viewer: Viewer): (answer: { at: number }, namespace: string | undefined) => boolean {
    const own = this.#changes.filter((change) => concerns(change, viewer));
    if (own.length === 0) return () => true;
    return ({ at }, namespace) =>
      own.every(
        (change) =>
          at > change.at + AUTHORIZER_LAG_MS || (change.namespace !== null && change.namespace !== namespace),
      );
  }
}

/** Whether it can have changed what the viewer may do. */
export function concerns({ subjects }: RightsChange, { credential }: Viewer): boolean {
  // Only the API server knows the groups of another.
  if (subjects === null || credential.kind !== 'impersonate') return true;
  const { user, groups = [] } = credential;
  return [`User ${user}`, EVERYONE, ...groups.map((group) => `Group ${group}`)].some((subject) =>
    subjects.has(subject),
  );
}
