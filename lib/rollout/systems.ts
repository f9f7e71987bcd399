import { openKruise } from '@/lib/rollout/openkruise/open-kruise';
import { type RolloutSystem } from '@/lib/rollout/system';

/** Every system of rollouts that Shiplog knows. This is the only list. */
export const rolloutSystems: readonly RolloutSystem[] = [openKruise];

const byResource = new Map(rolloutSystems.map((system) => [system.resource.id, system]));

/** The system of a resource by its id (`rollouts.rollouts.kruise.io`), or undefined for none of ours. */
export function systemOf(resourceId: string): RolloutSystem | undefined {
  return byResource.get(resourceId);
}

const podLabels = new Set(rolloutSystems.flatMap((system) => system.podLabels));

/** The labels of a pod by which systems tell its step; undefined where it has none. */
export function rolloutMarks(
  labels: Readonly<Record<string, string>> = {},
): Record<string, string> | undefined {
  let marks: Record<string, string> | undefined;
  for (const key of podLabels) {
    if (!Object.hasOwn(labels, key)) continue;
    marks ??= {};
    marks[key] = labels[key] ?? '';
  }
  return marks;
}
