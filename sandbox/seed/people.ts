import { type SeedActor } from '@/sandbox/seed/workload-seed';

const KUBECTL_APPLY = 'kubectl-client-side-apply';

export const majaLind = person('maja.lind', KUBECTL_APPLY);
export const ivanPetrov = person('ivan.petrov', KUBECTL_APPLY);
export const jonasWeber = person('jonas.weber', KUBECTL_APPLY);
export const leaBrandt = person('lea.brandt', KUBECTL_APPLY);
export const priyaNair = person('priya.nair', KUBECTL_APPLY);
export const noraFalk = person('nora.falk', KUBECTL_APPLY);
export const saraKim = person('sara.kim', KUBECTL_APPLY);

export const argo = person('system:serviceaccount:argocd:argocd-application-controller', 'argocd-controller');
export const flux = person('system:serviceaccount:flux-system:kustomize-controller', 'kustomize-controller');
export const helmController = person('system:serviceaccount:flux-system:helm-controller', 'helm-controller');
export const helm = person('ops-bot', 'helm');
/** It applies by default, unlike Helm 3. */
export const helm4: SeedActor = { ...helm, applies: true };
export const flagger = person('system:serviceaccount:flagger-system:flagger', 'flagger');
/** `vela up` in the pipeline. */
export const vela = person('ops-bot', 'vela');
export const pipeline = person('ops-bot', KUBECTL_APPLY);

/** With `kubectl set image`, `kubectl rollout undo` and so on, which set their own field managers. */
export function using(
  command: 'set' | 'rollout' | 'edit' | 'scale' | 'patch' | 'kruise' | 'argo-rollouts',
  { user }: SeedActor,
): SeedActor {
  return { user, manager: `kubectl-${command}` };
}

function person(user: string, manager: string): SeedActor {
  return { user, manager };
}
