import 'server-only';
import { type RevisionHistory } from '@/lib/history/revision';
import { desiredTemplate } from '@/lib/workloads/desired-template';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type Workload } from '@/lib/history/workload';
import { type Keys } from '@/server/shared/keys';

/** The precondition token: identifies the workload and its desired template that a viewer looked at. */
export function workloadPreconditionToken(
  keys: Pick<Keys, 'preconditionToken'>,
  clusterId: string,
  input: { kind: WorkloadKind; workload: Workload; history: RevisionHistory },
): string {
  return keys.preconditionToken(clusterId, input.workload.uid, desiredTemplate(input)?.bodyId ?? '');
}
