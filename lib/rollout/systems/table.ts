import { argoRolloutSystem } from '@/lib/argo/argo-system';
import { flaggerSystem } from '@/lib/rollout/flagger/flagger-system';
import { appDeploymentSystem } from '@/lib/rollout/oam/app-deployment';
import {
  applicationDeploymentSystem,
  appRolloutSystem,
  oamRolloutSystem,
  rolloutTraitSystem,
} from '@/lib/rollout/oam/oam-systems';
import { kruiseRolloutSystem } from '@/lib/rollout/openkruise/kruise-system';
import type { RolloutSystem } from '@/lib/rollout/system';

/** Every system of rollouts that Shiplog knows. This is the only list. */
export const rolloutSystems: readonly RolloutSystem[] = [
  kruiseRolloutSystem,
  argoRolloutSystem,
  flaggerSystem,
  oamRolloutSystem,
  appRolloutSystem,
  applicationDeploymentSystem,
  appDeploymentSystem,
  rolloutTraitSystem,
];

const byResource = new Map(rolloutSystems.map((system) => [system.resource.id, system]));

/**
 * The system of a resource by its id (`rollouts.rollouts.kruise.io`), or undefined where Shiplog knows none.
 */
export function systemOf(resourceId: string): RolloutSystem | undefined {
  return byResource.get(resourceId);
}

/** The labels of a pod that name its step in some system. */
export const rolloutPodLabels: ReadonlySet<string> = new Set(
  rolloutSystems.flatMap((system) => system.podLabels),
);
