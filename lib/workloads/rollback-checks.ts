import { isSameRelease } from '@/lib/history/restart';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { isRecordedData } from '@/lib/kube/recorded-data';
import type { RollbackInput } from '@/lib/workloads/kind';
import { checkLatePods } from '@/lib/workloads/late-pods';
import { checkOwners } from '@/lib/workloads/owner-checks';
import { type Finding, informIf, type Plan, refuseIf, warnIf } from '@/lib/workloads/plan';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { objectAt, textAt } from '@/lib/kube/read';
import { formatList, formatUtc } from '@/lib/format/text';
import {
  equalRevisions,
  formatResult,
  formatTarget,
  type RollbackTarget,
  type TargetOrigin,
} from '@/lib/workloads/rollback-target';
import { formatRevision } from '@/lib/history/revision';

/** The plan, unless a finding refuses it. */
export function unlessRefused(
  findings: readonly Finding[],
  plan: () => Plan,
): { plan: Plan | null; findings: readonly Finding[] } {
  const isRefused = findings.some((finding) => finding.severity === 'refusal');
  return { plan: isRefused ? null : plan(), findings };
}

/** Reasons against a rollback to this revision, for every kind; refusals first. */
export function checkRollback(input: RollbackInput): Finding[] {
  return [
    ...rollbackRefusals(input),
    ...checkOrigin(input),
    ...checkOwners(input.workload),
    ...rollbackWarnings(input),
    ...checkLatePods(input),
  ];
}

/** No write to an object that is being deleted has an effect. */
export function checkDeleting({ workload }: Pick<RollbackInput, 'workload'>): Finding[] {
  return refuseIf(
    workload.deletedAt !== null,
    'deleting',
    `${workload.name} is being deleted.`,
    'Wait for the deletion, then recreate it from its manifest.',
  );
}

function rollbackRefusals(input: RollbackInput): Finding[] {
  const { workload, history, to } = input;
  const isCurrentTemplate = isEqualTemplate(to.stored ?? to.facts, workload);
  return [
    ...checkDeleting(input),
    ...checkTargetMissing(input),
    ...refuseIf(
      isRecordedData(input.template),
      'unreadable_revision',
      `Revision ${formatTarget(to)} (${to.name}) contains no pod template, so ${workload.name} cannot be rolled back to it.`,
      'Choose another revision.',
    ),
    ...refuseIf(
      isCurrentTemplate,
      'equal_target',
      to.stored === undefined
        ? `The current template already equals revision ${formatTarget(to)}. kubectl reports “skipped rollback”.`
        : `Admission changes the template of revision ${formatTarget(to)} to the current one: the rollback would change nothing.`,
      history.target?.id === to.id ? null : 'Choose another revision.',
    ),
  ];
}

/** For a revision that the cluster should have; one from the archive cannot be pruned. */
export function checkTargetMissing({ history, to }: RollbackInput): Finding[] {
  const { origin } = to;
  if (origin.kind !== 'cluster') return [];
  const isKnown = history.revisions.some(({ id }) => id === to.id);
  return refuseIf(
    !isKnown || origin.revision.source.deletedAt !== null,
    'target_gone',
    `Revision ${formatTarget(to)} (${to.name}) was deleted or is being deleted.`,
    'Choose another revision.',
  );
}

function rollbackWarnings({ workload, history, to }: RollbackInput): Finding[] {
  const stored = to.stored ?? to.facts;
  const isOther = !isEqualTemplate(stored, workload);
  const revision = to.origin.kind === 'cluster' ? to.origin.revision : null;
  const cause = revision?.causeInheritedFrom ?? null;
  return [
    ...warnIf(
      isOther && isSameRelease(stored, workload),
      'same_release',
      `Revision ${formatResult({ history, to })} is the same release as now: only the restart time differs.`,
      'To return to another release, choose an older revision.',
    ),
    ...warnIf(
      isOther && history.target === null,
      'pending_template',
      'The current template has no revision yet. After the rollback the cluster no longer has it.',
      'Copy the current template first if you still need it.',
    ),
    ...warnIf(
      revision?.sharesNumber === true,
      'duplicate_number',
      `Another revision also has the number ${formatRevision(to)}. Shiplog uses ${to.name}; kubectl may use the other one.`,
    ),
    ...informIf(
      cause !== null,
      'cause_inherited',
      `The change cause of revision ${formatRevision(to)} was copied from revision ${cause ?? ''} and may not describe it.`,
    ),
  ];
}

/** Checks of a template that does not come from the cluster. */
export function checkOrigin(input: RollbackInput): Finding[] {
  const { history, to, likeKubectl } = input;
  const { origin } = to;
  if (origin.kind === 'cluster') return [];
  // The revision will not be new where the cluster has the template under another number.
  const equal = equalRevisions(history, to).filter((revision) => !revision.target);
  return [
    ...checkSelector(input),
    ...refuseIf(
      likeKubectl,
      'kubectl_cannot',
      `kubectl cannot roll back to revision ${formatTarget(to)}: the cluster no longer has its annotations.`,
      'Turn off “Match kubectl rollout undo”.',
    ),
    ...findOrigin(to, origin),
    ...informIf(
      equal.length > 0,
      'retained_equal',
      `The cluster has the same template as revision ${formatList(equal.map(formatRevision))}, which Kubernetes reuses.`,
    ),
  ];
}

function findOrigin(to: RollbackTarget, origin: Exclude<TargetOrigin, { kind: 'cluster' }>): Finding[] {
  const from = `from Shiplog's archive (recorded ${formatUtc(origin.recordedAt)})`;
  if (origin.kind === 'archive')
    return informIf(
      true,
      'from_archive',
      `The cluster has pruned this revision. Its template comes ${from}.`,
    );
  const end =
    origin.deletedAt === null ? 'no longer exists' : `was deleted on ${formatUtc(origin.deletedAt)}`;
  return warnIf(
    true,
    'earlier_life',
    `Revision ${formatRevision(to)} belongs to an earlier object with this name, which ${end}. Only its template is restored, ${from}; replicas, strategy, volume claim templates and selector are unchanged.`,
    'Compare the templates before you confirm.',
  );
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
  const pairs = labels.map(([key, value]) => `${key}=${value}`);
  const selector = parseLabelSelector(workload.spec.selector);
  const terms = [...new Set(selector.map(({ key }) => key))].map((key) => {
    const value = textAt(workload.spec.selector, 'matchLabels', key);
    return value === undefined ? key : `${key}=${value}`;
  });
  return refuseIf(
    !matchesSelector(selector, Object.fromEntries(labels)),
    'selector_mismatch',
    `The template of revision ${formatTarget(to)} has ${pairs.length === 0 ? 'no labels' : formatList(pairs, 6)}, which the selector of ${workload.name} (${formatList(terms, 6)}) does not match. Selectors are immutable.`,
    'Choose another revision, or copy what you need from it into a manifest.',
  );
}
