import type { RevisionHistory, Revision } from '@/lib/history/revision';
import { isApplicationBody } from '@/lib/kube/application-body';
import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { publishVersionOf } from '@/lib/workloads/application/revision-names';
import { applications, CONTROLLER_REQUIRED, PUBLISH_VERSION } from '@/lib/workloads/application/resource';
import { activeRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { checkOwners } from '@/lib/workloads/owner-checks';
import { pointer, testUnchanged } from '@/lib/workloads/patch';
import { type Finding, informIf, type JsonPatchOperation, refuseIf, warnIf } from '@/lib/workloads/plan';
import { numberAt, textAt } from '@/lib/kube/read';
import {
  checkDeleting,
  checkOrigin,
  checkTargetMissing,
  unlessRefused,
} from '@/lib/workloads/rollback-checks';
import { rollbackPlan } from '@/lib/workloads/rollback-plan';
import { formatTarget } from '@/lib/workloads/rollback-target';
import { formatList, quoteShellWord } from '@/lib/format/text';

/**
 * Rollback of an Application: its spec becomes the recorded one, in one write with a new publishVersion where
 * it has one, since KubeVela reads no edit of the spec while that stays the same. Revisions stay unchanged,
 * unlike with `vela workflow rollback`. https://kubevela.io/docs/end-user/version-control/
 */
export function planRollback(input: RollbackInput): PlanResult {
  const { workload, to, template } = input;
  const spec = isApplicationBody(template) ? template.application : undefined;
  const published = publishVersionOf(workload);
  const next = published === null ? null : freshVersion(input);
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(
      spec === undefined,
      'not_decoded',
      `Revision ${formatTarget(to)} cannot be read, so it cannot be restored.`,
      'Choose another revision.',
    ),
    ...checkTargetMissing(input),
    ...checkEqual(input, spec),
    ...checkFrozen(input),
    ...checkOrigin(input).filter(({ code }) => code !== 'retained_equal'),
    ...checkRun(input),
    ...checkOverwritten(input, next !== null),
    ...checkActiveRollouts(input),
    ...checkOwners(workload),
  ];
  const operations: JsonPatchOperation[] = [
    ...testUnchanged(workload),
    { op: 'add', path: '/spec', value: spec ?? {} },
  ];
  if (next !== null)
    operations.push({ op: 'add', path: pointer('metadata', 'annotations', PUBLISH_VERSION), value: next });
  return unlessRefused(findings, () =>
    rollbackPlan(applications, input, {
      operations,
      steps: describeSteps(input, published, next),
      stays: [
        'Definitions of components, traits, policies and steps are not rolled back.',
        'Labels and all other annotations of the Application are unchanged.',
        'Existing revisions are kept up to KubeVela’s limit.',
        'ConfigMaps, Secrets and Services that the Application does not create are not rolled back.',
      ],
      kubectl: velaCommand(input, next),
    }),
  );
}

/**
 * A value that no revision has, the same for every plan of this state. The resourceVersion of the object
 * changes with every write.
 */
function freshVersion({ workload, history, to }: RollbackInput): string {
  const used = new Set([workload, ...history.revisions.map(({ source }) => source)].map(publishVersionOf));
  const stem = `rollback-${formatTarget(to)}-${workload.resourceVersion}`
    .replace(/[^A-Za-z0-9.-]+/g, '-')
    .slice(-50);
  let version = stem;
  for (let again = 2; used.has(version); again += 1) version = `${stem}-${String(again)}`;
  return version;
}

/**
 * An edit that KubeVela has never read leaves the spec equal to another revision, to which a rollback is
 * still possible.
 */
function checkEqual(
  { workload, currentTemplate, history, to }: RollbackInput,
  spec: JsonObject | undefined,
): Finding[] {
  const isEqual =
    isApplicationBody(currentTemplate) && spec !== undefined && deepEqual(currentTemplate.application, spec);
  const isTarget = history.target?.id === to.id;
  return refuseIf(
    isEqual && (isTarget || publishVersionOf(workload) === null),
    'equal_target',
    `The current spec already equals revision ${formatTarget(to)}.`,
    isTarget ? null : 'Choose another revision.',
  );
}

function checkFrozen({ workload: { annotations } }: RollbackInput): Finding[] {
  const required = textAt(annotations, CONTROLLER_REQUIRED) ?? '';
  if (required === 'Disabled')
    return refuseIf(
      true,
      'frozen',
      `The Application is frozen (${CONTROLLER_REQUIRED}: Disabled): vela up may be in progress, and no controller would reconcile the change.`,
      'Wait for it to finish, or remove the annotation.',
    );
  const message = `Only the controller of version ${required} acts on this Application.`;
  return informIf(required !== '', 'controller_required', message);
}

function checkRun({ workload: { status } }: RollbackInput): Finding[] {
  const phase = textAt(status, 'status') ?? '';
  const state = phase === 'workflowSuspending' ? 'suspended' : 'running';
  return warnIf(
    phase === 'runningWorkflow' || phase === 'workflowSuspending',
    'workflow_running',
    `Its workflow is ${state}: it stops, and the workflow of the revision starts.`,
  );
}

/** Numbers continue from the current one, so after a rollback the next name may be in use. */
function checkOverwritten({ workload, history }: RollbackInput, isNew: boolean): Finding[] {
  const next = isNew ? nextRevision(workload, history) : null;
  return warnIf(
    next !== null,
    'revision_overwritten',
    `KubeVela names the new revision ${next?.name ?? ''}, which already exists: its content is overwritten and then only in Shiplog’s archive.`,
    'Copy its manifest first if you still need it.',
  );
}

function nextRevision(
  { status, name }: RollbackInput['workload'],
  { revisions }: RevisionHistory,
): Revision | null {
  const latest = numberAt(status, 'latestRevision', 'revision');
  if (latest === undefined) return null;
  return revisions.find((revision) => revision.name === `${name}-v${String(latest + 1)}`) ?? null;
}

/** https://github.com/kubevela/kubevela/issues/7170 */
function checkActiveRollouts({ children = [] }: RollbackInput): Finding[] {
  const rollouts = children.flatMap((child) => {
    const rollout = activeRolloutOf(child);
    return rollout === null ? [] : [`${rollout} of ${child.name}`];
  });
  return warnIf(
    rollouts.length > 0,
    'rollout_owner',
    `An OpenKruise rollout is in progress: ${formatList(rollouts)}. KubeVela can leave a rollout paused that waits at a step during a rollback.`,
    'Check the Rollout afterwards, and resume it if it does not continue.',
  );
}

function describeSteps(
  { to, workload }: RollbackInput,
  published: string | null,
  next: string | null,
): string[] {
  const on = formatTarget(to);
  return [
    `The spec of Application ${workload.name} is set to that of revision ${on}.`,
    next === null
      ? `KubeVela reuses revision ${on} if the definitions are unchanged; otherwise it creates a new one.`
      : `publishVersion is set to ${next}, because KubeVela ignores spec changes while it stays ${published ?? ''}. KubeVela creates a new revision.`,
    'Its workflow runs from the start and applies the changed components; their controllers replace the pods.',
  ];
}

function velaCommand({ workload, to }: RollbackInput, next: string | null): string {
  if (to.origin.kind !== 'cluster')
    return `# vela up cannot roll back to revision ${formatTarget(to)}: the cluster no longer has it`;
  if (next === null)
    return '# vela up --revision sets a publishVersion as well; no kubectl or vela command does exactly this';
  const { name, namespace } = workload;
  const args = ['up', name, '-n', namespace, '--revision', to.name, '--publish-version', next];
  return ['vela', ...args].map(quoteShellWord).join(' ');
}
