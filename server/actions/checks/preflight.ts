import 'server-only';
import { type Finding } from '@/lib/workloads/plan';
import { runCheck, type CheckInput } from '@/server/actions/checks/check';
import { checkRecordedObjects, checkReferences } from '@/server/actions/checks/named-objects';
import { checkRoom } from '@/server/actions/checks/room';
import { checkAutoscaler, checkDisruptionBudgets } from '@/server/actions/checks/scaling';
import { checkImages, checkStartTime } from '@/server/actions/checks/start-time';
import { checkSyncPolicy } from '@/server/actions/checks/sync-policy';

/**
 * Every check that can run beforehand on whether pods of the template will start. All at once, as the viewer.
 */
export async function preflight(input: CheckInput): Promise<Finding[]> {
  const findings = await Promise.all([
    checkReferences(input),
    checkRecordedObjects(input),
    checkRoom(input),
    checkSyncPolicy(input),
    runCheck('autoscaler', 'HorizontalPodAutoscalers', () => checkAutoscaler(input)),
    runCheck('disruption_budget', 'PodDisruptionBudgets', () => checkDisruptionBudgets(input)),
    runCheck('images', 'Image availability on nodes', () => checkImages(input)),
  ]);
  return [...findings.flat(), ...checkStartTime(input)];
}
