import { compareTimes } from '@/lib/history/revision-order';
import { formatRevision, type Revision } from '@/lib/history/revision';
import { argoCommand } from '@/lib/argo/controls';
import { revisionOfHash } from '@/lib/argo/history';
import { checkTemplateOwner, podTemplates } from '@/lib/argo/reference';
import { argoRollouts } from '@/lib/argo/resource';
import { type ArgoReading, readArgo } from '@/lib/argo/reading';
import { injectedKeys } from '@/lib/argo/template';
import {
  type Capacity,
  capacityInSteps,
  capacityOf,
  readyCountOf,
  servingAtLeast,
} from '@/lib/engine/capacity';
import type { PlanResult, RollbackInput as Input } from '@/lib/workloads/kind';
import { finding, type Finding } from '@/lib/workloads/plan';
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
type StepsOutcome = 'stable' | 'stillUp' | 'window' | 'steps' | 'preview' | 'noSteps';

interface RollbackInput extends Input {
  rollout: ArgoReading;
  stable: Revision | null;
}

/**
 * Rollback of an Argo Rollout, as `kubectl argo rollouts undo` does it, but without what the controller
 * injected into the template of the ReplicaSet.
 * https://github.com/argoproj/argo-rollouts/blob/master/pkg/kubectl-argo-rollouts/cmd/undo/undo.go
 */
export function planRollback(request: Input): PlanResult {
  const rollout = readArgo(request.workload);
  const stable = revisionOfHash(request.history, rollout.stableHash);
  const input: RollbackInput = { ...request, rollout, stable };
  const { finding: outcome, step } = describeOutcome(input);
  const findings = [
    ...checkTemplateOwner(input),
    ...checkPaused(input),
    ...checkRollback(input),
    ...checkAborted(input),
    ...(outcome === null ? [] : [outcome]),
    ...checkOverlap(input),
  ];
  return unlessRefused(findings, () =>
    rollbackPlan(argoRollouts, input, {
      steps: [
        rollout.desired === 0 ? 'The Rollout is scaled to 0: no pod starts or terminates.' : step,
        describeNumbering(input, equalRevisions(input.history, input.to)[0] ?? null),
      ],
      stays: describeUnchanged(input),
      kubectl: undoCommand(input),
      capacity: capacity(input),
    }),
  );
}

/** `kubectl argo rollouts undo` also rolls back a paused Rollout. */
function checkPaused({ rollout }: RollbackInput): Finding[] {
  if (!rollout.paused) return [];
  return [
    finding(
      'warning',
      'paused',
      'The Rollout is paused manually: the template is rolled back, but no pod is replaced until it is resumed.',
      'Resume it afterwards.',
    ),
  ];
}

/** After an abort the spec does not describe what serves. */
function checkAborted({ rollout, stable, history, to }: RollbackInput): Finding[] {
  if (!rollout.aborted) return [];
  const servingText = stable === null ? 'the stable revision' : `revision ${formatRevision(stable)}`;
  const desiredText =
    history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  const isStable = stable !== null && equalRevisions(history, to).some(({ id }) => id === stable.id);
  return [
    finding(
      isStable ? 'info' : 'warning',
      'aborted',
      `The last rollout was aborted: the spec still requests ${desiredText}, but ${servingText} serves. This rollback changes the spec${isStable ? ' to match' : ''}.`,
    ),
  ];
}

/** What the outcome means, before the action and in its plan. */
function describeOutcome(input: RollbackInput): { finding: Finding | null; step: string } {
  const { steps, desired } = input.rollout;
  const on = formatResult(input);
  const pods = `${formatCount(desired, 'pod')} of revision ${on}`;
  switch (findOutcome(input)) {
    case 'preview':
      return {
        finding: finding(
          'warning',
          'runs_steps',
          `Revision ${on} starts as a preview and must be promoted: it does not serve immediately.`,
          SKIP_STEPS,
        ),
        step: `${pods} ${desired === 1 ? 'starts' : 'start'} as a preview and ${desired === 1 ? 'serves' : 'serve'} after promotion.`,
      };
    case 'steps':
      return {
        finding: finding(
          'warning',
          'runs_steps',
          `Argo Rollouts treats revision ${on} as a new rollout and runs all ${formatCount(steps.length, 'step')}, including pauses.`,
          SKIP_STEPS,
        ),
        step: `A rollout of revision ${on} starts with step 1 of ${steps.length}.`,
      };
    case 'stable': {
      const message = `Revision ${on} is the stable revision: the rollout ends and no steps run.`;
      const step = `The current rollout ends, and all pods run revision ${on}.`;
      return { finding: finding('info', 'ends_rollout', message), step };
    }
    case 'stillUp': {
      const message = `The pods of revision ${on} still run: it serves again immediately.`;
      const step = `All traffic goes to the pods of revision ${on}, which still run.`;
      return { finding: finding('info', 'still_up', message), step };
    }
    case 'window': {
      const message = `Revision ${on} is within the rollback window of the Rollout: no steps run.`;
      return { finding: finding('info', 'rollback_window', message), step: describeReplacing(pods, desired) };
    }
    case 'noSteps':
      return { finding: null, step: describeReplacing(pods, desired) };
  }
}

const SKIP_STEPS = 'Use “Promote full” afterwards to skip the steps.';

function describeReplacing(pods: string, desired: number): string {
  return `${pods} ${desired === 1 ? 'replaces' : 'replace'} the current ones, without steps.`;
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
    finding(
      'warning',
      'ephemeral_overlap',
      `The template sets ${formatList(keys)}, and Argo Rollouts overwrites ${keys.length === 1 ? 'it' : 'them'} during a rollout. The original value in revision ${formatTarget(to)} is unknown, so it is left out.`,
      'Set it again afterwards.',
    ),
  ];
}

/**
 * Whether the steps of the plan run again. The window counts ReplicaSets by their creation, between the
 * stable one and the target of the rollback.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/sync.go (isRollbackWithinWindow)
 */
function findOutcome({ workload, rollout, stable, history, to }: RollbackInput): StepsOutcome {
  const carrier = carrierOf(history, to);
  const isBlueGreen = rollout.strategy === 'blueGreen';
  if (!isBlueGreen && rollout.steps.length === 0) return 'noSteps';
  const steps = isBlueGreen ? 'preview' : 'steps';
  if (carrier === null) return steps;
  if (carrier.id === stable?.id) return 'stable';
  if (isBlueGreen && isScaledUp(carrier, rollout.desired)) return 'stillUp';
  return stable !== null && isWithinWindow(carrier, stable, { workload, history }) ? 'window' : steps;
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

function capacity(input: RollbackInput): Capacity {
  const { rollout, history, to, pods } = input;
  const { desired } = rollout;
  const ready = readyCountOf(pods);
  const outcome = findOutcome(input);
  if (outcome === 'stillUp') return capacityOf({ replaced: 0, serving: null });
  if (outcome === 'steps') return capacityInSteps('Argo Rollouts');
  if (outcome === 'preview')
    return capacityOf({ replaced: desired, verb: 'started as a preview', serving: Math.min(ready, desired) });
  const kept = carrierOf(history, to)?.pods.total ?? 0;
  return capacityOf({
    replaced: Math.max(0, desired - kept),
    serving: servingAtLeast(ready, desired, rollout.unavailable),
  });
}

function describeUnchanged({ rollout, templateOwner }: RollbackInput): string[] {
  return [
    `Replicas (${rollout.desired}) and autoscaling are unchanged.`,
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
