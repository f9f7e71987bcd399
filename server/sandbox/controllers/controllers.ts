import { type Clock } from '@/server/cluster/clock';
import { type Transport } from '@/server/cluster/transport';
import { type Logger } from '@/server/log';
import { runArgoRollouts } from '@/server/sandbox/controllers/argo/argo-controller';
import { runDaemonSets } from '@/server/sandbox/controllers/daemon-set/daemon-set-controller';
import { runDeployments } from '@/server/sandbox/controllers/deployment/deployment-controller';
import { type Barrier, World } from '@/server/sandbox/controllers/engine/world';
import { runGarbageCollector } from '@/server/sandbox/controllers/garbage/garbage-collector';
import { runKruise } from '@/server/sandbox/controllers/kruise/kruise';
import { behaviourByImage, type PodBehaviours } from '@/server/sandbox/controllers/kubelet/behaviour';
import { runKubelets } from '@/server/sandbox/controllers/kubelet/kubelet';
import { runNodes, type SandboxNode } from '@/server/sandbox/controllers/kubelet/nodes';
import { runKubevela } from '@/server/sandbox/controllers/kubevela/kubevela-controller';
import { runLeaderWorkerSets } from '@/server/sandbox/controllers/leader-worker-set/leader-worker-set-controller';
import { type Metrics, runOamRollouts } from '@/server/sandbox/controllers/oam-rollout/oam-rollout-player';
import { runReplicaSets } from '@/server/sandbox/controllers/replica-set/replica-set-controller';
import { runScheduler } from '@/server/sandbox/controllers/scheduler/scheduler';
import { runStormServices } from '@/server/sandbox/controllers/storm-service/storm-service-controller';
import { runStatefulSets } from '@/server/sandbox/controllers/stateful-set/stateful-set-controller';

/** What all controllers need. */
export interface WorldOfControllers {
  /** Must be allowed to write. Stays open when the controllers stop. */
  readonly transport: Transport;
  /** All waiting of controllers and kubelets goes by it; connections keep to real time. */
  readonly clock: Clock;
  /** Spreads retries of connections. */
  readonly random?: () => number;
  readonly log: Logger;
  /**
   * Asks the API server to tell every watch how far it is. With it the controllers work in lockstep, one key after
   * the other, so that the same inputs give the same history; without, `idle` has to compare lists.
   */
  readonly barrier?: Barrier;
  /** Milliseconds since the epoch; events before are not written, as if they had expired. */
  readonly eventsFrom?: number;
}

export interface ControllersOptions extends WorldOfControllers {
  /** Nodes to create where they are missing. */
  readonly nodes?: readonly SandboxNode[];
  readonly podBehaviour?: PodBehaviours;
  /** What Prometheus says in this cluster; without it nobody rolls Rollouts of OAM. */
  readonly metrics?: Metrics;
  /** For an API server that leaves it to others to delete what has lost its owner. */
  readonly collectGarbage?: boolean;
}

export interface Controllers {
  /** Resolves when nothing is left to do before the next timer, or the controllers have been stopped. */
  idle(): Promise<void>;
  /** Milliseconds since the epoch at which something happens by itself; undefined if nothing does. */
  nextTimer(): number | undefined;
  /** Resolves when what was under way is done. May be called at any moment; the next start goes on from there. */
  stop(): Promise<void>;
}

/** Runs the controllers, the scheduler and the kubelets of a cluster against its API server. */
export function startControllers(options: ControllersOptions): Controllers {
  return start(options, (world) => {
    runDeployments(world);
    runReplicaSets(world);
    runStatefulSets(world);
    runDaemonSets(world);
    runKruise(world);
    runLeaderWorkerSets(world);
    runArgoRollouts(world);
    runStormServices(world);
    runKubevela(world);
    if (options.metrics !== undefined) runOamRollouts(world, options.metrics);
    runScheduler(world);
    runNodes(world, options.nodes ?? []);
    runKubelets(world, options.podBehaviour ?? behaviourByImage);
    if (options.collectGarbage === true) runGarbageCollector(world);
  });
}

/** Runs the controllers of OpenKruise alone, beside the controllers that a cluster has already. */
export function startKruiseControllers(options: WorldOfControllers): Controllers {
  return start(options, runKruise);
}

/** Runs the controller of LeaderWorkerSets alone, beside the controllers that a cluster has already. */
export function startLeaderWorkerSetControllers(options: WorldOfControllers): Controllers {
  return start(options, runLeaderWorkerSets);
}

/** Runs the controller of Argo Rollouts alone, beside the controllers that a cluster has already. */
export function startArgoControllers(options: WorldOfControllers): Controllers {
  return start(options, runArgoRollouts);
}

/** Runs the controller of KubeVela's Applications alone, beside the controllers that a cluster has already. */
export function startKubevelaControllers(options: WorldOfControllers): Controllers {
  return start(options, runKubevela);
}

function start(options: WorldOfControllers, run: (world: World) => void): Controllers {
  const world = new World({
    transport: options.transport,
    clock: options.clock,
    random: options.random ?? Math.random,
    log: options.log,
    eventsFrom: options.eventsFrom ?? -Infinity,
    barrier: options.barrier,
  });
  run(world);
  const started = world.start();
  return {
    idle: async () => {
      await started;
      await world.idle();
    },
    nextTimer: () => world.nextTimer,
    stop: async () => {
      await world.stop();
      await started;
    },
  };
}
