import 'server-only';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import { resourcePath } from '@/lib/kube/resource';
import { type ArgoSyncPolicy, argoApplicationOf, checkManagingTools } from '@/lib/workloads/managing-tools';
import { type Finding } from '@/lib/workloads/plan';
import { type CheckInput, readAs } from '@/server/actions/checks/check';

const APPLICATIONS = { group: 'argoproj.io', plural: 'applications' };
/** Where Argo CD is installed unless an application names another namespace. */
const DEFAULT_NAMESPACE = 'argocd';

/**
 * The findings on GitOps with the sync policy of the Argo CD application, where this cluster has the application and the
 * viewer is allowed to read it; none otherwise, so that those of the plan stay, which call it unknown.
 */
export async function checkSyncPolicy(input: CheckInput): Promise<Finding[]> {
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
