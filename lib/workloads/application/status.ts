import { cutLine, toLine } from '@/lib/format/message-line';
import { isActive } from '@/lib/history/assemble';
import { latestRevisionNameOf, publishVersionOf } from '@/lib/workloads/application/revision-names';
import { formatRevision, type RevisionHistory } from '@/lib/history/revision';
import { blockersOf, type TimeInput } from '@/lib/workloads/blockers';
import type { StatusInput } from '@/lib/workloads/kind';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/kube/read';
import type { WorkloadStatus } from '@/lib/workloads/status';
import type { WorkloadState } from '@/lib/api/workload-values';
import { joinSentences } from '@/lib/workloads/derived-state';
import { unobservedState } from '@/lib/workloads/common-states';
import { capitalize, formatList } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';

interface Phase {
  state: WorkloadState;
  /** Shown next to the state. */
  message: string;
  /** A full sentence after the desired state. */
  sentence: string;
  /** Where the workflow does not report it. */
  since?: string | null;
  unobserved?: true;
}

/**
 * `status.status` as a phrase.
 * https://github.com/kubevela/kubevela/blob/master/apis/core.oam.dev/common/types.go
 */
const PHASES: Readonly<Record<string, Phase>> = {
  starting: rolling('starting', 'KubeVela is starting.'),
  rendering: rolling('being rendered', 'KubeVela is rendering its components.'),
  generatingPolicy: rolling('policies being applied', 'KubeVela is applying its policies.'),
  runningWorkflow: rolling('workflow running', 'Its workflow is running.'),
  workflowSuspending: {
    state: 'held',
    message: 'workflow suspended',
    sentence: 'Its workflow is suspended until it is resumed.',
  },
  workflowTerminated: {
    state: 'stuck',
    message: 'workflow terminated',
    sentence: 'Its workflow was terminated. The remaining steps run only after a restart.',
  },
  workflowFailed: {
    state: 'stuck',
    message: 'workflow failed',
    sentence: 'Its workflow failed. The remaining steps were not applied.',
  },
  running: {
    state: 'complete',
    message: 'running',
    sentence: 'Its workflow completed, and KubeVela reports it healthy.',
  },
  unhealthy: {
    state: 'degraded',
    message: 'unhealthy',
    sentence: 'Its workflow completed, but KubeVela reports an unhealthy component.',
  },
};

/** The phase of an Application, with its workflow and the health of its components as text. */
export function applicationStatus(input: StatusInput & TimeInput): WorkloadStatus {
  const { workload, history, pods, now } = input;
  const phase = textAt(workload.status, 'status') ?? '';
  const derived = derivePhase(workload, phase, now);
  const active = pods.filter(isActive);
  const ready = active.filter((pod) => pod.ready).length;
  const updated = active.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true).length;
  const step = stepInQuestion(workload);
  const unhealthy = unhealthyOf(workload);
  const detail = [step, unhealthy].find((text) => text !== null) ?? null;
  return {
    state: derived.state,
    ...(derived.unobserved && { unobserved: true }),
    message: detail === null ? derived.message : `${derived.message}; ${detail}`,
    sentence: joinSentences(
      describeTarget(input),
      derived.sentence,
      detail === null ? null : `${capitalize(detail)}.`,
    ),
    since: derived.since ?? sinceOf(workload, derived.state),
    pods: { desired: desiredPodsOf(input, active.length), ready, updated, available: ready },
    blockers: blockersOf(history, active, { proven: true, now }),
    kubectl: {
      command: 'vela status',
      text: phase === '' ? 'no phase yet' : `Status: ${phase}`,
      verdict: kubectlVerdictOf(derived.state),
    },
  };
}

/** Whether the controller has observed the current spec; one that does not report this is assumed to have. */
export function isObserved({ status, generation }: Pick<Workload, 'status' | 'generation'>): boolean {
  return (numberAt(status, 'observedGeneration') ?? generation) >= generation;
}

/** Whether the target revision was created under the current publishVersion of the Application. */
export function isPublished(workload: Workload, { target }: RevisionHistory): boolean {
  const published = publishVersionOf(workload);
  if (target === null) return false;
  return published === null || published === publishVersionOf(target.source);
}

function derivePhase(workload: Workload, phase: string, now: string | undefined): Phase {
  const { deletedAt, name } = workload;
  if (deletedAt !== null || phase === 'deleting')
    return { state: 'unknown', message: 'being deleted', sentence: `${name} is being deleted.` };
  if (!isObserved(workload)) return unobservedState(workload, now);
  if (phase === '')
    return {
      state: 'unknown',
      message: 'no status yet',
      sentence: 'KubeVela has not reported a status yet.',
    };
  const known = Object.hasOwn(PHASES, phase) ? PHASES[phase] : undefined;
  return (
    known ?? {
      state: 'unknown',
      message: `unknown phase ${phase}`,
      sentence: `Shiplog does not know the phase ${phase}.`,
    }
  );
}

function rolling(message: string, sentence: string): Phase {
  return { state: 'rolling', message, sentence };
}

function describeTarget({ workload, history }: StatusInput): string {
  const { target } = history;
  if (target !== null) return `Revision ${formatRevision(target)} is the target.`;
  const latest = latestRevisionNameOf(workload);
  return latest === undefined ? 'KubeVela has not created a revision yet.' : `${latest} is the target.`;
}

/** The step of the workflow that has not completed: the failed one first. */
function stepInQuestion({ status }: Workload): string | null {
  const all = objectsAt(status, 'workflow', 'steps').flatMap((step) => [
    ...objectsAt(step, 'subSteps'),
    step,
  ]);
  const failed = all.find(({ phase }) => phase === 'failed');
  const step =
    failed ?? all.find(({ phase }) => phase === 'suspending' || phase === 'running' || phase === 'pending');
  if (step === undefined) return null;
  const [name, phase, message] = [
    textAt(step, 'name') ?? '',
    textAt(step, 'phase') ?? '',
    textAt(step, 'message'),
  ];
  const cause = message === undefined || message === '' ? '' : `: ${shortenText(message)}`;
  return `step ${name} ${STEP_TEXT[phase] ?? phase}${cause}`;
}

const STEP_TEXT: Readonly<Record<string, string>> = {
  failed: 'failed',
  suspending: 'waits',
  running: 'is running',
  pending: 'is pending',
};

function unhealthyOf({ status }: Workload): string | null {
  const unhealthy = objectsAt(status, 'services').filter(({ healthy }) => healthy !== true);
  const [first] = unhealthy;
  if (first === undefined) return null;
  const names = unhealthy.map((service) => textAt(service, 'name') ?? '');
  const message = textAt(first, 'message');
  const cause =
    unhealthy.length > 1 || message === undefined || message === '' ? '' : `: ${shortenText(message)}`;
  return `${names.length === 1 ? 'component' : 'components'} ${formatList(names)} not healthy${cause}`;
}

/**
 * Desired pods of its workloads; where a workload reports none, or no workload is known, at least the active
 * pods.
 */
function desiredPodsOf({ children = [] }: StatusInput, active: number): number {
  const desired = children.map(
    ({ spec, status }) => numberAt(spec, 'replicas') ?? numberAt(status, 'desiredNumberScheduled'),
  );
  const sum = desired.reduce<number>((total, each) => total + (each ?? 0), 0);
  return children.length > 0 && !desired.includes(undefined) ? sum : Math.max(sum, active);
}

function sinceOf({ status }: Workload, state: WorkloadState): string | null {
  const workflow = objectAt(status, 'workflow');
  switch (state) {
    case 'rolling':
      return textAt(workflow, 'startTime') ?? null;
    case 'complete':
    case 'stuck':
      return textAt(workflow, 'endTime') ?? null;
    default:
      return null;
  }
}

function kubectlVerdictOf(state: WorkloadState): WorkloadStatus['kubectl']['verdict'] {
  if (state === 'complete') return 'done';
  return state === 'stuck' || state === 'degraded' ? 'error' : 'waiting';
}

/** A controller's message may be a page long. */
const MESSAGE_CHARS_MAX = 160;

function shortenText(text: string): string {
  const line = toLine(text);
  return line.length <= MESSAGE_CHARS_MAX ? line.replace(/\.$/, '') : cutLine(line, MESSAGE_CHARS_MAX);
}
