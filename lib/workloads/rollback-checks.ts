import { isSameRelease } from '@/lib/history/restart';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { isRecordedData } from '@/lib/kube/recorded-data';
import type { RollbackInput } from '@/lib/workloads/kind';
import { checkOwners } from '@/lib/workloads/owner-checks';
import type { Finding, Plan } from '@/lib/workloads/plan';
import { checkOrigin } from '@/lib/workloads/rollback-origin';
import { formatResult, formatTarget } from '@/lib/workloads/rollback-target';
import { formatRevision } from '@/lib/history/revision';
import type { PodSummary } from '@/lib/history/pod';
import { formatCount, formatNames } from '@/lib/format/text';

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
  ];
}

/** A refusal when the condition holds, otherwise nothing. */
export function refuseIf(
  condition: boolean,
  code: string,
  message: string,
  action: string | null = null,
): Finding[] {
  return condition ? [{ severity: 'refusal', code, message, action }] : [];
}

/** No write to an object that is being deleted has an effect. */
export function checkDeleting({ workload }: Pick<RollbackInput, 'workload'>): Finding[] {
  if (workload.deletedAt === null) return [];
  return [
    {
      severity: 'refusal',
      code: 'deleting',
      message: `${workload.name} is being deleted.`,
      action: 'Wait for the deletion, then recreate it from its manifest.',
    },
  ];
}

/** Under OnDelete: pods of other revisions stay until a person deletes them. */
export function checkPodsToDelete(
  input: Pick<RollbackInput, 'history' | 'to'>,
  outdated: readonly PodSummary[],
): Finding[] {
  if (outdated.length === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'on_delete',
      message: `The update strategy is OnDelete: no pod restarts automatically. Delete ${formatCount(outdated.length, 'pod')} to run revision ${formatResult(input)}.`,
      action: `Delete ${formatNames(outdated)} afterwards, one at a time.`,
    },
  ];
}

function rollbackRefusals(input: RollbackInput): Finding[] {
  const { workload, history, to } = input;
  const isCurrentTemplate = isEqualTemplate(to.stored ?? to.facts, workload);
  return [
    ...checkDeleting(input),
    ...refuseIf(
      isTargetMissing(input),
      'target_gone',
      `Revision ${formatTarget(to)} (${to.name}) was deleted or is being deleted.`,
      'Choose another revision.',
    ),
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
function isTargetMissing({ history, to: { id, origin } }: RollbackInput): boolean {
  if (origin.kind !== 'cluster') return false;
  const isKnown = history.revisions.some((revision) => revision.id === id);
  return !isKnown || origin.revision.source.deletedAt !== null;
}

function rollbackWarnings({ workload, history, to }: RollbackInput): Finding[] {
  const findings: Finding[] = [];
  const stored = to.stored ?? to.facts;
  const isOther = !isEqualTemplate(stored, workload);
  if (isOther && isSameRelease(stored, workload)) {
    findings.push({
      severity: 'warning',
      code: 'same_release',
      message: `Revision ${formatResult({ history, to })} is the same release as now: only the restart time differs.`,
      action: 'To return to another release, choose an older revision.',
    });
  }
  if (history.target === null && isOther) {
    findings.push({
      severity: 'warning',
      code: 'pending_template',
      message: 'The current template has no revision yet. After the rollback the cluster no longer has it.',
      action: 'Copy the current template first if you still need it.',
    });
  }
  if (to.origin.kind !== 'cluster') return findings;
  const { revision } = to.origin;
  if (revision.sharesNumber) {
    findings.push({
      severity: 'warning',
      code: 'duplicate_number',
      message: `Another revision also has the number ${formatRevision(to)}. Shiplog uses ${to.name}; kubectl may use the other one.`,
      action: null,
    });
  }
  if (revision.causeInheritedFrom !== null) {
    findings.push({
      severity: 'info',
      code: 'cause_inherited',
      message: `The change cause of revision ${formatRevision(to)} was copied from revision ${revision.causeInheritedFrom} and may not describe it.`,
      action: null,
    });
  }
  return findings;
}
