import 'server-only';
import { randomUUID } from 'node:crypto';
import { reasonToLeave } from '@/lib/oam/eligible';
import { wishesOf } from '@/lib/oam/locate';
import { FINALIZER, nextMove } from '@/lib/oam/next-move';
import { parseRollout, type Rollout, type RolloutStatus, writeStatus } from '@/lib/oam/rollout';
import { type RolledWorkload } from '@/lib/oam/workload';
import { type Answer, type Check, type Move, type Notice, type Sight } from '@/lib/oam/turn';
import { AppError } from '@/lib/errors';
import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { objectAt } from '@/lib/workloads/read';
import { type Clock } from '@/server/cluster/clock';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type Transport } from '@/server/cluster/transport';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { Checker, type Send } from '@/server/controllers/oam-rollout/checker';
import { RolloutObjects } from '@/server/controllers/oam-rollout/rollout-objects';
import { type Logger } from '@/server/log';

export interface RolloutMoverOptions {
  /** Must be allowed to write. Stays open when the mover is closed. */
  readonly transport: Pick<Transport, 'json'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Asked before every write; without it nobody else acts. */
  readonly mayAct?: () => boolean;
  /** Where queries of metrics are asked; without it they can't be measured. */
  readonly prometheusUrl?: string | undefined;
  /** How webhooks and metrics are asked; over the network unless told otherwise. */
  readonly send?: Send;
  /** Writes an event; by default to the API server, under a random name. */
  readonly tell?: (rollout: KubeObject, notice: Notice) => Promise<void>;
}

/** How soon to look again at what comes about without a word: a few reads of a rollout that waits for its pods. */
const LOOK_AGAIN_MS = 2_000;
/** How soon to see whether this process leads. */
const LEAD_AGAIN_MS = 2_000;

/**
 * Makes the moves of Rollouts that are given to this controller. A move is made from what the API server has at that
 * moment; nothing is remembered from one to the next, so any process may make the next one.
 */
export class RolloutMover {
  readonly #options: RolloutMoverOptions;
  readonly #objects: RolloutObjects;
  readonly #checker: Checker;
  readonly #left = new Map<ObjectKey, string>();

  constructor(options: RolloutMoverOptions) {
    this.#options = options;
    const { transport, prometheusUrl, send } = options;
    this.#objects = new RolloutObjects(transport);
    this.#checker = new Checker({
      prometheusUrl,
      configMap: (namespace, name) => this.#objects.configMap(namespace, name),
      ...(send !== undefined && { send }),
    });
  }

  async close(): Promise<void> {
    await this.#checker.close();
  }

  /** One look at `namespace/name` from a queue: a move, and the key back in the list where there is more to come. */
  async sync(key: ObjectKey, work: Worklist): Promise<void> {
    if (!this.#mayAct) return work.addAfter(key, LEAD_AGAIN_MS);
    const [namespace = '', name = ''] = key.split('/');
    const again = await this.move(namespace, name);
    if (again === 'now') work.add(key);
    if (again === 'later') work.addAfter(key, LOOK_AGAIN_MS);
  }

  /** Makes the next move of one Rollout, and says when to look again. Throws what the API server refuses. */
  async move(namespace: string, name: string): Promise<Move['again']> {
    const object = await this.#objects.rollout(namespace, name);
    if (object === undefined) return 'change';
    const reason = reasonToLeave(object);
    if (reason !== undefined) {
      this.#leave(object, reason);
      return 'change';
    }
    const rollout = parseRollout(object);
    const move = await this.#decide(rollout, await this.#look(namespace, rollout));
    await this.#carryOut(object, rollout, move);
    return move.again;
  }

  async #look(namespace: string, rollout: Rollout): Promise<Sight> {
    const { target, plan, metadata, status } = rollout;
    const component =
      target?.by === 'revision' ? await this.#objects.revision(namespace, target.revision) : undefined;
    const workload = objectAt(component, 'spec', 'workload');
    const wishes = wishesOf(rollout, workload);
    const found = new Map(
      await Promise.all(
        wishes.map(async ({ kind, name }) => {
          const workload = await this.#objects.workload(kind, namespace, name);
          return [`${kind}/${name}`, workload && (await this.#withoutVoidClaim(workload, rollout))] as const;
        }),
      ),
    );
    // Only who goes back needs to know what was.
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

  /** The claim of a Rollout that is gone, by force perhaps, holds nobody off. */
  async #withoutVoidClaim(workload: RolledWorkload, { metadata }: Rollout): Promise<RolledWorkload> {
    const { claim, namespace } = workload;
    if (claim === undefined) return workload;
    const [name = '', uid = ''] = claim.split('/');
    if (uid === metadata.uid) return workload;
    const claimant = name === '' ? undefined : await this.#objects.rollout(namespace, name);
    return claimant?.metadata.uid === uid ? workload : { ...workload, claim: undefined };
  }

  async #decide(rollout: Rollout, sight: Sight): Promise<Move> {
    const answers = new Map<string, Answer>();
    for (;;) {
      const move = nextMove(sight, answers);
      if (move.asks.length === 0) return move;
      await Promise.all(
        move.asks.map(async (check: Check) => {
          this.#mustLead();
          answers.set(check.id, await this.#checker.ask(rollout, check));
        }),
      );
    }
  }

  async #carryOut(object: KubeObject, rollout: Rollout, move: Move): Promise<void> {
    const { namespace = '', finalizers = [] } = object.metadata;
    for (const write of move.writes) {
      this.#mustLead();
      await this.#objects.write(namespace, write);
    }
    let present = object;
    if (!deepEqual(writeStatus(move.status), writeStatus(rollout.status))) {
      this.#mustLead();
      present = await this.#objects.writeStatus(object, move.status);
      this.#log(object, rollout.status, move.status);
    }
    if (move.finalizer !== 'keep') {
      this.#mustLead();
      const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
      await this.#objects.setFinalizers(present, move.finalizer === 'add' ? [...others, FINALIZER] : others);
    }
    await this.#tell(object, move);
  }

  #log(object: KubeObject, before: RolloutStatus, { position, currentBatch }: RolloutStatus): void {
    const isSame =
      before.position?.rolling === position?.rolling && before.position?.batch === position?.batch;
    if (isSame || position === undefined) return;
    const batch = position.rolling === 'rollingInBatches' ? { batch: currentBatch, at: position.batch } : {};
    const facts = { rollout: keyOf(object), state: position.rolling, ...batch };
    if (position.rolling === 'rolloutFailed') this.#options.log.warn('a Rollout has failed', facts);
    else this.#options.log.info('a Rollout has moved on', facts);
  }

  /** An event that can't be written is given up. */
  async #tell(object: KubeObject, { notices }: Move): Promise<void> {
    const { clock, tell } = this.#options;
    for (const notice of notices) {
      try {
        if (tell !== undefined) await tell(object, notice);
        else await this.#objects.tell(object, notice, clock.now(), randomUUID().slice(0, 13));
      } catch (error) {
        this.#options.log.debug('An event could not be written.', { reason: notice.reason, error });
      }
    }
  }

  get #mayAct(): boolean {
    return this.#options.mayAct?.() ?? true;
  }

  #mustLead(): void {
    if (!this.#mayAct) throw new AppError('conflict', 'Another process leads now.');
  }

  #leave(object: KubeObject, reason: string): void {
    const key = keyOf(object);
    if (this.#left.get(key) === reason) return;
    this.#left.set(key, reason);
    this.#options.log.warn('a Rollout is left alone', { rollout: key, reason });
  }
}

/** Without what tells a patch to replace it. */
function templateOf(data: JsonObject | undefined): JsonObject | undefined {
  const template = objectAt(data, 'spec', 'template');
  if (template === undefined) return undefined;
  const { $patch: _patch, ...rest } = template;
  return rest;
}
