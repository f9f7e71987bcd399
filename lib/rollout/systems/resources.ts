/**
 * Of every system in `table.ts` whose objects are no workloads themselves, by name: for pages, which need nothing else
 * of them.
 */
const ids: ReadonlySet<string> = new Set([
  'rollouts.rollouts.kruise.io',
  'canaries.flagger.app',
  'rollouts.standard.oam.dev',
  'rollouttraits.standard.oam.dev',
  'approllouts.core.oam.dev',
  'appdeployments.core.oam.dev',
  'applicationdeployments.core.oam.dev',
]);

/** Whether the id is that of a rollout's resource, and not of a workload's. */
export function isRolloutResource(id: string): boolean {
  return ids.has(id);
}
