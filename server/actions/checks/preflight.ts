import 'server-only';
import { AppError } from '@/lib/errors';
import { type Finding } from '@/lib/workloads/plan';
import { checkAutoscaler } from '@/server/actions/checks/autoscaler';
import { runCheck, type CheckInput, uncheckedFinding } from '@/server/actions/checks/check';
import { checkDisruptionBudgets } from '@/server/actions/checks/disruption-budget';
import { checkImages } from '@/server/actions/checks/images';
import { checkLimits, readLimitRanges } from '@/server/actions/checks/limits';
import { checkQuota } from '@/server/actions/checks/quota';
import { checkRecordedObjects } from '@/server/actions/checks/recorded-objects';
import { checkReferences } from '@/server/actions/checks/references';
import { checkStartTime } from '@/server/actions/checks/start-time';

/**
 * Every check that can run beforehand on whether pods of the template will start. All at once, as the viewer.
 */
export async function preflight(input: CheckInput): Promise<Finding[]> {
  const findings = await Promise.all([
    checkReferences(input),
    checkRecordedObjects(input),
    checkLimitsAndQuota(input),
    runCheck('autoscaler', 'HorizontalPodAutoscalers', () => checkAutoscaler(input)),
    runCheck('disruption_budget', 'PodDisruptionBudgets', () => checkDisruptionBudgets(input)),
    runCheck('images', 'On which nodes the images are', () => checkImages(input)),
  ]);
  return [...findings.flat(), ...checkStartTime(input)];
}

/** The quota counts with the defaults of the LimitRanges, where the viewer is allowed to read these. */
async function checkLimitsAndQuota(input: CheckInput): Promise<Finding[]> {
  const ranges = await readLimitRanges(input).catch((error: unknown) => {
    if (error instanceof AppError) return error;
    throw error;
  });
  const [limits, defaults] =
    ranges instanceof AppError
      ? [[uncheckedFinding('limit_range', 'LimitRanges', ranges)], undefined]
      : [checkLimits(input, ranges), ranges.defaults];
  const quota = await runCheck('quota', 'Whether the quota has room', () => checkQuota(input, defaults));
  return [...limits, ...quota];
}
