import { type History } from '@/lib/history/revision';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type TemplateFacts, type Workload } from '@/lib/workloads/workload';

interface Asking {
  kind: Pick<WorkloadKind, 'template'>;
  workload: Workload;
  history: Pick<History, 'target'>;
}

/** Whether another object holds the template, so that the workload's own facts say nothing of it. */
export function isHeldElsewhere({ kind, workload }: Omit<Asking, 'history'>): boolean {
  return kind.template?.isElsewhere?.(workload.spec) === true;
}

/** What the workload asks for; null where another object holds that and no revision has been made of it so far. */
export function askedTemplate(asking: Asking): TemplateFacts | null {
  return isHeldElsewhere(asking) ? (asking.history.target?.source ?? null) : asking.workload;
}
