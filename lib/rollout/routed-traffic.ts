import { type JsonObject } from '@/lib/kube/json';
import { type Rollout, type Traffic } from '@/lib/rollout/rollout';
import { type ResourceType } from '@/lib/workloads/resource';

/** An object that has a part in how requests are shared out, of the rollout's namespace. */
export interface RouteRef {
  type: Pick<ResourceType, 'id' | 'group' | 'versions' | 'plural' | 'kind'>;
  name: string;
}

/** What came of reading one; `reason` is the end of a sentence. */
export type RouteReading =
  { state: 'found'; object: JsonObject } | { state: 'missing' } | { state: 'unreadable'; reason: string };

/** How requests are shared out right now. `traffic` null: not known, and `evidence` says why. */
export interface RoutedTraffic {
  traffic: Traffic | null;
  evidence: string;
}

/** The same rollout, of which the step at hand says how requests are really shared out. */
export function withTraffic(rollout: Rollout, { traffic, evidence }: RoutedTraffic): Rollout {
  const steps = rollout.steps.map((step) =>
    step.index === rollout.step.index
      ? { ...step, traffic: { planned: step.traffic.planned, actual: traffic, evidence } }
      : step,
  );
  return { ...rollout, steps };
}
