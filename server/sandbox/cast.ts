import { type Clock } from '@/server/cluster/clock';
import { type Transport } from '@/server/cluster/transport';
import { type Logger } from '@/server/log';
import { type SandboxApi } from '@/server/sandbox/api/sandbox-api';
import { type Controllers, startControllers } from '@/server/sandbox/controllers/controllers';
import { barrierOf } from '@/server/sandbox/controllers/engine/in-process-barrier';
import { transportAs } from '@/server/sandbox/own-transport';
import { storyBehaviour } from '@/server/sandbox/story/behaviour';
import { storyMetrics } from '@/server/sandbox/story/metrics';

/** Those who act in the sandbox: whoever speaks for people, and the controllers. */
export interface Cast {
  /** May impersonate. */
  readonly people: Transport;
  readonly controllers: Controllers;
  /** Resolves when nobody acts any more. */
  leave(): Promise<void>;
}

/** The user that kubeconfigs of the sandbox are made for. */
export const OWNER = 'admin';
const MANAGER = 'system:kube-controller-manager';
const NODES = ['worker-1', 'worker-2', 'worker-3', 'worker-4', 'worker-5'].map((name) => ({ name }));

/** `eventsFrom`, milliseconds since the epoch: what happened before leaves no events, as if they had expired. */
export function startCast(api: SandboxApi, clock: Clock, log: Logger, eventsFrom = 0): Cast {
  const people = transportAs(api, OWNER);
  const manager = transportAs(api, MANAGER);
  const controllers = startControllers({
    transport: manager,
    clock,
    log,
    nodes: NODES,
    podBehaviour: storyBehaviour,
    metrics: storyMetrics,
    barrier: barrierOf(api, MANAGER),
    eventsFrom,
  });
  return {
    people,
    controllers,
    leave: async () => {
      await controllers.stop();
      await Promise.all([people.close(), manager.close()]);
    },
  };
}
