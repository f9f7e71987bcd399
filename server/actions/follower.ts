import 'server-only';
import { nameKey } from '@/lib/kube/name-key';
import { type Action } from '@/lib/api/action';
import { type ActionsContext } from '@/server/actions/context';
import { desiredTemplateKey } from '@/server/actions/expectation';
import {
  assessCompletion,
  type Assessment,
  type SentWrite,
  type WorkloadSnapshot,
} from '@/server/actions/completion';
import { isOwnedByLiveProcess, processIdentity } from '@/server/actions/process-identity';
import { assessRolloutCompletion, followUntilReleased } from '@/server/actions/rollout-completion';
import { deriveCurrentView } from '@/server/actions/current-rollout';
import { type ProgressiveRollout } from '@/lib/rollout/rollout';
import { type RolloutObject } from '@/lib/rollout/rollout-facts';
import { type AuditEntry, type AuditFacts, type Expectation } from '@/server/audit/audit';
import { deriveView } from '@/server/reads/workload-view';
import { maskedAction } from '@/server/shared/masked-action';

interface FollowedAction {
  action: Action;
  expectation: Expectation;
  seen: string | null;
  facts: AuditFacts;
  sent: SentWrite;
}

/** Beyond this many, the oldest are no longer followed; the audit still has them. */
const FOLLOWED_MAX = 500;

/** Changes wake the follower; the timer covers what happens without one, such as the passing of time. */
const TICK_MS = 5_000;

/** Follows accepted actions until they are done or have failed, whether or not a page shows them. */
export class Follower {
  readonly #context: ActionsContext;
  readonly #followed = new Map<string, FollowedAction>();
  /** Whether another live process on the same file follows it. */
  #followedByOthers: AuditEntry[] = [];
  #unsubscribe: (() => void) | undefined;
  #unsubscribeRollouts: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(context: ActionsContext) {
    this.#context = context;
  }

  follow(entry: AuditEntry, { isSure }: { isSure: boolean }): void {
    const { action, expectation, seen } = entry;
    if (expectation === null) return;
    const { identity, origin, fromHash, idempotencyKey } = entry;
    const facts = { identity, origin, fromHash, idempotencyKey, holder: processIdentity };
    const sent = { at: Date.parse(entry.at), isSure };
    const followed = {
      action: isSure ? action : { ...action, unanswered: true as const },
      expectation,
      seen,
      facts,
      sent,
    };
    this.#followed.set(action.id, followed);
    for (const id of this.#followed.keys()) {
      if (this.#followed.size <= FOLLOWED_MAX) break;
      this.#followed.delete(id);
    }
    this.#listen();
  }

  /** Follows again the actions that were open when the process ended. */
  resume(): void {
    const open = this.#context.audit.open();
    this.#followedByOthers = open.filter(({ holder }) => isOwnedByLiveProcess(holder));
    this.#followAll(open.filter(({ holder }) => !isOwnedByLiveProcess(holder)));
    if (this.#followedByOthers.length > 0) this.#listen();
    this.check();
  }

  /** Its current state, or undefined for one that is not followed. */
  action(id: string): Action | undefined {
    return this.#followed.get(id)?.action;
  }

  /** Updates all, or those of some workloads. */
  check(uids?: ReadonlySet<string>): void {
    this.#checkMatching(({ action }) => uids === undefined || uids.has(action.uid));
  }

  #checkMatching(matches: (followed: FollowedAction) => boolean): void {
    for (const followed of [...this.#followed.values()]) {
      if (!matches(followed)) continue;
      try {
        this.#update(followed);
      } catch (error) {
        // It is still followed, and the others are updated.
        this.#context.log.error('an action can not be judged', { action: followed.action.id, error });
      }
    }
    if (this.#followed.size === 0 && this.#followedByOthers.length === 0) this.stop();
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#unsubscribeRollouts?.();
    this.#unsubscribeRollouts = undefined;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #listen(): void {
    this.#unsubscribe ??= this.#context.cluster.onChange((keys) => {
      this.check(new Set(keys.map(({ uid }) => uid)));
    });
    this.#unsubscribeRollouts ??= this.#context.cluster.onRolloutChange((keys) => {
      const changed = new Set(keys.map(nameKey));
      this.#checkMatching(({ action }) => changed.has(nameKey({ ...action, ...action.rollout })));
    });
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    const orphaned = this.#followedByOthers.filter(({ holder }) => !isOwnedByLiveProcess(holder));
    this.#followedByOthers = this.#followedByOthers.filter((entry) => !orphaned.includes(entry));
    this.#followAll(orphaned);
    this.check();
  }

  #followAll(entries: readonly AuditEntry[]): void {
    for (const entry of entries) this.follow(entry, { isSure: entry.event === 'accepted' });
  }

  #update(followed: FollowedAction): void {
    const { action } = followed;
    const assessment = this.#assess(followed);
    if (assessment === undefined) return;
    followed.action = maskedAction({ ...action, ...assessment }, this.#context.keys.mask);
    // Only states that the cluster shows are followed further.
    if (assessment.state === 'following') followed.sent.isSure = true;
    if (assessment.state === 'done' || assessment.state === 'failed') this.#finish(followed);
  }

  /** Undefined while the cache does not know. */
  #assess({ action, expectation, sent }: FollowedAction): Assessment | undefined {
    // A resource may be that of workloads and of rollouts; an action with a goal was done to a rollout.
    if (expectation.goal == null) {
      const snapshot = this.#observe(action);
      if (snapshot === undefined) return undefined;
      const assessment = assessCompletion(action, expectation, sent, snapshot);
      const { rollout: through, namespace } = action;
      if (through === null) return assessment;
      return followUntilReleased(assessment, this.#observeRollout({ ...through, namespace })?.rollout);
    }
    if (!this.#isObservable(action)) return undefined;
    const { connection } = this.#context.cluster;
    const seen = this.#observeRollout(action);
    const { rollout, object } =
      seen?.object.uid === action.uid ? seen : { rollout: undefined, object: undefined };
    const now = this.#context.now();
    return assessRolloutCompletion(action, expectation, sent, {
      rollout,
      object,
      now,
      observedAt: connection.observedAt,
    });
  }

  #observeRollout({
    resource,
    namespace,
    name,
  }: Pick<Action, 'resource' | 'namespace' | 'name'>):
    { rollout: ProgressiveRollout; object: RolloutObject } | undefined {
    const object = this.#context.cluster.rollouts.rollout(resource, namespace, name);
    return object === undefined
      ? undefined
      : { object, rollout: deriveCurrentView(this.#context, object).rollout };
  }

  /** An object that was not read proves nothing. */
  #isObservable({ cluster: id, resource, namespace }: Action): boolean {
    const { cluster } = this.#context;
    const state = cluster.cache.states(namespace).find((entry) => entry.resource === resource);
    return (
      cluster.identity.id === id &&
      cluster.ready &&
      state?.synced === true &&
      state.problem === null &&
      state.behind === undefined
    );
  }

  #observe(action: Action): WorkloadSnapshot | undefined {
    const { cluster, keys, now } = this.#context;
    if (!this.#isObservable(action)) return undefined;
    const { resource, namespace, name, uid } = action;
    const workload = cluster.cache.workload(resource, namespace, name);
    const isSame = workload?.uid === uid;
    const view = isSame ? deriveView(cluster, workload, now()) : undefined;
    return {
      view,
      template: view === undefined ? undefined : desiredTemplateKey(keys, view),
      now: now(),
      observedAt: cluster.connection.observedAt,
    };
  }

  #finish({ action, expectation, seen, facts }: FollowedAction): void {
    const { audit, log, now } = this.#context;
    const at = new Date(now()).toISOString();
    const entry: AuditEntry = {
      at,
      event: 'finished',
      action: { ...action, endedAt: at },
      seen,
      expectation,
      code: null,
      apiMessage: null,
      ...facts,
    };
    try {
      audit.append(entry);
      this.#followed.delete(action.id);
    } catch (error) {
      // It is still followed, so the next update tries to write it again.
      log.error('an outcome is missing from the audit file', { action: action.id, error });
    }
  }
}
