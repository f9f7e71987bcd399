import { type WorkloadDetail } from '@/lib/api/workloads';
import { type WorkloadRef } from '@/components/queries/workload-ref';

/** Read-only kubectl commands for the workload. */
export function kubectlCommands({
  resource,
  namespace,
  name,
  producer,
  standIn,
}: WorkloadRef & Partial<Pick<WorkloadDetail['workload'], 'producer' | 'standIn'>>): {
  label: string;
  command: string;
}[] {
  const [plural = resource, ...group] = resource.split('.');
  // kubectl's rollout commands support only the built-in kinds, whose short names other kinds may share.
  const kubectl = namespace === '-' ? 'kubectl' : `kubectl -n ${namespace}`;
  if (standIn !== undefined)
    return [{ label: 'list of revisions', command: `${kubectl} get controllerrevisions.apps` }];
  if (group.join('.') !== 'apps' || producer !== undefined)
    return [{ label: 'describe', command: `${kubectl} describe ${resource}/${name}` }];
  const object = `${plural}/${name}`;
  return [
    { label: 'rollout status', command: `kubectl -n ${namespace} rollout status ${object}` },
    { label: 'rollout history', command: `kubectl -n ${namespace} rollout history ${object}` },
    { label: 'describe', command: `kubectl -n ${namespace} describe ${object}` },
  ];
}
