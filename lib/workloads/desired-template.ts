import type { RevisionHistory } from '@/lib/history/revision';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { TemplateFacts, Workload } from '@/lib/history/workload';

interface DesiredTemplateInput {
  kind: Pick<WorkloadKind, 'template'>;
  workload: Workload;
  history: Pick<RevisionHistory, 'target'>;
}

/** Whether another object holds the template, so that the workload's own facts do not describe it. */
export function hasReferencedTemplate({ kind, workload }: Omit<DesiredTemplateInput, 'history'>): boolean {
  return kind.template?.location.isElsewhere?.(workload.spec) === true;
}

/** The desired template; null where another object holds it and no revision of it exists yet. */
export function desiredTemplate(input: DesiredTemplateInput): TemplateFacts | null {
  return hasReferencedTemplate(input) ? (input.history.target?.source ?? null) : input.workload;
}
