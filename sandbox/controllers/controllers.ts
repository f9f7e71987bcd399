import type { Clock } from '@/server/shared/clock';
import type { Transport } from '@/server/cluster/transport';
import type { Logger } from '@/server/shared/log';
import { runArgoRollouts } from '@/sandbox/controllers/argo/argo-controller';
import { runDaemonSets } from '@/sandbox/controllers/daemon-set/daemon-set-controller';
import { runDeployments } from '@/sandbox/controllers/deployment/deployment-controller';
import { type Barrier, ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { runApplicationSets, runArgoCd } from '@/sandbox/controllers/gitops/argo-cd';
import { runFlux } from '@/sandbox/controllers/gitops/flux';
import { runKruise } from '@/sandbox/controllers/kruise/kruise';
import { behaviourByImage, type PodBehaviours } from '@/sandbox/controllers/kubelet/behaviour';
import { runKubelets } from '@/sandbox/controllers/kubelet/kubelet';
import { runNodes, type SandboxNode } from '@/sandbox/controllers/kubelet/nodes';
import { runKubevela } from '@/sandbox/controllers/kubevela/kubevela-controller';
import { runLeaderWorkerSets } from '@/sandbox/controllers/leader-worker-set/leader-worker-set-controller';
import { type PlayedMetrics, runOamRollouts } from '@/sandbox/controllers/oam-rollout/oam-rollout-controller';
import { runReplicaSets } from '@/sandbox/controllers/replica-set/replica-set-controller';
import { runScheduler } from '@/sandbox/controllers/scheduler/scheduler';
import { runStormServices } from '@/sandbox/controllers/storm-service/storm-service-controller';
import { runStatefulSets } from '@/sandbox/controllers/stateful-set/stateful-set-controller';

/** The dependencies of all controllers. */
export interface ControllerEnvironment {
  /** Needs permission to write. Stays open when the controllers stop. */
  readonly transport: Transport;
  /** Clock of all timers of controllers and kubelets; connections use real time. */
  readonly clock: Clock;
  /** Spreads retries of connections. */
  readonly random?: () => number;
  readonly log: Logger;
  /**
   * Asks the API server to send every watch its current version. With it the controllers work in lockstep,
   * one key after the other, so that the same inputs give the same history; without it, `idle` has to compare
   * lists.
   */
  readonly barrier?: Barrier;
  /** Milliseconds since the epoch; earlier events are not written, as if they had expired. */
  readonly eventsFrom?: number;
}

export interface ControllersOptions extends ControllerEnvironment {
  /** Nodes to create where they are missing. */
  readonly nodes?: readonly SandboxNode[];
  readonly podBehaviour?: PodBehaviours;
  /**
   * The values that Prometheus reports in this cluster; without them no controller rolls out OAM Rollouts.
   */
  readonly metrics?: PlayedMetrics;
}

export interface Controllers {
  /** Resolves when nothing is left to do before the next timer, or the controllers have been stopped. */
  idle(): Promise<void>;
  /** Milliseconds since the epoch of the next timer; undefined without one. */
  nextTimer(): number | undefined;
  /** Resolves when pending work is done. May be called at any time; the next start continues from there. */
  stop(): Promise<void>;
}

/** Runs the controllers, the scheduler and the kubelets of a cluster against its API server. */
export function startControllers(options: ControllersOptions): Controllers {
  return startManager(options, (manager) => {
    runDeployments(manager);
    runReplicaSets(manager);
    runStatefulSets(manager);
    runDaemonSets(manager);
    runKruise(manager);
    runLeaderWorkerSets(manager);
    runArgoRollouts(manager);
    runStormServices(manager);
    runKubevela(manager);
    runArgoCd(manager);
    runApplicationSets(manager);
    runFlux(manager);
    if (options.metrics !== undefined) runOamRollouts(manager, options.metrics);
    runScheduler(manager);
    runNodes(manager, options.nodes ?? []);
    runKubelets(manager, options.podBehaviour ?? behaviourByImage);
  });
}

/** Starts the controllers that `run` adds to a manager; alone they run in addition to those of a cluster. */
export function startManager(
  options: ControllerEnvironment,
  run: (manager: ControllerManager) => void,
): Controllers {
  const manager = new ControllerManager({
    transport: options.transport,
    clock: options.clock,
    random: options.random ?? Math.random,
    log: options.log,
    eventsFrom: options.eventsFrom ?? -Infinity,
    barrier: options.barrier,
  });
  run(manager);
  const started = manager.start();
  return {
    idle: async () => {
      await started;
      await manager.idle();
    },
    nextTimer: () => manager.nextTimer,
    stop: async () => {
      await manager.stop();
      await started;
    },
  };
}
