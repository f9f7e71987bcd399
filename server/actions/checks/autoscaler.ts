import 'server-only';
import { type Finding } from '@/lib/workloads/plan';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';
import { type CheckInput, readAs } from '@/server/actions/checks/check';

/** Autoscalers that also set the number of replicas. */
export async function checkAutoscaler(input: CheckInput): Promise<Finding[]> {
  const { kind, workload } = input.current;
  const list = await readAs(
    input,
    `/apis/autoscaling/v2/namespaces/${encodeURIComponent(workload.namespace)}/horizontalpodautoscalers`,
  );
  const group = kind.resource.group;
  return objectsAt(list, 'items')
    .filter(
      (scaler) =>
        textAt(scaler, 'spec', 'scaleTargetRef', 'kind') === kind.resource.kind &&
        textAt(scaler, 'spec', 'scaleTargetRef', 'name') === workload.name &&
        (textAt(scaler, 'spec', 'scaleTargetRef', 'apiVersion') ?? group).split('/')[0] === group,
    )
    .map((scaler) => ({
      severity: 'info',
      code: 'autoscaled',
      message: `HorizontalPodAutoscaler ${textAt(scaler, 'metadata', 'name') ?? ''} keeps between ${numberAt(scaler, 'spec', 'minReplicas') ?? 1} and ${numberAt(scaler, 'spec', 'maxReplicas') ?? '?'} replicas; it goes on deciding on their number.`,
      action: null,
    }));
}
