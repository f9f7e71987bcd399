import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import type { RollbackInput } from '@/lib/workloads/kind';
import type { Finding } from '@/lib/workloads/plan';
import { objectAt, textAt } from '@/lib/kube/read';
import { formatTarget, equalRevisions, type TargetOrigin } from '@/lib/workloads/rollback-target';
import { formatList, formatUtc } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';

/** Checks of a template that does not come from the cluster. */
export function checkOrigin(input: RollbackInput): Finding[] {
  const { origin } = input.to;
  if (origin.kind === 'cluster') return [];
  return [
    ...checkSelector(input),
    ...checkKubectl(input),
    originFinding(input, origin),
    ...equalRevisionFindings(input),
  ];
}

function originFinding({ to }: RollbackInput, origin: Exclude<TargetOrigin, { kind: 'cluster' }>): Finding {
  const recorded = `recorded ${formatUtc(origin.recordedAt)}`;
  switch (origin.kind) {
    case 'archive':
      return {
        severity: 'info',
        code: 'from_archive',
        message: `The cluster has pruned this revision. Its template comes from Shiplog's archive (${recorded}).`,
        action: null,
      };
    case 'earlierIncarnation': {
      const end =
        origin.deletedAt === null ? 'no longer exists' : `was deleted on ${formatUtc(origin.deletedAt)}`;
      return {
        severity: 'warning',
        code: 'earlier_life',
        message: `Revision ${formatRevision(to)} belongs to an earlier object with this name, which ${end}. Only its template is restored, from Shiplog's archive (${recorded}); replicas, strategy, volume claim templates and selector are unchanged.`,
        action: 'Compare the templates before you confirm.',
      };
    }
    default:
      return origin satisfies never;
  }
}

/** The revision will not be new where the cluster has the template under another number. */
function equalRevisionFindings({ history, to }: RollbackInput): Finding[] {
  const equal = equalRevisions(history, to).filter((revision) => !revision.target);
  if (equal.length === 0) return [];
  return [
    {
      severity: 'info',
      code: 'retained_equal',
      message: `The cluster has the same template as revision ${formatList(equal.map(formatRevision))}, which Kubernetes reuses.`,
      action: null,
    },
  ];
}

/**
 * The selector cannot be changed, and the API server accepts no template that it does not match.
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#selector
 */
function checkSelector({ workload, template, to }: RollbackInput): Finding[] {
  // Kinds whose controller labels the pods by itself have none.
  if (workload.spec.selector === undefined) return [];
  const labels = Object.entries(objectAt(template, 'metadata', 'labels') ?? {}).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value] as const] : [],
  );
  const selector = parseLabelSelector(workload.spec.selector);
  if (matchesSelector(selector, Object.fromEntries(labels))) return [];
  const labelsText =
    labels.length === 0
      ? 'no labels'
      : formatList(
          labels.map(([key, value]) => `${key}=${value}`),
          6,
        );
  const keys = [...new Set(selector.map(({ key }) => key))];
  const selectorTerms = keys.map((key) => {
    const value = textAt(workload.spec.selector, 'matchLabels', key);
    return value === undefined ? key : `${key}=${value}`;
  });
  return [
    {
      severity: 'refusal',
      code: 'selector_mismatch',
      message: `The template of revision ${formatTarget(to)} has ${labelsText}, which the selector of ${workload.name} (${formatList(selectorTerms, 6)}) does not match. Selectors are immutable.`,
      action: 'Choose another revision, or copy what you need from it into a manifest.',
    },
  ];
}

function checkKubectl({ to, likeKubectl }: RollbackInput): Finding[] {
  if (!likeKubectl) return [];
  return [
    {
      severity: 'refusal',
      code: 'kubectl_cannot',
      message: `kubectl cannot roll back to revision ${formatTarget(to)}: the cluster no longer has its annotations.`,
      action: 'Turn off “Match kubectl rollout undo”.',
    },
  ];
}
