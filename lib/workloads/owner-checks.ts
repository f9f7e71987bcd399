import { textAt } from '@/lib/kube/read';
import { controllerOf } from '@/lib/kube/object';
import type { OwnerItem } from '@/lib/api/owner';
import { formatList } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';
import { adviceOf } from '@/lib/owners/advice';
import { APPLICATION_LABEL, isOwnerManager, ROLLOUT_MANAGER } from '@/lib/owners/markers';
import { type Owner, type OwnerReading, unread } from '@/lib/owners/owner';
import { ownersOf } from '@/lib/owners/owners-of';
import { whatUndoes } from '@/lib/owners/what-undoes';
import { formatOwner, formatVerdict, partsOfOwner } from '@/lib/owners/verdict-text';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import { finding, type Finding, warnIf } from '@/lib/workloads/plan';

/**
 * The Rollout that rolls a workload: `{name}/{uid}`. With an owner reference, its deletion would delete the
 * workload too.
 */
export const CLAIM_ANNOTATION = 'shiplog.dev/oam-rollout';

const CHECK_STEP = 'Check its current step first.';

/**
 * Why a workload must not be written that an Application of KubeVela has created: KubeVela reverts any write
 * within minutes. Null for all others.
 */
export function refuseGenerated({ name, labels }: Pick<Workload, 'name' | 'labels'>): Finding | null {
  const application = textAt(labels, APPLICATION_LABEL) ?? '';
  if (application === '') return null;
  return finding(
    'refusal',
    'application_owner',
    `KubeVela Application ${application} manages ${name} and reverts any other change.`,
    `Roll back Application ${application} instead.`,
  );
}

/** What else writes this template, as far as the workload itself shows it. */
export function checkOwners(workload: Workload): Finding[] {
  const generatedRefusal = refuseGenerated(workload);
  const findings = [
    ...(generatedRefusal === null ? [] : [generatedRefusal]),
    ...findingsOfOwners(ownersOf(workload).map(unread), workload, 0),
    ...checkRollouts(workload),
    ...checkController(workload),
    ...checkApplies(workload),
  ];
  if (findings.length > 0) return findings;
  const message = 'No GitOps tool, Helm release or controller manages this template.';
  return [finding('passed', 'no_owner', message)];
}

/** What its owners do to a change, and when: by what was read about them. */
export function findingsOfOwners(
  readings: readonly OwnerReading[],
  workload: Workload,
  nowMs: number,
): Finding[] {
  const isGenerated = refuseGenerated(workload) !== null;
  return readings
    .filter(({ owner }) => !isGenerated || owner.kind !== 'tool' || owner.tool !== 'KubeVela')
    .map((reading) => {
      const { owner } = reading;
      const { note, advice, means } = tell(reading, workload, nowMs);
      const message = `Managed by ${formatOwner(owner)}. ${note}`;
      return { ...finding('warning', codeOf(owner), message, advice), ...means };
    });
}

/** The same for the page of a workload, with the rollout and the controller that it belongs to. */
export function ownerItems(
  readings: readonly OwnerReading[],
  workload: Workload,
  nowMs: number,
): OwnerItem[] {
  const items = readings.map((reading): OwnerItem => {
    const { owner } = reading;
    const { means, ...told } = tell(reading, workload, nowMs);
    return { ...partsOfOwner(owner), evidence: owner.evidence, ...told, ...means };
  });
  const rollout = kruiseRolloutOf(workload);
  if (rollout !== null)
    items.push({
      tool: 'OpenKruise Rollout',
      noun: '',
      name: rollout.name,
      evidence:
        rollout.name === null ? `field manager ${ROLLOUT_MANAGER}` : 'annotation of OpenKruise Rollouts',
      when: null,
      note: 'Updates this workload in steps.',
      advice: CHECK_STEP,
    });
  const controller = controllerOf(workload.owners);
  if (controller !== undefined)
    items.push({
      tool: controller.kind,
      noun: '',
      name: controller.name,
      evidence: 'owner reference',
      when: null,
      note: 'Controls this workload and will probably revert a change.',
      advice: `Change ${controller.name} instead.`,
    });
  return items;
}

/** When an owner undoes a change, in words, and what keeps the change; `means` is ready to be copied. */
function tell(reading: OwnerReading, workload: Workload, nowMs: number) {
  const verdict = whatUndoes(reading, workload, nowMs);
  const { text: advice, ...means } = adviceOf(reading, verdict, nowMs);
  return { when: verdict.when, note: formatVerdict(reading.owner, verdict, nowMs), advice, means };
}

function codeOf({ kind }: Owner): string {
  if (kind === 'helm') return 'helm_owner';
  return kind === 'pipeline' ? 'pipeline_owner' : 'gitops_owner';
}

/** Rollouts that write it step by step. */
function checkRollouts(workload: Workload): Finding[] {
  const rollout = kruiseRolloutOf(workload);
  const name = rollout?.name == null ? '' : ` ${rollout.name}`;
  const claim = workload.annotations[CLAIM_ANNOTATION];
  return [
    ...warnIf(
      rollout !== null,
      'rollout_owner',
      `OpenKruise Rollout${name} is updating this workload in steps.`,
      CHECK_STEP,
    ),
    ...warnIf(
      claim !== undefined,
      'rollout_owner',
      `OAM Rollout ${claim?.split('/')[0] ?? ''} is updating this workload in batches.`,
      'Check the Rollout first: it scales this workload and its pods.',
    ),
  ];
}

function checkController(workload: Workload): Finding[] {
  const controller = controllerOf(workload.owners);
  const name = `${controller?.kind ?? ''} ${controller?.name ?? ''}`;
  const message = `${name} controls this workload and will probably revert this change.`;
  return warnIf(controller !== undefined, 'owner_controller', message, `Change ${name} instead.`);
}

function checkApplies({ writes, hasLastApplied }: Workload): Finding[] {
  const appliers = writes.filter(
    ({ template, operation, manager }) =>
      template && operation === 'Apply' && manager !== ROLLOUT_MANAGER && !isOwnerManager(manager),
  );
  const names = formatList([...new Set(appliers.map(({ manager }) => manager))]);
  return [
    ...warnIf(
      names !== '',
      'apply_manager',
      `${names} applies this template (server-side apply). The next apply reverts this change, or stops with a conflict.`,
      'Fix the applied manifest too.',
    ),
    ...warnIf(
      hasLastApplied,
      'last_applied',
      'The workload was created with kubectl apply. Applying the same manifest again reverts this change and can leave list entries behind.',
      'Fix the manifest before you apply it again.',
    ),
  ];
}

/** The Rollout of OpenKruise that updates it; without a name where only a write shows that one does. Null for none. */
function kruiseRolloutOf(workload: Workload): { name: string | null } | null {
  const name = controllingRolloutOf(workload);
  const isWriter = workload.writes.some(({ template, manager }) => template && manager === ROLLOUT_MANAGER);
  return name !== null || isWriter ? { name } : null;
}
