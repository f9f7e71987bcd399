import 'server-only';
import { CONTROLLER_LABEL, CONTROLLER_VALUE } from '@/lib/oam/eligibility';
import { Reflector } from '@/server/cluster/reflector';
import type { Transport } from '@/server/cluster/transport';
import { WorkQueue, type Worklist } from '@/server/controllers/engine/work-queue';
import {
  RolloutReconciler,
  type RolloutReconcilerOptions,
} from '@/server/controllers/oam-rollout/rollout-reconciler';
import { rolloutsPath } from '@/server/controllers/oam-rollout/rollout-objects';

interface OamRolloutControllerOptions extends RolloutReconcilerOptions {
  readonly transport: Transport;
  /** Empty, or without it: the whole cluster. */
  readonly namespaces?: readonly string[];
}

/**
 * Rolls out Deployments and CloneSets in batches, as Rollouts of `standard.oam.dev` with the label of this
 * controller specify.
 */
export class OamRolloutController {
  readonly #reconciler: RolloutReconciler;
  readonly #queue: WorkQueue;
  readonly #reflectors: readonly Reflector<null>[];

  constructor(options: OamRolloutControllerOptions) {
    const { transport, clock, log, namespaces = [] } = options;
    this.#reconciler = new RolloutReconciler(options);
    this.#queue = new WorkQueue({
      clock,
      log,
      workers: 1,
      beforeEach: undefined,
      afterEach: () => Promise.resolve(),
    });
    const work: Worklist = this.#queue.register((key) => this.#reconciler.sync(key, work));
    this.#reflectors = (namespaces.length === 0 ? [undefined] : namespaces).map(
      (namespace) =>
        new Reflector<null>({
          transport,
          path: rolloutsPath(namespace),
          query: { labelSelector: `${CONTROLLER_LABEL}=${CONTROLLER_VALUE}` },
          ingest: () => null,
          onChange: ({ key }) => work.add(key),
          log,
        }),
    );
  }

  start(): void {
    this.#queue.start();
    for (const reflector of this.#reflectors) reflector.start();
  }

  /** Resolves when the running move is done. Call it at any moment: the next start continues from there. */
  async stop(): Promise<void> {
    await Promise.all([this.#queue.stop(), ...this.#reflectors.map((reflector) => reflector.stop())]);
    await this.#reconciler.close();
  }
}
