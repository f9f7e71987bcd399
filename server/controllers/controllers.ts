import 'server-only';
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Clock } from '@/server/shared/clock';
import { type Transport } from '@/server/cluster/transport';
import { type Config } from '@/server/shared/config';
import { Leader, type LeaderState } from '@/server/controllers/leader';
import { OamRolloutController } from '@/server/controllers/oam-rollout/oam-rollout-controller';
import { type Logger } from '@/server/shared/log';

/** A configured controller, and the process that runs it. */
export interface ControllerState extends LeaderState {
  readonly name: string;
}

export interface RunningControllers {
  states(): readonly ControllerState[];
  /** Resolves when the running work is done, and the lease has been released. */
  stop(): Promise<void>;
}

export interface ControllersContext {
  readonly config: Pick<Config, 'controllers' | 'namespaces' | 'leaseNamespace' | 'prometheusUrl'>;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
}

const LEASE = 'shiplog-controllers';

/** Runs the configured controllers, in one of all processes; undefined when none is configured. */
export function startControllers({
  config,
  transport,
  clock,
  log,
}: ControllersContext): RunningControllers | undefined {
  if (!config.controllers.includes('oam-rollout')) return undefined;
  const leader = new Leader({
    transport,
    namespace: config.leaseNamespace,
    name: LEASE,
    holder: `${hostname()}_${randomUUID()}`,
    clock,
    log,
  });
  const rollouts = new OamRolloutController({
    transport,
    namespaces: config.namespaces,
    isLeader: () => leader.isHeld,
    prometheusUrl: config.prometheusUrl,
    clock,
    log,
  });
  leader.start();
  rollouts.start();
  return {
    states: () => [{ name: 'oam-rollout', ...leader.state }],
    stop: async () => {
      await rollouts.stop();
      await leader.stop();
    },
  };
}
