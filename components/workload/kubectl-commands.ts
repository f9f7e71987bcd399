import { type WorkloadRef } from '@/lib/queries/workload-ref';

/** What a reader may want to see with kubectl itself; none of them changes anything. */
export function kubectlCommands({
  resource,
  namespace,
  name,
}: WorkloadRef): { label: string; command: string }[] {
  const object = `${resource.split('.')[0] ?? resource}/${name}`;
  return [
    { label: 'rollout status', command: `kubectl -n ${namespace} rollout status ${object}` },
    { label: 'rollout history', command: `kubectl -n ${namespace} rollout history ${object}` },
    { label: 'describe', command: `kubectl -n ${namespace} describe ${object}` },
  ];
}
