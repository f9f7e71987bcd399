import 'server-only';
import { findingsOfOwners } from '@/lib/workloads/owner-checks';
import type { Finding } from '@/lib/workloads/plan';
import { type CheckedTemplate, type CheckInput, runCheck, TIMEOUT_MS } from '@/server/actions/checks/check';
import { checkRecordedObjects, checkReferences } from '@/server/actions/checks/named-objects';
import { checkRoom } from '@/server/actions/checks/room';
import { checkAutoscaler, checkDisruptionBudgets } from '@/server/actions/checks/scaling';
import { checkImages, checkStartTime } from '@/server/actions/checks/start-time';
import { readOwners } from '@/server/views/owner-readings';

/**
 * Every check that can run beforehand on whether pods of the template will start. All at once, as the viewer. Only what
 * depends on the template that will be stored waits for the dry run.
 */
export async function preflight(
  input: CheckInput,
  requested: CheckedTemplate,
  stored: Promise<CheckedTemplate>,
): Promise<Finding[]> {
  const findings = await Promise.all([
    stored.then((template) => checkReferences(input, template)),
    checkRecordedObjects(input, requested),
    checkRoom(input, stored),
    checkGitOps(input),
    runCheck('autoscaler', 'HorizontalPodAutoscalers', () => checkAutoscaler(input)),
    runCheck('disruption_budget', 'PodDisruptionBudgets', () => checkDisruptionBudgets(input, stored)),
    runCheck('images', 'Image availability on nodes', async () => checkImages(input, await stored)),
    stored.then((template) => checkStartTime(input, template)),
  ]);
  return findings.flat();
}

/**
 * The findings on GitOps with the objects of the owners, as the viewer can read them: they replace those of the plan,
 * which has read none. Of a template in another object, its owners count too.
 */
export async function checkGitOps({ cluster, viewer, hubs, current, nowMs }: CheckInput): Promise<Finding[]> {
  const { workload, templateOwner } = current;
  const holders = templateOwner?.state === 'found' ? [workload, templateOwner.workload] : [workload];
  const reader = { cluster, viewer, hubs, timeoutMs: TIMEOUT_MS };
  const findings = await Promise.all(
    holders.map(async (holder) => findingsOfOwners(await readOwners(reader, holder), holder, nowMs)),
  );
  const messages = new Set<string>();
  return findings.flat().filter(({ code, message }) => {
    const isFirst = code === 'gitops_owner' && !messages.has(message);
    messages.add(message);
    return isFirst;
  });
}
