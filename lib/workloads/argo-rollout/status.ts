import { revisionOfHash } from '@/lib/workloads/argo-rollout/history';
import { phaseOf, pauseConditionsOf } from '@/lib/workloads/argo-rollout/phase';
import { replicasOf, stepsOfSpec } from '@/lib/workloads/argo-rollout/spec';
import { blockedSince, blockersOf, describeStarting, reasonInFull, reasonOf } from '@/lib/workloads/blockers';
import { type StatusInput } from '@/lib/workloads/kind';
import { conditionAt, numberAt, textAt } from '@/lib/workloads/read';
import { type WorkloadStatus } from '@/lib/workloads/status';
import { joined, plain, stillServing, targetReadiness, type Verdict } from '@/lib/workloads/status-words';
import { unobserved } from '@/lib/workloads/unobserved';
import { called, capitalised, count } from '@/lib/workloads/words';
import { type Workload } from '@/lib/workloads/workload';

type Counts = WorkloadStatus['pods'];

/** The status of an Argo Rollout as a workload: the phase of its controller, with the pods that stand in the way. */
export function argoRolloutStatus(input: StatusInput): WorkloadStatus {
  const pods = countsOf(input);
  const { phase, message } = phaseOf(input.workload);
  return {
    ...judge(input, pods),
    pods,
    kubectl: {
      command: 'kubectl argo rollouts status',
      text: message === null ? phase : `${phase} - ${message}`,
      verdict: phase === 'Healthy' ? 'done' : phase === 'Degraded' ? 'error' : 'waiting',
    },
  };
}

function judge(input: StatusInput, counts: Counts): Verdict {
  const { workload } = input;
  const { name } = workload;
  if (workload.deletedAt !== null)
    return plain('unknown', 'being deleted', `${name} is being deleted.`, workload.deletedAt);
  const reading = phaseOf(workload);
  if (reading.isBehind) return unobserved(workload, input.now);
  if (workload.status.abort === true) return aborted(input, counts);
  switch (reading.phase) {
    case 'Healthy':
      return isRestarting(workload) ? restarting(input, counts) : complete(input, counts);
    case 'Degraded':
      return degraded(input, counts, reading.message);
    case 'Paused':
      return workload.spec.paused === true ? paused(input, counts) : held(input, counts);
    case 'Progressing':
      return moving(input, counts, reading.message);
    default:
      return plain(
        'unknown',
        `in the phase ${reading.phase}`,
        `In the phase ${reading.phase}, which Shiplog does not know.`,
        null,
      );
  }
}

/** The controller notes the time of the restart once every older pod is gone. */
export function isRestarting({ spec, status }: Pick<Workload, 'spec' | 'status'>): boolean {
  const asked = textAt(spec, 'restartAt');
  return asked !== undefined && asked !== (textAt(status, 'restartedAt') ?? '');
}

function restarting({ history, workload, pods }: StatusInput, { desired, ready }: Counts): Verdict {
  const since = textAt(workload.spec, 'restartAt') ?? null;
  const left = since === null ? 0 : pods.filter(({ createdAt }) => createdAt < since).length;
  const message =
    left === 0
      ? `restarting; ${ready} of ${desired} ready`
      : `restarting; ${count(left, 'pod')} older than that`;
  return {
    state: 'rolling',
    message,
    sentence: `The pods of ${workload.name} are being replaced by new ones of the same revision; ${ready} of ${count(desired, 'pod')} are ready.`,
    since,
    blockers: blockersOf(history, pods, { proven: true }),
  };
}

function complete({ history, workload }: StatusInput, { desired, ready }: Counts): Verdict {
  if (desired === 0)
    return plain('complete', 'scaled to 0', `${workload.name} is scaled to 0; no pod runs.`, null);
  const on = history.target === null ? 'the present template' : `revision ${called(history.target)}`;
  const sentence =
    desired === 1 ? `The one pod runs ${on} and is ready.` : `All ${desired} pods run ${on} and are ready.`;
  const healthy = conditionAt(workload.status, 'Healthy');
  const since = healthy?.status === 'True' ? (textAt(healthy, 'lastTransitionTime') ?? null) : null;
  return plain('complete', `${ready} of ${desired} ready`, sentence, since);
}

/** The spec keeps the template that was given up, so what it asks for is not what serves. */
function aborted(input: StatusInput, counts: Counts): Verdict {
  const { history, workload } = input;
  const stable = revisionOfHash(history, textAt(workload.status, 'stableRS') ?? null);
  const serving = stable === null ? 'the stable revision' : `revision ${called(stable)}`;
  const wanted = history.target === null ? 'the present template' : `revision ${called(history.target)}`;
  return {
    state: 'degraded',
    message: `aborted: ${serving} serves, the spec asks for ${wanted}`,
    sentence: `The release of ${wanted} was aborted. ${capitalised(serving)} serves with ${stable?.pods.ready ?? counts.ready} of ${count(counts.desired, 'pod')}; the spec still asks for ${wanted}.`,
    since: textAt(workload.status, 'abortedAt') ?? null,
    blockers: blockersOf(history, input.pods, { proven: true }),
  };
}

function degraded(input: StatusInput, counts: Counts, said: string | null): Verdict {
  const { history, workload } = input;
  const blockers = blockersOf(history, input.pods, { proven: true });
  const progressing = conditionAt(workload.status, 'Progressing');
  const isLate = progressing?.reason === 'ProgressDeadlineExceeded';
  const since = textAt(progressing, 'lastTransitionTime') ?? blockedSince(blockers);
  const serving = stillServing(history, counts.desired);
  if (isLate) {
    const subject = targetReadiness(history.target);
    return {
      state: blockers.length > 0 ? 'stuck' : 'deadlineExceeded',
      message:
        blockers.length > 0
          ? `${subject}; ${reasonOf(blockers)}`
          : `no progress in time; ${counts.available} of ${counts.desired} available`,
      sentence: joined(
        `${capitalised(subject)}${blockers.length > 0 ? `: ${reasonInFull(blockers)}` : ', and nothing moved in the time that it may take'}.`,
        serving,
      ),
      since,
      blockers,
    };
  }
  return {
    state: 'degraded',
    message: said ?? `${counts.available} of ${counts.desired} available`,
    sentence: joined(`Argo Rollouts says: ${(said ?? 'degraded').replace(/\.$/, '')}.`, serving),
    since,
    blockers,
  };
}

function paused({ history, workload, pods }: StatusInput, counts: Counts): Verdict {
  const on = history.target === null ? 'the present template' : `revision ${called(history.target)}`;
  return {
    state: 'paused',
    message: `${counts.updated} of ${counts.desired} pods on ${on.replace('revision ', '')}`,
    sentence: `Releases wait until it is resumed. ${counts.updated} of ${count(counts.desired, 'pod')} run ${on}, ${counts.ready} are ready.`,
    since: pauseConditionsOf(workload)[0]?.since ?? null,
    blockers: blockersOf(history, pods, { proven: true }),
  };
}

/** Held by a pause of its own plan: time or a person takes it on. */
function held(input: StatusInput, counts: Counts): Verdict {
  const { history, workload, pods } = input;
  const on = history.target === null ? 'the present template' : `revision ${called(history.target)}`;
  const steps = stepsOfSpec(workload).length;
  const index = numberAt(workload.status, 'currentStepIndex');
  const where =
    steps > 0 && index !== undefined ? `step ${Math.min(index + 1, steps)} of ${steps}` : 'a pause';
  return {
    state: 'held',
    message: `at ${where}; ${counts.updated} of ${counts.desired} pods updated`,
    sentence: joined(
      `The release of ${on} is held at ${where}: ${counts.updated} of ${count(counts.desired, 'pod')} ${counts.updated === 1 ? 'runs' : 'run'} it.`,
      stillServing(history, counts.desired),
    ),
    since: pauseConditionsOf(workload)[0]?.since ?? null,
    blockers: blockersOf(history, pods, { proven: true }),
  };
}

function moving(input: StatusInput, counts: Counts, said: string | null): Verdict {
  const { history, workload } = input;
  if (history.target === null) {
    const message = 'the controller has not recorded the present template yet';
    return plain('rolling', message, `${capitalised(message)}.`, null);
  }
  const own = input.pods.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true);
  const blockers = blockersOf(history, own, { proven: true });
  const starting = describeStarting(own);
  const serving = stillServing(history, counts.desired);
  if (blockers.length > 0 && starting === null) {
    const subject = targetReadiness(history.target);
    return {
      state: 'stuck',
      message: `${subject}; ${reasonOf(blockers)}`,
      sentence: joined(`${capitalised(subject)}: ${reasonInFull(blockers)}.`, serving),
      since: blockedSince(blockers),
      blockers,
    };
  }
  const head = `${counts.updated} of ${counts.desired} updated`;
  const detail = starting ?? said;
  return {
    state: 'rolling',
    message: detail === null ? head : `${head}; ${detail}`,
    sentence: joined(
      `${counts.updated} of ${count(counts.desired, 'pod')} of ${workload.name} run revision ${called(history.target)}, ${counts.ready} are ready.`,
      serving,
    ),
    since: history.target.activations.at(-1)?.from ?? null,
    blockers: blockersOf(history, input.pods, { proven: true }),
  };
}

function countsOf({ workload: { spec, status } }: StatusInput): Counts {
  return {
    desired: replicasOf({ spec }),
    ready: numberAt(status, 'readyReplicas') ?? 0,
    updated: numberAt(status, 'updatedReplicas') ?? 0,
    available: numberAt(status, 'availableReplicas') ?? 0,
  };
}
