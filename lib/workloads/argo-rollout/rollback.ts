import { compareTimes } from '@/lib/history/order';
import { type Revision } from '@/lib/history/revision';
import { argoLine } from '@/lib/workloads/argo-rollout/controls';
import { revisionOfHash } from '@/lib/workloads/argo-rollout/history';
import { checkHolder, podTemplates } from '@/lib/workloads/argo-rollout/reference';
import { argoRollouts } from '@/lib/workloads/argo-rollout/resource';
import { argoStrategyOf, replicasOf, stepsOfSpec } from '@/lib/workloads/argo-rollout/spec';
import { injectedKeys } from '@/lib/workloads/argo-rollout/template';
import { type Planned, type RollbackInput } from '@/lib/workloads/kind';
import { type Finding } from '@/lib/workloads/plan';
import { numberAt, objectAt, textAt } from '@/lib/workloads/read';
import { checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { numberStep, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { calledTarget, carrierOf, equalRevisions } from '@/lib/workloads/rollback-target';
import { holderName } from '@/lib/workloads/template-holder';
import { called, count, listed } from '@/lib/workloads/words';

/** What becomes of the steps of the plan when a template comes back. */
type Way = 'stable' | 'stillUp' | 'window' | 'steps' | 'noSteps';

/**
 * Return of an Argo Rollout to an earlier template, as `kubectl argo rollouts undo` does it, but without what the controller
 * had put into the template of the ReplicaSet.
 * https://github.com/argoproj/argo-rollouts/blob/master/pkg/kubectl-argo-rollouts/cmd/undo/undo.go
 */
export function planRollback(input: RollbackInput): Planned {
  const findings = [
    ...checkHolder(input),
    ...checkPaused(input),
    ...checkRollback(input),
    ...checkAborted(input),
    ...checkSteps(input),
    ...checkOverlap(input),
  ];
  return unlessRefused(findings, () =>
    rollbackPlan(argoRollouts, input, {
      steps: [...stepsOf(input), numberStep(input, equalRevisions(input.history, input.to)[0] ?? null)],
      stays: staysOf(input),
      kubectl: undoLine(input),
    }),
  );
}

/** The tool takes back the template of a paused Rollout as well. */
function checkPaused({ workload }: RollbackInput): Finding[] {
  if (workload.spec.paused !== true) return [];
  return [
    {
      severity: 'warning',
      code: 'paused',
      message: 'The Rollout is paused by hand: its template goes back, and no pod moves until it is resumed.',
      action: 'Resume it afterwards.',
    },
  ];
}

/** After an abort what the spec asks for is not what serves. */
function checkAborted({ workload, history, to }: RollbackInput): Finding[] {
  if (workload.status.abort !== true) return [];
  const stable = stableOf({ workload, history });
  const serves = stable === null ? 'the stable revision' : `revision ${called(stable)}`;
  const asked = history.target === null ? 'the present template' : `revision ${called(history.target)}`;
  const isStable = stable !== null && equalRevisions(history, to).some(({ id }) => id === stable.id);
  return [
    {
      severity: isStable ? 'info' : 'warning',
      code: 'aborted',
      message: `The last release was aborted: the spec still asks for ${asked}, while ${serves} serves. What this takes back is the spec${isStable ? ', so that it agrees with what serves' : ''}.`,
      action: null,
    },
  ];
}

function checkSteps(input: RollbackInput): Finding[] {
  const steps = stepsOfSpec(input.workload).length;
  const on = calledTarget(input.to);
  switch (wayOf(input)) {
    case 'steps':
      return [
        {
          severity: 'warning',
          code: 'runs_steps',
          message:
            argoStrategyOf(input.workload) === 'blueGreen'
              ? `Revision ${on} is previewed and promoted like any other release: it does not serve at once.`
              : `Argo Rollouts takes revision ${on} for another release and runs all ${count(steps, 'step')} again, with their pauses.`,
          action: 'Promote it fully afterwards to have it at once.',
        },
      ];
    case 'stable':
      return [info('ends_release', `Revision ${on} is the stable one: the release ends, and no step runs.`)];
    case 'stillUp':
      return [info('still_up', `The pods of revision ${on} are still there: it serves again at once.`)];
    case 'window':
      return [
        info(
          'rollback_window',
          `Revision ${on} lies within the rollback window of the Rollout: no step runs.`,
        ),
      ];
    case 'noSteps':
      return [];
  }
}

/** A key that stood in the template before its role was written over it can't be told from one that did not. */
function checkOverlap({ to, present }: RollbackInput): Finding[] {
  if (to.origin.kind !== 'cluster') return [];
  const injected = injectedKeys(to.origin.revision.source.annotations);
  const stands = (member: 'labels' | 'annotations') =>
    injected[member].filter((key) => textAt(present, 'metadata', member, key) !== undefined);
  const keys = [...stands('labels'), ...stands('annotations')];
  if (keys.length === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'ephemeral_overlap',
      message: `${listed(keys)} ${keys.length === 1 ? 'stands' : 'stand'} in the template and is also set by Argo Rollouts for the time of a role. Which value revision ${calledTarget(to)} had is not recorded, so it is left out.`,
      action: 'Set it again afterwards.',
    },
  ];
}

/**
 * Whether the steps of the plan run again. The window counts ReplicaSets by their creation, between the stable one and the one
 * that comes back. https://github.com/argoproj/argo-rollouts/blob/master/rollout/sync.go (isRollbackWithinWindow)
 */
function wayOf({ workload, history, to }: RollbackInput): Way {
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

function stepsOf(input: RollbackInput): string[] {
  const { workload, to } = input;
  const desired = replicasOf(workload);
  const on = calledTarget(to);
  if (desired === 0) return ['The Rollout is scaled to 0: no pod starts or ends.'];
  switch (wayOf(input)) {
    case 'stable':
      return [`The release under way ends, and every pod runs revision ${on}.`];
    case 'stillUp':
      return [`All requests go to the pods of revision ${on}, which are still there.`];
    case 'window':
    case 'noSteps':
      return [
        `${count(desired, 'pod')} of revision ${on} ${desired === 1 ? 'takes' : 'take'} the place of the present ones, without steps.`,
      ];
    case 'steps':
      return argoStrategyOf(workload) === 'blueGreen'
        ? [
            `${count(desired, 'pod')} of revision ${on} ${desired === 1 ? 'starts' : 'start'} as its preview, and ${desired === 1 ? 'serves' : 'serve'} once promoted.`,
          ]
        : [`A release of revision ${on} begins with step 1 of ${stepsOfSpec(workload).length}.`];
  }
}

function staysOf({ workload, holder }: RollbackInput): string[] {
  const desired = replicasOf(workload);
  return [
    `${count(desired, 'replica')} ${desired === 1 ? 'stays' : 'stay'} asked for, and whatever scales them goes on.`,
    ...(holder === undefined ? [] : [`Everything of ${holderName(holder.holder)} but its template stays.`]),
    'The plan of steps, the labels, the annotations and every other setting of the Rollout stay.',
    'Labels, annotations and anti-affinity that Argo Rollouts had put into the recorded template are not brought back.',
    'ConfigMaps, Secrets, Services and the ServiceAccount stay as they are now; they have no history.',
  ];
}

function undoLine({ workload, history, to, holder }: RollbackInput): string {
  if (holder?.holder.resource.id === podTemplates.id)
    return `# kubectl argo rollouts undo looks for the template of ${holderName(holder.holder)} where it is not`;
  const carrier = carrierOf(history, to);
  if (carrier === null)
    return `# kubectl argo rollouts undo cannot go back to ${calledTarget(to)}: the cluster no longer has its template`;
  if (carrier.number === null || carrier.number <= 0)
    return `# kubectl argo rollouts undo cannot address ${carrier.name}: it has no revision number`;
  return argoLine(workload, 'undo', `--to-revision=${carrier.number}`);
}

function info(code: string, message: string): Finding {
  return { severity: 'info', code, message, action: null };
}
