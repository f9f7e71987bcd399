import { type ArgoSpec, type ArgoStatus } from '@/sandbox/controllers/argo/argo-rollout';

export interface PlayedPhase {
  phase: 'Healthy' | 'Degraded' | 'Progressing' | 'Paused';
  message: string;
}

/** https://github.com/argoproj/argo-rollouts/blob/master/utils/rollout/rolloututil.go (CalculateRolloutPhase) */
export function phaseOf(spec: ArgoSpec, status: ArgoStatus): PlayedPhase {
  for (const { type, reason = '', message = '' } of status.conditions ?? []) {
    if (type === 'InvalidSpec') return { phase: 'Degraded', message: `InvalidSpec: ${message}` };
    if (reason === 'RolloutAborted' || reason === 'ProgressDeadlineExceeded')
      return { phase: 'Degraded', message: `${reason}: ${message}` };
  }
  if (spec.paused === true) return { phase: 'Paused', message: 'manually paused' };
  const [pause] = status.pauseConditions ?? [];
  if (pause !== undefined) return { phase: 'Paused', message: pause.reason };
  const message = waitOf(spec, status);
  return message === '' ? { phase: 'Healthy', message } : { phase: 'Progressing', message };
}

function waitOf(spec: ArgoSpec, status: ArgoStatus): string {
  const { updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status;
  if (spec.restartAt !== undefined && spec.restartAt !== status.restartedAt) return 'rollout is restarting';
  if (updatedReplicas < spec.replicas) return 'more replicas need to be updated';
  if (availableReplicas < updatedReplicas) return 'updated replicas are still becoming available';
  const { canary, blueGreen } = spec.strategy;
  const isPromoted = status.stableRS !== undefined && status.stableRS === status.currentPodHash;
  if (blueGreen !== undefined) {
    if (status.blueGreen?.activeSelector !== status.currentPodHash) return 'active service cutover pending';
    return isPromoted ? '' : 'waiting for post-promotion verification to complete';
  }
  if (canary?.trafficRouting === undefined && replicas > updatedReplicas)
    return 'old replicas are pending termination';
  return isPromoted ? '' : 'waiting for all steps to complete';
}
