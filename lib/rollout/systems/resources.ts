import { canaries } from '@/lib/rollout/flagger/resources';
import {
  appDeployments,
  applicationDeployments,
  appRollouts,
  oamRollouts,
  rolloutTraits,
} from '@/lib/rollout/oam/resources';
import { kruiseRollouts } from '@/lib/rollout/openkruise/resources';

/**
 * Of every system in `table.ts` whose objects are no workloads themselves, without its rules: for pages,
 * which need none of them.
 */
const ids: ReadonlySet<string> = new Set(
  [
    kruiseRollouts,
    canaries,
    oamRollouts,
    appRollouts,
    appDeployments,
    applicationDeployments,
    rolloutTraits,
  ].map(({ id }) => id),
);

/** Whether the id is that of a rollout's resource, and not of a workload's. */
export function isRolloutResource(id: string): boolean {
  return ids.has(id);
}
