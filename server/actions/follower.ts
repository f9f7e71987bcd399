import 'server-only';
import { nameKey } from '@/lib/kube/name-key';
import type { Action } from '@/lib/api/action';
import type { ActionsContext } from '@/server/actions/context';
import { desiredTemplateKey } from '@/server/actions/template-key';
import { assessCompletion, type Assessment, type SentWrite } from '@/server/actions/completion';
import { isOwnedByLiveProcess, processIdentity } from '@/server/audit/process-identity';
import { assessRolloutCompletion, followUntilReleased } from '@/server/actions/rollout-completion';
import { deriveCurrentView } from '@/server/actions/current-rollout';
import type { AuditEntry, Expectation } from '@/server/audit/audit';
import type { WorkloadName } from '@/server/views/find-workload';
import type { RolloutView } from '@/server/views/rollout-view';
import { deriveView, type WorkloadView } from '@/server/views/workload-view';
import { maskedAction } from '@/server/shared/masked-action';

interface FollowedAction {
  /** Its line in the audit from which it is followed. */
  entry: AuditEntry;
  expectation: Expectation;
  action: Action;
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
  /** End what wakes it, which is there while it follows anything. */
  #unsubscribers: (() => void)[] = [];

  constructor(context: ActionsContext) {
    this.#context = context;
  }

  follow(entry: AuditEntry, { isSure }: { isSure: boolean }): void {
    const { expectation } = entry;
    if (expectation === null) return;
    const action: Action = isSure ? entry.action : { ...entry.action, unanswered: true };
    this.#followed.set(action.id, { entry, expectation, action, sent: { at: Date.parse(entry.at), isSure } });
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
    this.#check();
  }

  /** Its current state, or undefined for one that is not followed. */
  action(id: string): Action | undefined {
    return this.#followed.get(id)?.action;
  }

  #check(isAffected: (action: Action) => boolean = () => true): void {
    for (const followed of [...this.#followed.values()]) {
      if (!isAffected(followed.action)) continue;
      try {
        this.#update(followed);
      } catch (error) {
        // It is still followed, and the others are updated.
        this.#context.log.error('the state of an action cannot be determined', {
          action: followed.action.id,
          error,
        });
      }
    }
    if (this.#followed.size === 0 && this.#followedByOthers.length === 0) this.stop();
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribers.splice(0)) unsubscribe();
  }

  #listen(): void {
    if (this.#unsubscribers.length > 0) return;
    const { cluster } = this.#context;
    const timer = setInterval(() => this.#tick(), TICK_MS).unref();
    this.#unsubscribers.push(
      () => clearInterval(timer),
      cluster.onChange((keys) => {
        const changed = new Set(keys.map(({ uid }) => uid));
        this.#check(({ uid }) => changed.has(uid));
      }),
      cluster.onRolloutChange((keys) => {
        const changed = new Set(keys.map(nameKey));
        this.#check((action) => changed.has(nameKey({ ...action, ...action.rollout })));
      }),
    );
  }

  #tick(): void {
    const orphaned = this.#followedByOthers.filter(({ holder }) => !isOwnedByLiveProcess(holder));
    this.#followedByOthers = this.#followedByOthers.filter((entry) => !orphaned.includes(entry));
    this.#followAll(orphaned);
    this.#check();
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

  /** Undefined while the cache does not know: an object that was not read proves nothing. */
  #assess({ entry, action, expectation, sent }: FollowedAction): Assessment | undefined {
    const { cluster, keys } = this.#context;
    const state = cluster.cache.states(action.namespace).find(({ resource }) => resource === action.resource);
    const isRead = state?.synced === true && state.problem === null && state.behind === undefined;
    if (cluster.identity.id !== action.cluster || !cluster.ready || !isRead) return undefined;
    const time = { now: this.#context.now(), observedAt: cluster.connection.observedAt };
    // A resource may be that of workloads and of rollouts; an action with a goal was done to a rollout.
    if (expectation.goal != null) {
      const found = this.#rolloutView(action);
      const view = found?.rollout.uid === action.uid ? found : undefined;
      return assessRolloutCompletion(action, expectation, sent, { ...time, view });
    }
    const view = this.#workloadView(action);
    const template = view && desiredTemplateKey(keys, view);
    const assessment = assessCompletion(action, expectation, sent, {
      ...{ ...time, view, template },
      owners: entry.owners ?? '',
    });
    const { rollout: through, namespace } = action;
    return through === null
      ? assessment
      : followUntilReleased(assessment, this.#rolloutView({ ...through, namespace }));
  }

  #workloadView({ resource, namespace, name, uid }: Action): WorkloadView | undefined {
    const { cluster, now } = this.#context;
    const workload = cluster.cache.workload(resource, namespace, name);
    return workload?.uid === uid ? deriveView(cluster, workload, now()) : undefined;
  }

  #rolloutView({ resource, namespace, name }: WorkloadName): RolloutView | undefined {
    const object = this.#context.cluster.rollouts.rollout(resource, namespace, name);
    return object && deriveCurrentView(this.#context, object);
  }

  #finish({ entry, action }: FollowedAction): void {
    const { audit, log, now } = this.#context;
    const at = new Date(now()).toISOString();
    const { findings: _, ...attempted } = entry;
    try {
      audit.append({
        ...attempted,
        at,
        event: 'finished',
        action: { ...action, endedAt: at },
        code: null,
        apiMessage: null,
        holder: processIdentity,
      });
      this.#followed.delete(action.id);
    } catch (error) {
      // It is still followed, so the next update tries to write it again.
      log.error('an outcome is missing from the audit file', { action: action.id, error });
    }
  }
}
