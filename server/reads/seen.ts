import 'server-only';
import { type History } from '@/lib/history/revision';
import { askedTemplate } from '@/lib/workloads/asked-template';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type Workload } from '@/lib/workloads/workload';
import { type Keys } from '@/server/keys';

/** Stands for the workload and the template that it asks for, as a viewer saw them. */
export function seenOfWorkload(
  keys: Pick<Keys, 'seen'>,
  clusterId: string,
  asking: { kind: WorkloadKind; workload: Workload; history: History },
): string {
  return keys.seen(clusterId, asking.workload.uid, askedTemplate(asking)?.bodyId ?? '');
}
