import 'server-only';
import { type Action } from '@/lib/api/actions';
import { type ActionsContext } from '@/server/actions/context';
import { askedKey } from '@/server/actions/expectation';
import { judge, type Judgement, type Sent, type Sight } from '@/server/actions/judge';
import { isHeldElsewhere, ownHolder } from '@/server/actions/process-holder';
import { judgeRollout, untilReleased } from '@/server/actions/rollout-judge';
import { viewNow } from '@/server/actions/rollout-present';
import { type Rollout } from '@/lib/rollout/rollout';
import { type RolloutObject } from '@/lib/rollout/system';
import { type AuditEntry, type AuditFacts, type Expectation } from '@/server/audit';
import { deriveView } from '@/server/reads/view';

interface Followed {
  action: Action;
  expectation: Expectation;
  seen: string | null;
  facts: AuditFacts;
  sent: Sent;
}

/** Beyond this many the oldest are no longer followed; the audit still has them. */
const FOLLOWED_MAX = 500;

/** Changes wake the follower; the timer is for what happens without one, such as the passing of time. */
const TICK_MS = 5_000;

/** Keeps an eye on accepted actions until they are done or have failed, whether or not anybody looks on. */
export class Follower {
  readonly #context: ActionsContext;
  readonly #followed = new Map<string, Followed>();
  /** What another process on the same file follows, as long as that lives. */
  #elsewhere: AuditEntry[] = [];
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
    const facts = { identity, origin, fromHash, idempotencyKey, holder: ownHolder };
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

  /** Takes up what was open when the process ended. */
  resume(): void {
    const open = this.#context.audit.open();
    this.#elsewhere = open.filter(({ holder }) => isHeldElsewhere(holder));
    this.#takeUp(open.filter(({ holder }) => !isHeldElsewhere(holder)));
    if (this.#elsewhere.length > 0) this.#listen();
    this.check();
  }

  /** As it stands this moment, or undefined for one that is not followed. */
  action(id: string): Action | undefined {
    return this.#followed.get(id)?.action;
  }

  /** Looks at all, or at those of some workloads. */
  check(uids?: ReadonlySet<string>): void {
    this.#checkThose(({ action }) => uids === undefined || uids.has(action.uid));
  }

  #checkThose(isMeant: (followed: Followed) => boolean): void {
    for (const followed of [...this.#followed.values()]) {
      if (!isMeant(followed)) continue;
      try {
        this.#look(followed);
      } catch (error) {
        // It stays followed, and the others are looked at.
        this.#context.log.error('an action can not be judged', { action: followed.action.id, error });
      }
    }
    if (this.#followed.size === 0 && this.#elsewhere.length === 0) this.stop();
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
      const changed = new Set(keys.map(keyOf));
      this.#checkThose(({ action }) => changed.has(keyOf({ ...action, ...action.rollout })));
    });
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    const orphaned = this.#elsewhere.filter(({ holder }) => !isHeldElsewhere(holder));
    this.#elsewhere = this.#elsewhere.filter((entry) => !orphaned.includes(entry));
    this.#takeUp(orphaned);
    this.check();
  }

  #takeUp(entries: readonly AuditEntry[]): void {
    for (const entry of entries) this.follow(entry, { isSure: entry.event === 'accepted' });
  }

  #look(followed: Followed): void {
    const { action } = followed;
    const judgement = this.#judge(followed);
    if (judgement === undefined) return;
    followed.action = { ...action, ...judgement };
    // Only what the cluster shows is followed further.
    if (judgement.state === 'following') followed.sent.isSure = true;
    if (judgement.state === 'done' || judgement.state === 'failed') this.#finish(followed);
  }

  /** Undefined while the cache can't tell. */
  #judge({ action, expectation, sent }: Followed): Judgement | undefined {
    // A resource may be that of workloads and of rollouts; what has a goal was done to a rollout.
    if (expectation.goal == null) {
      const sight = this.#see(action);
      if (sight === undefined) return undefined;
      const judgement = judge(action, expectation, sent, sight);
      const { rollout: through, namespace } = action;
      if (through === null) return judgement;
      return untilReleased(judgement, this.#seeRollout({ ...through, namespace })?.rollout);
    }
    if (!this.#canTell(action)) return undefined;
    const { connection } = this.#context.cluster;
    const seen = this.#seeRollout(action);
    const { rollout, object } =
      seen?.object.uid === action.uid ? seen : { rollout: undefined, object: undefined };
    const now = this.#context.now();
    return judgeRollout(action, expectation, sent, {
      rollout,
      object,
      now,
      observedAt: connection.observedAt,
    });
  }

  #seeRollout({
    resource,
    namespace,
    name,
  }: Pick<Action, 'resource' | 'namespace' | 'name'>):
    { rollout: Rollout; object: RolloutObject } | undefined {
    const object = this.#context.cluster.rollouts.rollout(resource, namespace, name);
    return object === undefined ? undefined : { object, rollout: viewNow(this.#context, object).rollout };
  }

  /** Nothing is concluded from an object that was not read. */
  #canTell({ cluster: id, resource, namespace }: Action): boolean {
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

  #see(action: Action): Sight | undefined {
    const { cluster, keys, now } = this.#context;
    if (!this.#canTell(action)) return undefined;
    const { resource, namespace, name, uid } = action;
    const workload = cluster.cache.workload(resource, namespace, name);
    const isSame = workload?.uid === uid;
    const view = isSame ? deriveView(cluster, workload, now()) : undefined;
    return {
      view,
      template: view === undefined ? undefined : askedKey(keys, view),
      now: now(),
      observedAt: cluster.connection.observedAt,
    };
  }

  #finish({ action, expectation, seen, facts }: Followed): void {
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
      // It stays followed, so the next look tries to write it again.
      log.error('an outcome is missing from the audit file', { action: action.id, error });
    }
  }
}

function keyOf({ resource, namespace, name }: Pick<Action, 'resource' | 'namespace' | 'name'>): string {
  return `${resource}/${namespace}/${name}`;
}
