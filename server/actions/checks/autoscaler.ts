import 'server-only';
import { finding, type Finding } from '@/lib/workloads/plan';
import { numberAt, textAt } from '@/lib/kube/read';
import { type CheckInput, listAs } from '@/server/actions/checks/check';

/** Autoscalers that also set the number of replicas. */
export async function checkAutoscaler(input: CheckInput): Promise<Finding[]> {
  const { kind, workload } = input.current;
  const { group } = kind.resource;
  const scalers = await listAs(input, '/apis/autoscaling/v2', 'horizontalpodautoscalers');
  return scalers
    .filter(
      (scaler) =>
        textAt(scaler, 'spec', 'scaleTargetRef', 'kind') === kind.resource.kind &&
        textAt(scaler, 'spec', 'scaleTargetRef', 'name') === workload.name &&
        (textAt(scaler, 'spec', 'scaleTargetRef', 'apiVersion') ?? group).split('/')[0] === group,
    )
    .map((scaler) =>
      finding(
        'info',
        'autoscaled',
        `HorizontalPodAutoscaler ${textAt(scaler, 'metadata', 'name') ?? ''} keeps between ${numberAt(scaler, 'spec', 'minReplicas') ?? 1} and ${numberAt(scaler, 'spec', 'maxReplicas') ?? '?'} replicas; it goes on deciding on their number.`,
      ),
    );
}
