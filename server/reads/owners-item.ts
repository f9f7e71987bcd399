import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { OwnerItem, ownerSchema } from '@/lib/api/owner';
import type { Workload } from '@/lib/history/workload';
import { ownerItems } from '@/lib/workloads/owner-checks';
import type { ReadContext } from '@/server/views/context';
import { readOwners } from '@/server/views/owner-readings';
import type { Mask } from '@/server/shared/mask';
import type { Viewer } from '@/server/shared/viewer';

/** The whole page waits for it; what takes longer is unknown. */
const TIMEOUT_MS = 1_000;

/** What manages a workload and what that does to a change, as the viewer can read it. */
export async function ownersItem(
  { cluster, hubsOf, keys, now }: ReadContext,
  viewer: Viewer,
  workload: Workload,
): Promise<Answer<typeof ownerSchema>[]> {
  const reader = { cluster, viewer, hubs: hubsOf?.(viewer) ?? [], timeoutMs: TIMEOUT_MS };
  const readings = await readOwners(reader, workload);
  return ownerItems(readings, workload, now()).map((item) => maskedOwner(item, keys.mask));
}

function maskedOwner(
  { name, evidence, note, advice, command, manifest, ...item }: OwnerItem,
  mask: Mask,
): Answer<typeof ownerSchema> {
  return {
    ...item,
    name: mask.text(name),
    evidence: mask.text(evidence),
    note: mask.text(note),
    advice: mask.text(advice),
    ...(command !== undefined && { command: mask.text(command) }),
    ...(manifest !== undefined && { manifest: mask.text(manifest) }),
  };
}
