import { type WorkloadRef } from '@/lib/queries/workload-ref';

/** What a reader may want to see with kubectl itself; none of them changes anything. */
export function kubectlCommands({
  resource,
  namespace,
  name,
}: WorkloadRef): { label: string; command: string }[] {
  const [plural = resource, ...group] = resource.split('.');
  // The rollout commands of kubectl know the kinds of Kubernetes alone, whose short names others use too.
  if (group.join('.') !== 'apps')
    return [{ label: 'describe', command: `kubectl -n ${namespace} describe ${resource}/${name}` }];
  const object = `${plural}/${name}`;
  return [
    { label: 'rollout status', command: `kubectl -n ${namespace} rollout status ${object}` },
    { label: 'rollout history', command: `kubectl -n ${namespace} rollout history ${object}` },
    { label: 'describe', command: `kubectl -n ${namespace} describe ${object}` },
  ];
}
