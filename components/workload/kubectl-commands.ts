import { type WorkloadDetail } from '@/lib/api/workloads';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

/** What a reader may want to see with kubectl itself; none of them changes anything. */
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
  // The rollout commands of kubectl know the kinds of Kubernetes alone, whose short names others use too.
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
