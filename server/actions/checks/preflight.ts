import 'server-only';
import { type Finding } from '@/lib/workloads/plan';
import { runCheck, type CheckInput, readAs } from '@/server/actions/checks/check';
import { checkRecordedObjects, checkReferences } from '@/server/actions/checks/named-objects';
import { checkRoom } from '@/server/actions/checks/room';
import { checkAutoscaler, checkDisruptionBudgets } from '@/server/actions/checks/scaling';
import { checkImages, checkStartTime } from '@/server/actions/checks/start-time';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import { resourcePath } from '@/lib/kube/resource';
import { type ArgoSyncPolicy, argoApplicationOf, checkManagingTools } from '@/lib/workloads/managing-tools';

const APPLICATIONS = { group: 'argoproj.io', plural: 'applications' };
/** Where Argo CD is installed unless an application names another namespace. */
const DEFAULT_NAMESPACE = 'argocd';

/**
 * The findings on GitOps with the sync policy of the Argo CD application, where this cluster has the application and the
 * viewer is allowed to read it; none otherwise, so that those of the plan stay, which call it unknown.
 */
async function checkSyncPolicy(input: CheckInput): Promise<Finding[]> {
  const { workload } = input.current;
  const application = argoApplicationOf(workload);
  if (application === null) return [];
  const [name = '', namespace = DEFAULT_NAMESPACE] = application.split('/').reverse();
  try {
    const found = await readAs(input, resourcePath(APPLICATIONS, 'v1alpha1', namespace, name));
    return checkManagingTools(workload, syncPolicyOf(found)).filter(({ code }) => code === 'gitops_owner');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [];
  }
}

/** https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/ */
function syncPolicyOf(application: JsonObject): ArgoSyncPolicy {
  const automated = objectAt(application, 'spec', 'syncPolicy', 'automated');
  if (automated === undefined || automated.enabled === false) return 'manual';
  return automated.selfHeal === true ? 'selfHeal' : 'automated';
}

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
