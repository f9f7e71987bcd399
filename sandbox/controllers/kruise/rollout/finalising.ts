import { abandon, release } from '@/sandbox/controllers/kruise/rollout/batch';
import { IN_PROGRESSING } from '@/sandbox/controllers/kruise/rollout/rollout-object';
import type { RolloutPass, StepProgress } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
import { changeTraffic, type WantedTraffic } from '@/sandbox/controllers/kruise/rollout/traffic';

/** `cut`: disabled or deleted midway, which updates the rest without a wait. */
type Ending = 'success' | 'rollback' | 'cut';

const [TO_NEW, TO_STABLE] = ['FinalisingStepRouteTrafficToNew', 'FinalisingStepRouteTrafficToStable'];
const [RESTORE, REMOVE] = ['RestoreStableService', 'RemoveCanaryService'];
const [RESUME, RELEASE, END] = ['ResumeWorkload', 'ReleaseWorkloadControl', 'END'];

const TRAFFIC_STEPS: Readonly<Record<string, WantedTraffic>> = {
  [TO_NEW]: { percent: 100 },
  [TO_STABLE]: { percent: null },
  [RESTORE]: { stable: null },
  [REMOVE]: { canary: null },
};

/** https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_canary.go and rollout_bluegreen.go */
const FORWARD = [RESTORE, TO_STABLE, REMOVE, RESUME, RELEASE, END];
const BACK = [TO_STABLE, RESUME, RELEASE, RESTORE, REMOVE, END];
const BLUE_GREEN_FORWARD = [TO_NEW, RESTORE, RESUME, TO_STABLE, REMOVE, RELEASE, END];
const BLUE_GREEN_BACK = [TO_STABLE, RESUME, RESTORE, REMOVE, RELEASE, END];

/** Ends a rollout in progress one step further, if that is possible. */
export async function end(pass: RolloutPass, ending: 'success' | 'rollback'): Promise<void> {
  if (!(await finalise(pass, ending))) return;
  const isSuccess = ending === 'success';
  pass.message = `Rollout progressing has been ${isSuccess ? 'completed' : 'cancelled'}`;
  pass.setCondition('Progressing', 'False', 'Completed');
  pass.setCondition('Succeeded', isSuccess ? 'True' : 'False', '');
  pass.phase = 'Healthy';
}

/** Returns whether the rollout is finalized. */
export async function finalise(pass: RolloutPass, ending: Ending): Promise<boolean> {
  const { progress, workload, style } = pass;
  if (workload?.isInProgress === true)
    await workload.resource.merge(workload.object, { metadata: { annotations: { [IN_PROGRESSING]: null } } });
  if (progress === undefined || progress.finalisingStep === END) return true;
  const orders = style === 'BlueGreen' ? [BLUE_GREEN_FORWARD, BLUE_GREEN_BACK] : [FORWARD, BACK];
  const order = orders[ending === 'rollback' ? 1 : 0] ?? [];
  const index = order.indexOf(progress.finalisingStep);
  if (index !== -1 && !(await close(pass, progress, ending))) return false;
  pass.enter(progress, { finalisingStep: order[index + 1] ?? END });
  return progress.finalisingStep === END;
}

function close(pass: RolloutPass, progress: StepProgress, ending: Ending): Promise<boolean> {
  const wanted = TRAFFIC_STEPS[progress.finalisingStep];
  if (wanted !== undefined) return changeTraffic(pass, progress, wanted);
  return progress.finalisingStep === RESUME ? release(pass, progress, ending === 'success') : abandon(pass);
}
