import { plainFacts, type Report, type WorkloadFacts } from '@/lib/engine/facts';
import type { WorkloadStatus } from '@/lib/engine/status';
import { capitalize, formatCount } from '@/lib/format/text';
import { formatRevision, type Revision } from '@/lib/history/revision';
import { describeServing, formatTarget, joinSentences } from '@/lib/messages/target';
import { revisionOfHash } from '@/lib/argo/history';
import { type ArgoReading, readArgo } from '@/lib/argo/reading';
import { findCondition } from '@/lib/rollout/common-shape';
import {
  readDeadline,
  readReplicaFailure,
  isFirstRolloutOpen,
  countReplicas,
} from '@/lib/workloads/reported';
import type { StatusInput } from '@/lib/workloads/kind';

type Counts = WorkloadStatus['pods'];

/** What the sentences of a report are about. */
interface Reported extends StatusInput {
  rollout: ArgoReading;
  counts: Counts;
  serving: Revision | null;
}

/** What an Argo Rollout reports as a workload: the phase of its controller, and counts. */
export function argoRolloutFacts(input: StatusInput): WorkloadFacts {
  const { workload, history } = input;
  const rollout = readArgo(workload);
  const { phase, message, isBehind, desired } = rollout;
  const { total: _, ...counts } = countReplicas(workload, desired);
  const { updated, available } = counts;
  // Of a blue-green rollout: what the active Service selects. Others wait for their promotion, or for their end.
  const serving = revisionOfHash(history, rollout.activeHash);
  const isLate =
    phase === 'Degraded' && findCondition(rollout, 'Progressing')?.reason === 'ProgressDeadlineExceeded';
  const isPaused = phase === 'Paused' && rollout.paused;
  const isHealthy = phase === 'Healthy' && !isRestarting(rollout);
  const healthy = findCondition(rollout, 'Healthy');
  const deadline = readDeadline(workload);
  const reported = { ...input, rollout, counts, serving };
  let report: Report | null = null;
  if (rollout.aborted) report = reportAbort(reported);
  else if (!isLate && !isPaused) report = reportPhase(reported);
  return {
    ...plainFacts(input),
    isObserved: !isBehind,
    report,
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
    finishedAt: healthy?.status === 'True' ? healthy.lastTransitionTime : null,
    completedBefore: available < desired && hasCompleted(input, rollout) ? 'reported' : 'no',
    servingRevision: serving,
    pause: isPaused && !rollout.aborted ? { since: rollout.pauses[0]?.since ?? null } : null,
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

/** The stable revision is the one that the spec requests: its rollout is over. */
function hasCompleted(input: StatusInput, { currentHash, stableHash }: ArgoReading): boolean {
  if (isFirstRolloutOpen(input) || currentHash === null || currentHash !== stableHash) return false;
  return input.history.revisions.every((revision) => revision.target || revision.pods.total === 0);
}

/** What the phase says that no count does; null where the counts say it. */
function reportPhase(reported: Reported): Report | null {
  const { phase } = reported.rollout;
  switch (phase) {
    case 'Healthy':
      return isRestarting(reported.rollout) ? reportRestart(reported) : null;
    case 'Degraded':
      return reportDegraded(reported);
    case 'Paused':
      return reportStepPause(reported);
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
export function isRestarting({ restartAt, restartedAt }: ArgoReading): boolean {
  return restartAt !== null && restartAt !== restartedAt;
}

function reportRestart({ workload, pods, rollout, counts: { desired, ready } }: Reported): Report {
  const since = rollout.restartAt;
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
function reportAbort({ history, rollout, counts }: Reported): Report {
  const stable = revisionOfHash(history, rollout.stableHash);
  const serving = stable === null ? 'the stable revision' : `revision ${formatRevision(stable)}`;
  const requested = formatTarget(history);
  const because = rollout.abortReason === null ? '' : ` (${rollout.abortReason})`;
  return {
    says: 'failing',
    message: `aborted${because}: ${serving} serves, the spec requests ${requested}`,
    sentence: `The rollout of ${requested} was aborted${because}. ${capitalize(serving)} serves with ${stable?.pods.ready ?? counts.ready} of ${formatCount(counts.desired, 'pod')}; the spec still requests ${requested}.`,
    since: rollout.abortedAt,
  };
}

function reportDegraded(reported: Reported): Report {
  const { rollout, counts } = reported;
  return {
    says: 'failing',
    message: rollout.message ?? `${counts.available} of ${counts.desired} available`,
    sentence: withServing(
      reported,
      `Argo Rollouts reports: ${(rollout.message ?? 'degraded').replace(/\.$/, '')}.`,
    ),
    since: findCondition(rollout, 'Progressing')?.lastTransitionTime ?? null,
  };
}

/** A pause of its own plan: time or a person ends it. */
function reportStepPause(reported: Reported): Report {
  const { history, rollout, counts } = reported;
  const { stepIndex, steps } = rollout;
  const position =
    steps.length > 0 && stepIndex !== null
      ? `at step ${Math.min(stepIndex + 1, steps.length)} of ${steps.length}`
      : 'before promotion';
  return {
    says: 'suspended',
    message: `${position}; ${counts.updated} of ${counts.desired} pods updated`,
    sentence: withServing(
      reported,
      `The rollout of ${formatTarget(history)} is paused ${position}: ${counts.updated} of ${formatCount(counts.desired, 'pod')} ${counts.updated === 1 ? 'runs' : 'run'} it.`,
    ),
    since: rollout.pauses[0]?.since ?? null,
  };
}

function withServing({ history, counts, serving }: Reported, sentence: string): string {
  return joinSentences(sentence, describeServing({ history, counts, servingRevision: serving }));
}
