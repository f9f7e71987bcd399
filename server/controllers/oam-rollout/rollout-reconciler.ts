import 'server-only';
import { randomUUID } from 'node:crypto';
import { ineligibleReason } from '@/lib/oam/eligibility';
import { requiredWorkloads } from '@/lib/oam/locate-target';
import { FINALIZER, reconcileRollout } from '@/lib/oam/reconcile';
import {
  parseControlledRollout,
  type ControlledRollout,
  type OamRolloutStatus,
  writeStatus,
} from '@/lib/oam/rollout';
import type { RolledWorkload } from '@/lib/oam/rolled-workload';
import type {
  CheckAnswer,
  Check,
  ReconcileResult,
  RolloutNotice,
  ReconcileInput,
} from '@/lib/oam/reconcile-pass';
import { AppError } from '@/lib/errors';
import { deepEqual, type JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectAt } from '@/lib/kube/read';
import type { Clock } from '@/server/shared/clock';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { Transport } from '@/server/cluster/transport';
import type { Worklist } from '@/server/controllers/engine/work-queue';
import { Checker, type SendQuery } from '@/server/controllers/oam-rollout/checker';
import { RolloutObjects } from '@/server/controllers/oam-rollout/rollout-objects';
import type { WebhookRules } from '@/server/controllers/oam-rollout/webhook-rules';
import type { Logger } from '@/server/shared/log';

export interface RolloutReconcilerOptions {
  /** Must be allowed to write. Remains open when the reconciler is closed. */
  readonly transport: Pick<Transport, 'json'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether this process leads and the admission policy is in place. Checked before every write. */
  readonly mayAct: () => boolean;
  /** The address of metric queries; without it metrics can't be measured. */
  readonly prometheusUrl?: string | undefined;
  /** What webhooks can call. */
  readonly webhooks: WebhookRules;
  /** Sends the requests to webhooks and metrics; over the network by default. */
  readonly send?: SendQuery;
  /** Writes an event; by default to the API server, under a random name. */
  readonly writeEvent?: (rollout: KubeObject, notice: RolloutNotice) => Promise<void>;
}

/** When to reconcile again for changes without an event: a few reads of a rollout that waits for its pods. */
const REQUEUE_MS = 2_000;
/** How soon to check whether this process is allowed to act. */
const MAY_ACT_CHECK_MS = 2_000;

/**
 * Makes the moves of Rollouts that carry the label of this controller. A move starts from the current state
 * of the API server; nothing is remembered from one to the next, so any process can make the next one.
 */
export class RolloutReconciler {
  readonly #options: RolloutReconcilerOptions;
  readonly #objects: RolloutObjects;
  readonly #checker: Checker;
  readonly #skipped = new Map<ObjectKey, string>();

  constructor(options: RolloutReconcilerOptions) {
    this.#options = options;
    const { transport, prometheusUrl, webhooks, send } = options;
    this.#objects = new RolloutObjects(transport);
    this.#checker = new Checker({
      prometheusUrl,
      webhooks,
      configMap: (namespace, name) => this.#objects.configMap(namespace, name),
      ...(send !== undefined && { send }),
    });
  }

  async close(): Promise<void> {
    await this.#checker.close();
  }

  /**
   * Reconciles one `namespace/name` of a queue: makes a move, and adds the key again where another follows.
   */
  async sync(key: ObjectKey, work: Worklist): Promise<void> {
    if (!this.#mayAct) return work.addAfter(key, MAY_ACT_CHECK_MS);
    const [namespace = '', name = ''] = key.split('/');
    const again = await this.move(namespace, name);
    if (again === 'now') work.add(key);
    if (again === 'later') work.addAfter(key, REQUEUE_MS);
  }

  /**
   * Makes the next move of one Rollout, and returns when to reconcile again. Throws the errors of the API
   * server.
   */
  async move(namespace: string, name: string): Promise<ReconcileResult['requeue']> {
    const object = await this.#objects.rollout(namespace, name);
    if (object === undefined) return 'change';
    const reason = ineligibleReason(object);
    if (reason !== undefined) {
      this.#logSkipped(object, reason);
      return 'change';
    }
    const rollout = parseControlledRollout(object);
    const move = await this.#decide(rollout, await this.#observe(namespace, rollout));
    await this.#apply(object, rollout, move);
    return move.requeue;
  }

  async #observe(namespace: string, rollout: ControlledRollout): Promise<ReconcileInput> {
    const { target, plan, metadata, status } = rollout;
    const component =
      target?.by === 'revision' ? await this.#objects.revision(namespace, target.revision) : undefined;
    const workload = objectAt(component, 'spec', 'workload');
    const wishes = requiredWorkloads(rollout, workload);
    const found = new Map(
      await Promise.all(
        wishes.map(async ({ kind, name }) => {
          const workload = await this.#objects.workload(kind, namespace, name);
          return [`${kind}/${name}`, workload && (await this.#withoutStaleClaim(workload, rollout))] as const;
        }),
      ),
    );
    // Only a revert needs the previous state.
    const mustRevert = plan.revertOnDelete && metadata.deletionTimestamp !== undefined;
    const names = mustRevert ? (status.origin ?? []).flatMap(({ revision }) => revision ?? []) : [];
    const templates = new Map<string, JsonObject>();
    for (const name of names) {
      const template = templateOf(await this.#objects.revision(namespace, name));
      if (template !== undefined) templates.set(name, template);
    }
    return {
      rollout,
      workload: (kind, name) => found.get(`${kind}/${name}`),
      revisionTemplate: (name) => templates.get(name),
      component: workload,
      nowMs: this.#options.clock.now(),
    };
  }

  /** The claim of a deleted Rollout, perhaps removed by force, blocks no other. */
  async #withoutStaleClaim(
    workload: RolledWorkload,
    { metadata }: ControlledRollout,
  ): Promise<RolledWorkload> {
    const { claim, namespace } = workload;
    if (claim === undefined) return workload;
    const [name = '', uid = ''] = claim.split('/');
    if (uid === metadata.uid) return workload;
    const claimant = name === '' ? undefined : await this.#objects.rollout(namespace, name);
    return claimant?.metadata.uid === uid ? workload : { ...workload, claim: undefined };
  }

  async #decide(rollout: ControlledRollout, snapshot: ReconcileInput): Promise<ReconcileResult> {
    const answers = new Map<string, CheckAnswer>();
    for (;;) {
      const move = reconcileRollout(snapshot, answers);
      if (move.pendingChecks.length === 0) return move;
      await Promise.all(
        move.pendingChecks.map(async (check: Check) => {
          this.#assertMayAct();
          answers.set(check.id, await this.#checker.evaluate(rollout, check));
        }),
      );
    }
  }

  async #apply(object: KubeObject, rollout: ControlledRollout, move: ReconcileResult): Promise<void> {
    const { namespace = '', finalizers = [] } = object.metadata;
    for (const write of move.writes) {
      this.#assertMayAct();
      await this.#objects.write(namespace, write);
    }
    let current = object;
    if (!deepEqual(writeStatus(move.status), writeStatus(rollout.status))) {
      this.#assertMayAct();
      current = await this.#objects.writeStatus(object, move.status);
      this.#log(object, rollout.status, move.status);
    }
    if (move.finalizer !== 'keep') {
      this.#assertMayAct();
      const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
      await this.#objects.setFinalizers(current, move.finalizer === 'add' ? [...others, FINALIZER] : others);
    }
    await this.#writeEvents(object, move);
  }

  #log(object: KubeObject, before: OamRolloutStatus, { position, currentBatch }: OamRolloutStatus): void {
    const isSame =
      before.position?.rolling === position?.rolling && before.position?.batch === position?.batch;
    if (isSame || position === undefined) return;
    const batch = position.rolling === 'rollingInBatches' ? { batch: currentBatch, at: position.batch } : {};
    const facts = { rollout: keyOf(object), state: position.rolling, ...batch };
    if (position.rolling === 'rolloutFailed') this.#options.log.warn('Rollout failed', facts);
    else this.#options.log.info('Rollout progressed', facts);
  }

  /** An event that can't be written is dropped. */
  async #writeEvents(object: KubeObject, { notices }: ReconcileResult): Promise<void> {
    const { clock, writeEvent } = this.#options;
    for (const notice of notices) {
      try {
        if (writeEvent !== undefined) await writeEvent(object, notice);
        else await this.#objects.createEvent(object, notice, clock.now(), randomUUID().slice(0, 13));
      } catch (error) {
        this.#options.log.debug('Could not write an event.', { reason: notice.reason, error });
      }
    }
  }

  get #mayAct(): boolean {
    return this.#options.mayAct();
  }

  #assertMayAct(): void {
    if (!this.#mayAct)
      throw new AppError(
        'conflict',
        'Another process is the leader now, or the admission policy is missing.',
      );
  }

  #logSkipped(object: KubeObject, reason: string): void {
    const key = keyOf(object);
    if (this.#skipped.get(key) === reason) return;
    this.#skipped.set(key, reason);
    this.#options.log.warn('Rollout ignored', { rollout: key, reason });
  }
}

/** Without the directive that makes a patch replace it. */
function templateOf(data: JsonObject | undefined): JsonObject | undefined {
  const template = objectAt(data, 'spec', 'template');
  if (template === undefined) return undefined;
  const { $patch: _patch, ...rest } = template;
  return rest;
}
