import 'server-only';
import { CONTROLLER_LABEL, CONTROLLER_VALUE } from '@/lib/oam/eligible';
import { Reflector } from '@/server/cluster/reflector';
import { type Transport } from '@/server/cluster/transport';
import { WorkQueue, type Worklist } from '@/server/controllers/engine/work-queue';
import { RolloutMover, type RolloutMoverOptions } from '@/server/controllers/oam-rollout/rollout-mover';
import { rolloutsPath } from '@/server/controllers/oam-rollout/rollout-objects';

export interface OamRolloutControllerOptions extends RolloutMoverOptions {
  readonly transport: Transport;
  /** Empty, or without it: the whole cluster. */
  readonly namespaces?: readonly string[];
}

/**
 * Rolls Deployments and CloneSets in batches, as Rollouts of `standard.oam.dev` ask for it that are labelled for this
 * controller.
 */
export class OamRolloutController {
  readonly #mover: RolloutMover;
  readonly #queue: WorkQueue;
  readonly #reflectors: readonly Reflector<null>[];

  constructor(options: OamRolloutControllerOptions) {
    const { transport, clock, log, namespaces = [] } = options;
    this.#mover = new RolloutMover(options);
    this.#queue = new WorkQueue({
      clock,
      log,
      workers: 1,
      beforeEach: undefined,
      afterEach: () => Promise.resolve(),
    });
    const work: Worklist = this.#queue.register((key) => this.#mover.sync(key, work));
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

  /** Resolves when the move under way is made. May be called at any moment: the next start goes on from there. */
  async stop(): Promise<void> {
    await Promise.all([this.#queue.stop(), ...this.#reflectors.map((reflector) => reflector.stop())]);
    await this.#mover.close();
  }
}
