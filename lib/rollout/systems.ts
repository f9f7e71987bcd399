import { argoRollouts } from '@/lib/rollout/argo/argo-rollouts';
import { flagger } from '@/lib/rollout/flagger/flagger';
import { appDeploymentSystem } from '@/lib/rollout/oam/app-deployment';
import {
  applicationDeploymentSystem,
  appRolloutSystem,
  oamRollouts,
  rolloutTraitSystem,
} from '@/lib/rollout/oam/oam-rollouts';
import { openKruise } from '@/lib/rollout/openkruise/open-kruise';
import { type RolloutSystem } from '@/lib/rollout/system';

/** Every system of rollouts that Shiplog knows. This is the only list. */
export const rolloutSystems: readonly RolloutSystem[] = [
  openKruise,
  argoRollouts,
  flagger,
  oamRollouts,
  appRolloutSystem,
  applicationDeploymentSystem,
  appDeploymentSystem,
  rolloutTraitSystem,
];

const byResource = new Map(rolloutSystems.map((system) => [system.resource.id, system]));

/** The system of a resource by its id (`rollouts.rollouts.kruise.io`), or undefined for none of ours. */
export function systemOf(resourceId: string): RolloutSystem | undefined {
  return byResource.get(resourceId);
}

/** The labels of a pod by which systems tell its step. */
export const rolloutPodLabels: ReadonlySet<string> = new Set(
  rolloutSystems.flatMap((system) => system.podLabels),
);
