import type { JsonObject } from '@/lib/kube/json';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { Traffic } from '@/lib/api/rollout-fields';
import type { ResourceType } from '@/lib/kube/resource';

/** An object that determines how requests are shared out, in the rollout's namespace. */
export interface RouteRef {
  type: Pick<ResourceType, 'id' | 'group' | 'versions' | 'plural' | 'kind'>;
  name: string;
}

/** The result of reading one; `reason` is the end of a sentence. */
export type RouteReading =
  { state: 'found'; object: JsonObject } | { state: 'missing' } | { state: 'unreadable'; reason: string };

/** How requests are currently shared out. `traffic` null: not known; `evidence` has the reason. */
export interface RoutedTraffic {
  traffic: Traffic | null;
  evidence: string;
}

/** The same rollout, with the actual traffic at the current step. */
export function withTraffic(
  rollout: ProgressiveRollout,
  { traffic, evidence }: RoutedTraffic,
): ProgressiveRollout {
  const steps = rollout.steps.map((step) =>
    step.index === rollout.step.index
      ? { ...step, traffic: { planned: step.traffic.planned, actual: traffic, evidence } }
      : step,
  );
  return { ...rollout, steps };
}
