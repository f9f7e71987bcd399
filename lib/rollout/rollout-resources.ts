import { canaries } from '@/lib/rollout/flagger/resources';
import {
  appDeployments,
  applicationDeployments,
  appRollouts,
  oamRollouts,
  rolloutTraits,
} from '@/lib/rollout/oam/resources';
import { rollouts } from '@/lib/rollout/openkruise/resources';

/** Of every system in `systems.ts` whose objects are no workloads themselves, without its rules: for pages, which need none of them. */
const ids: ReadonlySet<string> = new Set(
  [rollouts, canaries, oamRollouts, appRollouts, appDeployments, applicationDeployments, rolloutTraits].map(
    ({ id }) => id,
  ),
);

/** Whether the id is that of a rollout's resource, and not of a workload's. */
export function isRolloutResource(id: string): boolean {
  return ids.has(id);
}
