import { compareTimes } from '@/lib/history/revision-order';
import { formatRevision, type Revision } from '@/lib/history/revision';
import { argoCommand } from '@/lib/workloads/argo-rollout/controls';
import { revisionOfHash } from '@/lib/workloads/argo-rollout/history';
import { checkTemplateOwner, podTemplates } from '@/lib/workloads/argo-rollout/reference';
import { argoRollouts } from '@/lib/workloads/argo-rollout/resource';
import { argoStrategyOf, replicasOf, rollingLimitsOf, stepsOfSpec } from '@/lib/workloads/argo-rollout/spec';
import { injectedKeys } from '@/lib/workloads/argo-rollout/template';
import {
  type Capacity,
  capacityInSteps,
  capacityOf,
  readyCountOf,
  servingAtLeast,
} from '@/lib/engine/capacity';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import type { Finding } from '@/lib/workloads/plan';
import { numberAt, objectAt, textAt } from '@/lib/kube/read';
import { checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { describeNumbering, OTHER_OBJECTS_STAY, rollbackPlan } from '@/lib/workloads/rollback-plan';
import {
  formatResult,
  formatTarget,
  carrierOf,
  equalRevisions,
  requestedCarrier,
} from '@/lib/workloads/rollback-target';
import { templateOwnerName } from '@/lib/workloads/template-owner';
import { formatCount, formatList } from '@/lib/format/text';

/** What the steps of the plan do after a rollback. */
type StepsOutcome = 'stable' | 'stillUp' | 'window' | 'steps' | 'noSteps';

/**
 * Rollback of an Argo Rollout, as `kubectl argo rollouts undo` does it, but without what the controller
 * injected into the template of the ReplicaSet.
 * https://github.com/argoproj/argo-rollouts/blob/master/pkg/kubectl-argo-rollouts/cmd/undo/undo.go
 */
export function planRollback(input: RollbackInput): PlanResult {
  const findings = [
    ...checkTemplateOwner(input),
    ...checkPaused(input),
    ...checkRollback(input),
    ...checkAborted(input),
    ...checkSteps(input),
    ...checkOverlap(input),
  ];
  return unlessRefused(findings, () =>
    rollbackPlan(argoRollouts, input, {
      steps: [
        ...describeSteps(input),
        describeNumbering(input, equalRevisions(input.history, input.to)[0] ?? null),
      ],
      stays: describeUnchanged(input),
      kubectl: undoCommand(input),
      capacity: capacity(input),
    }),
  );
}

/** `kubectl argo rollouts undo` also rolls back a paused Rollout. */
function checkPaused({ workload }: RollbackInput): Finding[] {
  if (workload.spec.paused !== true) return [];
  return [
    {
      severity: 'warning',
      code: 'paused',
      message:
        'The Rollout is paused manually: the template is rolled back, but no pod is replaced until it is resumed.',
      action: 'Resume it afterwards.',
    },
  ];
}

/** After an abort the spec does not describe what serves. */
function checkAborted({ workload, history, to }: RollbackInput): Finding[] {
  if (workload.status.abort !== true) return [];
  const stable = stableOf({ workload, history });
  const servingText = stable === null ? 'the stable revision' : `revision ${formatRevision(stable)}`;
  const desiredText =
    history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  const isStable = stable !== null && equalRevisions(history, to).some(({ id }) => id === stable.id);
  return [
    {
      severity: isStable ? 'info' : 'warning',
      code: 'aborted',
      message: `The last rollout was aborted: the spec still requests ${desiredText}, but ${servingText} serves. This rollback changes the spec${isStable ? ' to match' : ''}.`,
      action: null,
    },
  ];
}

function checkSteps(input: RollbackInput): Finding[] {
  const steps = stepsOfSpec(input.workload).length;
  const on = formatResult(input);
  switch (stepsOutcomeOf(input)) {
    case 'steps':
      return [
        {
          severity: 'warning',
          code: 'runs_steps',
          message:
            argoStrategyOf(input.workload) === 'blueGreen'
              ? `Revision ${on} starts as a preview and must be promoted: it does not serve immediately.`
              : `Argo Rollouts treats revision ${on} as a new rollout and runs all ${formatCount(steps, 'step')}, including pauses.`,
          action: 'Use “Promote full” afterwards to skip the steps.',
        },
      ];
    case 'stable':
      return [
        infoFinding(
          'ends_rollout',
          `Revision ${on} is the stable revision: the rollout ends and no steps run.`,
        ),
      ];
    case 'stillUp':
      return [infoFinding('still_up', `The pods of revision ${on} still run: it serves again immediately.`)];
    case 'window':
      return [
        infoFinding(
          'rollback_window',
          `Revision ${on} is within the rollback window of the Rollout: no steps run.`,
        ),
      ];
    case 'noSteps':
      return [];
  }
}

/**
 * A key that the template had before its role overwrote it is indistinguishable from one that it did not
 * have.
 */
function checkOverlap({ to, currentTemplate }: RollbackInput): Finding[] {
  if (to.origin.kind !== 'cluster') return [];
  const injected = injectedKeys(to.origin.revision.source.annotations);
  const presentKeys = (member: 'labels' | 'annotations') =>
    injected[member].filter((key) => textAt(currentTemplate, 'metadata', member, key) !== undefined);
  const keys = [...presentKeys('labels'), ...presentKeys('annotations')];
  if (keys.length === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'ephemeral_overlap',
      message: `The template sets ${formatList(keys)}, and Argo Rollouts overwrites ${keys.length === 1 ? 'it' : 'them'} during a rollout. The original value in revision ${formatTarget(to)} is unknown, so it is left out.`,
      action: 'Set it again afterwards.',
    },
  ];
}

/**
 * Whether the steps of the plan run again. The window counts ReplicaSets by their creation, between the
 * stable one and the target of the rollback.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/sync.go (isRollbackWithinWindow)
 */
function stepsOutcomeOf({ workload, history, to }: RollbackInput): StepsOutcome {
  const stable = stableOf({ workload, history });
  const carrier = carrierOf(history, to);
  const isBlueGreen = argoStrategyOf(workload) === 'blueGreen';
  if (!isBlueGreen && stepsOfSpec(workload).length === 0) return 'noSteps';
  if (carrier === null) return 'steps';
  if (carrier.id === stable?.id) return 'stable';
  if (isBlueGreen && isScaledUp(carrier, replicasOf(workload))) return 'stillUp';
  return stable !== null && isWithinWindow(carrier, stable, { workload, history }) ? 'window' : 'steps';
}

function isScaledUp({ source: { scale } }: Revision, desired: number): boolean {
  return scale !== null && desired > 0 && scale.desired >= desired && scale.available >= desired;
}

function isWithinWindow(
  { source: { createdAt } }: Revision,
  stable: Revision,
  { workload, history }: Pick<RollbackInput, 'workload' | 'history'>,
): boolean {
  const window = numberAt(objectAt(workload.spec, 'rollbackWindow'), 'revisions') ?? 0;
  if (window <= 0 || compareTimes(createdAt, stable.source.createdAt) >= 0) return false;
  const between = history.revisions.filter(
    ({ source }) =>
      compareTimes(source.createdAt, createdAt) > 0 &&
      compareTimes(source.createdAt, stable.source.createdAt) < 0,
  );
  return between.length < window;
}

function stableOf({ workload, history }: Pick<RollbackInput, 'workload' | 'history'>): Revision | null {
  return revisionOfHash(history, textAt(workload.status, 'stableRS') ?? null);
}

function capacity(input: RollbackInput): Capacity {
  const { workload, history, to, pods } = input;
  const desired = replicasOf(workload);
  const ready = readyCountOf(pods);
  const outcome = stepsOutcomeOf(input);
  if (outcome === 'stillUp') return capacityOf({ replaced: 0, serving: null });
  if (outcome === 'steps')
    return argoStrategyOf(workload) === 'blueGreen'
      ? capacityOf({ replaced: desired, verb: 'started as a preview', serving: Math.min(ready, desired) })
      : capacityInSteps('Argo Rollouts');
  const kept = carrierOf(history, to)?.pods.total ?? 0;
  return capacityOf({
    replaced: Math.max(0, desired - kept),
    serving: servingAtLeast(ready, desired, rollingLimitsOf(workload).unavailable),
  });
}

function describeSteps(input: RollbackInput): string[] {
  const { workload } = input;
  const desired = replicasOf(workload);
  const on = formatResult(input);
  if (desired === 0) return ['The Rollout is scaled to 0: no pod starts or terminates.'];
  switch (stepsOutcomeOf(input)) {
    case 'stable':
      return [`The current rollout ends, and all pods run revision ${on}.`];
    case 'stillUp':
      return [`All traffic goes to the pods of revision ${on}, which still run.`];
    case 'window':
    case 'noSteps':
      return [
        `${formatCount(desired, 'pod')} of revision ${on} ${desired === 1 ? 'replaces' : 'replace'} the current ones, without steps.`,
      ];
    case 'steps':
      return argoStrategyOf(workload) === 'blueGreen'
        ? [
            `${formatCount(desired, 'pod')} of revision ${on} ${desired === 1 ? 'starts' : 'start'} as a preview and ${desired === 1 ? 'serves' : 'serve'} after promotion.`,
          ]
        : [`A rollout of revision ${on} starts with step 1 of ${stepsOfSpec(workload).length}.`];
  }
}

function describeUnchanged({ workload, templateOwner }: RollbackInput): string[] {
  return [
    `Replicas (${replicasOf(workload)}) and autoscaling are unchanged.`,
    ...(templateOwner === undefined
      ? []
      : [`Only the template of ${templateOwnerName(templateOwner.owner)} changes.`]),
    'The steps, labels, annotations and all other settings of the Rollout are unchanged.',
    'Labels, annotations and anti-affinity that Argo Rollouts injected into the recorded template are not restored.',
    OTHER_OBJECTS_STAY,
  ];
}

function undoCommand({ workload, history, to, templateOwner }: RollbackInput): string {
  if (templateOwner?.owner.resource.id === podTemplates.id)
    return `# kubectl argo rollouts undo does not support the template of ${templateOwnerName(templateOwner.owner)}`;
  const carrier = requestedCarrier(history, to);
  if (carrier === null)
    return `# kubectl argo rollouts undo cannot roll back to revision ${formatTarget(to)}: the cluster no longer has its template`;
  if (carrier.number === null || carrier.number <= 0)
    return `# kubectl argo rollouts undo cannot address ${carrier.name}: it has no revision number`;
  return argoCommand(workload, 'undo', `--to-revision=${carrier.number}`);
}

function infoFinding(code: string, message: string): Finding {
  return { severity: 'info', code, message, action: null };
}
