import { CONTROLLER_LABEL, CONTROLLER_VALUE, FIELD_MANAGER } from '@/lib/oam/eligible';
import { keyOf } from '@/server/cluster/reflector-store';
import { type Send } from '@/server/controllers/oam-rollout/checker';
import { RolloutMover } from '@/server/controllers/oam-rollout/rollout-mover';
import { type World } from '@/server/sandbox/controllers/engine/world';

/** The value that a query has now; undefined for one that nobody can answer. */
export type Metrics = (query: string) => number | undefined;

/** Nobody listens there: who asks is answered in this process. */
const PROMETHEUS = 'http://prometheus.invalid';

/**
 * Has Shiplog's own controller roll Rollouts of OAM, wherever they are served, a move at a time and in step with the
 * other controllers. Webhooks agree; what metrics say is given.
 */
export function runOamRollouts(world: World, metrics: Metrics): void {
  const mover = new RolloutMover({
    transport: world.transport,
    clock: world.clock,
    log: world.log,
    prometheusUrl: PROMETHEUS,
    send: answering(metrics),
    tell: (about, notice) => {
      world.events.record({ about, ...notice, source: { component: FIELD_MANAGER } });
      return Promise.resolve();
    },
  });
  const work = world.register((key) => mover.sync(key, work));
  world.follow('rollouts.standard.oam.dev').onChange(({ object }) => {
    if (object?.metadata.labels?.[CONTROLLER_LABEL] === CONTROLLER_VALUE) work.add(keyOf(object));
  });
}

/** https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries */
function answering(metrics: Metrics): Send {
  return (url) => {
    const query = url.startsWith(PROMETHEUS) ? new URL(url).searchParams.get('query') : null;
    const value = query === null ? undefined : metrics(query);
    const result = value === undefined ? [] : [0, String(value)];
    const data = { resultType: value === undefined ? 'vector' : 'scalar', result };
    return Promise.resolve({ status: 200, text: JSON.stringify({ status: 'success', data }) });
  };
}
