import { deleteBatches, finishBatches } from '@/sandbox/controllers/kruise/rollout/batch';
import { type RolloutPass } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
import { IN_PROGRESSING } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { changeTraffic } from '@/sandbox/controllers/kruise/rollout/steps';
import { type SubStatus } from '@/sandbox/controllers/kruise/rollout/sub-status';

type ClosingStep =
  | 'FinalisingStepRouteTrafficToNew'
  | 'FinalisingStepRouteTrafficToStable'
  | 'RestoreStableService'
  | 'RemoveCanaryService'
  | 'ResumeWorkload'
  | 'ReleaseWorkloadControl';

export type Ending = 'success' | 'rollback';

const TO_STABLE = 'FinalisingStepRouteTrafficToStable';

/** https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_canary.go and rollout_bluegreen.go */
const ORDERS: Record<'canary' | 'blueGreen', Record<Ending, readonly ClosingStep[]>> = {
  canary: {
    success: [
      'RestoreStableService',
      TO_STABLE,
      'RemoveCanaryService',
      'ResumeWorkload',
      'ReleaseWorkloadControl',
    ],
    rollback: [
      TO_STABLE,
      'ResumeWorkload',
      'ReleaseWorkloadControl',
      'RestoreStableService',
      'RemoveCanaryService',
    ],
  },
  blueGreen: {
    success: [
      'FinalisingStepRouteTrafficToNew',
      'RestoreStableService',
      'ResumeWorkload',
      TO_STABLE,
      'RemoveCanaryService',
      'ReleaseWorkloadControl',
    ],
    rollback: [
      TO_STABLE,
      'ResumeWorkload',
      'RestoreStableService',
      'RemoveCanaryService',
      'ReleaseWorkloadControl',
    ],
  },
};

/** Finalizes a rollout one step further, if that is possible. Returns whether it is finalized. */
export async function finalise(pass: RolloutPass, ending: Ending): Promise<boolean> {
  const { sub } = pass;
  await leaveProgress(pass);
  if (sub === undefined || sub.finalisingStep === 'END') return true;
  const order = ORDERS[pass.style === 'BlueGreen' ? 'blueGreen' : 'canary'][ending];
  const index = order.findIndex((step) => step === sub.finalisingStep);
  const step = order[Math.max(0, index)];
  if (step === undefined) return true;
  sub.finalisingStep = step;
  if (!(await close(pass, step, sub, ending))) return false;
  sub.finalisingStep = order[Math.max(0, index) + 1] ?? 'END';
  return sub.finalisingStep === 'END';
}

function close(pass: RolloutPass, step: ClosingStep, sub: SubStatus, ending: Ending): Promise<boolean> {
  const { traffic } = pass;
  switch (step) {
    case 'FinalisingStepRouteTrafficToNew':
      return changeTraffic(pass, sub, () => traffic.routeToNew());
    case 'FinalisingStepRouteTrafficToStable':
      return changeTraffic(pass, sub, () => traffic.routeToStable());
    case 'RestoreStableService':
      return changeTraffic(pass, sub, () => traffic.restoreStable());
    case 'RemoveCanaryService':
      return changeTraffic(pass, sub, () => traffic.removeService());
    case 'ResumeWorkload':
      return finishBatches(pass, ending === 'success' ? 'WaitResume' : 'Immediate');
    case 'ReleaseWorkloadControl':
      return deleteBatches(pass);
    default:
      return step satisfies never;
  }
}

async function leaveProgress({ workload }: RolloutPass): Promise<void> {
  if (workload?.isInProgress !== true) return;
  await workload.resource.merge(workload.object, { metadata: { annotations: { [IN_PROGRESSING]: null } } });
}
