import { formatList } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';
import type { JsonObject } from '@/lib/kube/json';
import { isOwnEntry } from '@/lib/kube/managed-fields';
import type { ManagedFieldsEntry } from '@/lib/kube/object';
import type { ResourceType } from '@/lib/kube/resource';
import { appliesWithoutForce } from '@/lib/owners/markers';
import { formatField, type TakenFields } from '@/lib/owners/taken-fields';
import type { PlanResult } from '@/lib/workloads/kind';
import { kubectlCommand, patchRight, patchWorkload, pointer, testUid } from '@/lib/workloads/patch';
import { finding, type Finding, type JsonPatchOperation, refuseIf } from '@/lib/workloads/plan';
import { checkDeleting, unlessRefused } from '@/lib/workloads/rollback-checks';

/** What the next apply says after a rollback that takes these fields. */
export function findingsOfTaken(taken: readonly TakenFields[]): Finding[] {
  return taken.map(({ manager, fields }) =>
    finding(
      'warning',
      'apply_manager',
      `${manager} applies ${formatList(fields.map(formatField), 6)} without force. The next ${nextOf(manager)} that sets another value fails: conflict with "shiplog".`,
      `Run that ${nextOf(manager)} once with --force-conflicts, or release the fields when the rollback has completed.`,
    ),
  );
}

/** Whether Shiplog's entry has nothing but what a rollback wrote, and a manager that applies without force is there. */
export function isReleasable({ writes }: Pick<Workload, 'writes'>): boolean {
  return writes.some(({ templateOnly }) => templateOnly) && appliersOf(writes).length > 0;
}

/**
 * Removes Shiplog's entry from managedFields: its fields have no owner then, so that no apply conflicts with them.
 */
export function planRelease(
  resource: ResourceType,
  workload: Workload,
  entries: readonly ManagedFieldsEntry[],
): PlanResult {
  const { namespace, name, writes } = workload;
  const index = entries.findIndex(isOwnEntry);
  const entry = entries[index];
  const findings = [
    ...checkDeleting({ workload }),
    ...refuseIf(
      !isReleasable(workload) || entry === undefined,
      'not_releasable',
      `Shiplog owns other fields of ${name} than those of a rollback, or no manager applies this template without force.`,
    ),
  ];
  const next = formatList([...new Set(appliersOf(writes).map(nextOf))]);
  const path = pointer('metadata', 'managedFields', String(index));
  const patch: JsonPatchOperation[] = [
    testUid(workload),
    { op: 'test', path, value: { ...entry } as JsonObject },
    { op: 'remove', path },
  ];
  return unlessRefused(findings, () => ({
    action: 'releaseFields',
    title: `Release the fields of ${name}`,
    write: patchWorkload(resource, workload, patch),
    needs: patchRight(resource, workload),
    steps: [
      'The entry of Shiplog is removed from managedFields.',
      `The next ${next} overwrites the rollback silently, without a conflict.`,
    ],
    stays: ['The template does not change: no pod is replaced.'],
    kubectl: kubectlCommand(
      namespace,
      ...['patch', `${resource.plural}.${resource.group}`, name, '--type=json', '-p', JSON.stringify(patch)],
    ),
  }));
}

function appliersOf(writes: Workload['writes']): string[] {
  return writes.filter((write) => write.template && appliesWithoutForce(write)).map(({ manager }) => manager);
}

function nextOf(manager: string): string {
  return manager === 'helm' ? 'helm upgrade' : 'apply';
}
