import { sameTemplate } from '@/lib/history/equality';
import { type RollbackInput } from '@/lib/workloads/kind';
import { findOwners } from '@/lib/workloads/owners';
import { type Finding, type Plan } from '@/lib/workloads/plan';
import { called } from '@/lib/workloads/words';

/** The plan, unless a finding refuses it. */
export function unlessRefused(
  findings: readonly Finding[],
  plan: () => Plan,
): { plan: Plan | null; findings: readonly Finding[] } {
  const isRefused = findings.some((finding) => finding.severity === 'refusal');
  return { plan: isRefused ? null : plan(), findings };
}

/** What stands against going back to this revision, whatever the kind; refusals first. */
export function checkRollback(input: RollbackInput): Finding[] {
  return [...refusals(input), ...findOwners(input.workload), ...doubts(input)];
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

/** Any write to an object that is being deleted is in vain. */
export function checkDeleting({ workload }: Pick<RollbackInput, 'workload'>): Finding[] {
  if (workload.deletedAt === null) return [];
  return [
    {
      severity: 'refusal',
      code: 'deleting',
      message: `${workload.name} is being deleted.`,
      action: 'Wait until it is gone and create it again from its manifest.',
    },
  ];
}

function refusals(input: RollbackInput): Finding[] {
  const { workload, history, to } = input;
  const findings = checkDeleting(input);
  if (!history.revisions.some((revision) => revision.id === to.id) || to.source.deletedAt !== null) {
    findings.push({
      severity: 'refusal',
      code: 'target_gone',
      message: `Revision ${called(to)} (${to.name}) is gone or being deleted.`,
      action: 'Choose another revision.',
    });
  }
  if (sameTemplate(to.source, workload)) {
    findings.push({
      severity: 'refusal',
      code: 'equal_target',
      message: `The present template already equals revision ${called(to)}; there is nothing to do. kubectl says “skipped rollback”.`,
      action: history.target === null || history.target.id === to.id ? null : 'Choose another revision.',
    });
  }
  return findings;
}

function doubts({ workload, history, to }: RollbackInput): Finding[] {
  const findings: Finding[] = [];
  if (history.target === null && !sameTemplate(to.source, workload)) {
    findings.push({
      severity: 'warning',
      code: 'pending_template',
      message:
        'No revision records the present template yet; after the rollback nothing in the cluster holds it.',
      action: 'Copy the present template first if it is still needed.',
    });
  }
  if (to.sharesNumber) {
    findings.push({
      severity: 'warning',
      code: 'duplicate_number',
      message: `Another revision has the number ${called(to)} too. Shiplog takes ${to.name}; kubectl may take the other one.`,
      action: null,
    });
  }
  if (to.causeInheritedFrom !== null) {
    findings.push({
      severity: 'info',
      code: 'cause_inherited',
      message: `The change-cause of ${called(to)} repeats that of ${to.causeInheritedFrom}; it may not describe ${called(to)}.`,
      action: null,
    });
  }
  return findings;
}
