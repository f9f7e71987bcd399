import { whatArgoUndoes } from '@/lib/owners/argo';
import { whatHelmReleaseUndoes, whatKustomizationUndoes, whatResourceSetUndoes } from '@/lib/owners/flux';
import type { Marked, Owner, OwnerReading, ToolName } from '@/lib/owners/owner';
import type { Verdict } from '@/lib/owners/verdict';

/** Fleet reverts only with `correctDrift`, kapp only when it deploys. */
const toolVerdicts: Readonly<Record<ToolName, Verdict>> = {
  'Config Sync': { when: 'seconds' },
  'Rancher Fleet': { when: 'nextRun' },
  kapp: { when: 'nextDeployment' },
  KubeVela: { when: 'nextRun' },
};

/** What an owner does to a change of the object that was made by hand, and when. */
export function whatUndoes(reading: OwnerReading, marked: Marked, nowMs: number): Verdict {
  const { owner, object } = reading;
  if (owner.kind === 'tool') return toolVerdicts[owner.tool];
  if (owner.kind === 'pipeline') return { when: 'nextDeployment' };
  if (owner.kind === 'helm') return { when: 'nextUpgrade' };
  if (owner.name === null) return { when: 'unknown', because: 'unnamed' };
  const excluded = exclusionOf(owner);
  if (excluded !== null) return excluded;
  if (object.state !== 'found') return { when: 'unknown', because: object.state };
  switch (owner.kind) {
    case 'application':
      return whatArgoUndoes(object.object, reading, marked, nowMs);
    case 'kustomization':
      return whatKustomizationUndoes(object.object, marked, nowMs);
    case 'helmRelease':
      return whatHelmReleaseUndoes(object.object, marked, nowMs);
    case 'resourceSet':
      return whatResourceSetUndoes(object.object, nowMs);
    default:
      return owner satisfies never;
  }
}

/** The mark of a HelmRelease excludes from drift detection, and not from upgrades. */
function exclusionOf(owner: Owner): Verdict | null {
  if (owner.kind === 'application' || !('excludedBy' in owner) || owner.excludedBy === null) return null;
  return owner.kind === 'helmRelease' ? { when: 'nextUpgrade' } : { when: 'excluded', by: owner.excludedBy };
}
