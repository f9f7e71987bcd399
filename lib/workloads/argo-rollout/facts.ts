import { describeServing, formatTarget } from '@/lib/messages/target';
import { plainFacts, type Report, type WorkloadFacts } from '@/lib/engine/facts';
import type { WorkloadStatus } from '@/lib/engine/status';
import { capitalize, formatCount } from '@/lib/format/text';
import { formatRevision, type Revision } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';
import { conditionAt, numberAt, textAt } from '@/lib/kube/read';
import { revisionOfHash } from '@/lib/workloads/argo-rollout/history';
import { abortReasonOf, phaseOf, pauseConditionsOf } from '@/lib/workloads/argo-rollout/phase';
import { replicasOf, stepsOfSpec } from '@/lib/workloads/argo-rollout/spec';
import {
  readDeadline,
  readReplicaFailure,
  isFirstRolloutOpen,
  countReplicas,
} from '@/lib/workloads/reported';
import type { StatusInput } from '@/lib/workloads/kind';

type Counts = WorkloadStatus['pods'];

/** What an Argo Rollout reports as a workload: the phase of its controller, and counts. */
export function argoRolloutFacts(input: StatusInput): WorkloadFacts {
  const { workload } = input;
  const { total: _, ...counts } = countReplicas(workload, replicasOf(workload));
  const reading = phaseOf(workload);
  const { phase, message, isBehind } = reading;
  const isAborted = workload.status.abort === true;
  const progressing = conditionAt(workload.status, 'Progressing');
  const isLate = phase === 'Degraded' && progressing?.reason === 'ProgressDeadlineExceeded';
  const isPaused = phase === 'Paused' && workload.spec.paused === true;
  const isHealthy = phase === 'Healthy' && !isRestarting(workload);
  const healthy = conditionAt(workload.status, 'Healthy');
  const { desired, updated, available } = counts;
  const deadline = readDeadline(workload);
  return {
    ...plainFacts(input),
    isObserved: !isBehind,
    report: isAborted
      ? reportAbort(input, counts)
      : isLate || isPaused
        ? null
        : reportPhase(input, counts, reading),
    counts,
    progress: {
      updated,
      goal: desired,
      serving: available,
      servingWord: 'available',
      desired,
      waitsFor: message,
    },
    isScaledDown: isHealthy && desired === 0,
    isFinished: isHealthy,
    finishedAt: healthy?.status === 'True' ? (textAt(healthy, 'lastTransitionTime') ?? null) : null,
    completedBefore: available < desired && hasCompleted(input) ? 'reported' : 'no',
    servingRevision: readServing(input),
    pause: isPaused && !isAborted ? { since: pauseConditionsOf(workload)[0]?.since ?? null } : null,
    deadline: deadline === null ? null : { ...deadline, isExceeded: isLate },
    failure: readReplicaFailure(workload),
    namesPods: false,
    kubectl: {
      command: 'kubectl argo rollouts status',
      text: message === null ? phase : `${phase} - ${message}`,
      verdict: phase === 'Healthy' ? 'done' : phase === 'Degraded' ? 'error' : 'waiting',
    },
  };
}

/** Of a blue-green rollout: what the active Service selects. Others wait for their promotion, or for their end. */
function readServing({ history, workload }: StatusInput): Revision | null {
  return revisionOfHash(history, textAt(workload.status, 'blueGreen', 'activeSelector') ?? null);
}

/** The stable revision is the one that the spec requests: its rollout is over. */
function hasCompleted(input: StatusInput): boolean {
  const { history } = input;
  const { status } = input.workload;
  if (isFirstRolloutOpen(input)) return false;
  const current = textAt(status, 'currentPodHash') ?? '';
  if (current === '' || textAt(status, 'stableRS') !== current) return false;
  return history.revisions.every((revision) => revision.target || revision.pods.total === 0);
}

/** What the phase says that no count does; null where the counts say it. */
function reportPhase(
  input: StatusInput,
  counts: Counts,
  { phase, message }: ReturnType<typeof phaseOf>,
): Report | null {
  switch (phase) {
    case 'Healthy':
      return isRestarting(input.workload) ? reportRestart(input, counts) : null;
    case 'Degraded':
      return reportDegraded(input, counts, message);
    case 'Paused':
      return reportStepPause(input, counts);
    case 'Progressing':
      return null;
    default:
      return {
        says: 'unclear',
        message: `unknown phase ${phase}`,
        sentence: `Shiplog does not know the phase ${phase}.`,
        since: null,
      };
  }
}

/** The controller writes the time of the restart once every older pod is deleted. */
function isRestarting({ spec, status }: Pick<Workload, 'spec' | 'status'>): boolean {
  const requestedAt = textAt(spec, 'restartAt');
  return requestedAt !== undefined && requestedAt !== (textAt(status, 'restartedAt') ?? '');
}

function reportRestart({ workload, pods }: StatusInput, { desired, ready }: Counts): Report {
  const since = textAt(workload.spec, 'restartAt') ?? null;
  const left = since === null ? 0 : pods.filter(({ createdAt }) => createdAt < since).length;
  return {
    says: 'working',
    message:
      left === 0
        ? `restarting; ${ready} of ${desired} ready`
        : `restarting; ${formatCount(left, 'pod')} older than that`,
    sentence: `The pods of ${workload.name} are being restarted on the same revision; ${ready} of ${formatCount(desired, 'pod')} are ready.`,
    since,
  };
}

/** The spec keeps the aborted template, so it does not describe what serves. */
function reportAbort({ history, workload }: StatusInput, counts: Counts): Report {
  const stable = revisionOfHash(history, textAt(workload.status, 'stableRS') ?? null);
  const serving = stable === null ? 'the stable revision' : `revision ${formatRevision(stable)}`;
  const requested = formatTarget(history);
  const reason = abortReasonOf(workload);
  const because = reason === null ? '' : ` (${reason})`;
  return {
    says: 'failing',
    message: `aborted${because}: ${serving} serves, the spec requests ${requested}`,
    sentence: `The rollout of ${requested} was aborted${because}. ${capitalize(serving)} serves with ${stable?.pods.ready ?? counts.ready} of ${formatCount(counts.desired, 'pod')}; the spec still requests ${requested}.`,
    since: textAt(workload.status, 'abortedAt') ?? null,
  };
}

function reportDegraded(input: StatusInput, counts: Counts, message: string | null): Report {
  const { history, workload } = input;
  const reported = `Argo Rollouts reports: ${(message ?? 'degraded').replace(/\.$/, '')}.`;
  const serving = describeServing({ history, counts, servingRevision: readServing(input) });
  return {
    says: 'failing',
    message: message ?? `${counts.available} of ${counts.desired} available`,
    sentence: serving === null ? reported : `${reported} ${serving}`,
    since: textAt(conditionAt(workload.status, 'Progressing'), 'lastTransitionTime') ?? null,
  };
}

/** A pause of its own plan: time or a person ends it. */
function reportStepPause(input: StatusInput, counts: Counts): Report {
  const { history, workload } = input;
  const steps = stepsOfSpec(workload).length;
  const index = numberAt(workload.status, 'currentStepIndex');
  const position =
    steps > 0 && index !== undefined
      ? `at step ${Math.min(index + 1, steps)} of ${steps}`
      : 'before promotion';
  const paused = `The rollout of ${formatTarget(history)} is paused ${position}: ${counts.updated} of ${formatCount(counts.desired, 'pod')} ${counts.updated === 1 ? 'runs' : 'run'} it.`;
  const serving = describeServing({ history, counts, servingRevision: readServing(input) });
  return {
    says: 'suspended',
    message: `${position}; ${counts.updated} of ${counts.desired} pods updated`,
    sentence: serving === null ? paused : `${paused} ${serving}`,
    since: pauseConditionsOf(workload)[0]?.since ?? null,
  };
}
