import { isActive } from '@/lib/history/assemble';
import { latestNameOf, publishVersionOf } from '@/lib/workloads/application/marks';
import { type History } from '@/lib/history/revision';
import { blockersOf, type Clocked } from '@/lib/workloads/blockers';
import { type StatusInput } from '@/lib/workloads/kind';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/workloads/read';
import { type WorkloadState, type WorkloadStatus } from '@/lib/workloads/status';
import { joined } from '@/lib/workloads/status-words';
import { unobserved } from '@/lib/workloads/unobserved';
import { called, capitalised, listed } from '@/lib/workloads/words';
import { type Workload } from '@/lib/workloads/workload';

interface Phase {
  state: WorkloadState;
  /** Beside the state word. */
  message: string;
  /** A full sentence after what is asked for. */
  sentence: string;
  /** Where it is not the workflow that tells. */
  since?: string | null;
  unobserved?: true;
}

/** `status.status` in words. https://github.com/kubevela/kubevela/blob/master/apis/core.oam.dev/common/types.go */
const PHASES: Readonly<Record<string, Phase>> = {
  starting: rolling('starting', 'KubeVela is beginning with it.'),
  rendering: rolling('being rendered', 'KubeVela renders its components.'),
  generatingPolicy: rolling('policies being applied', 'KubeVela applies its policies.'),
  runningWorkflow: rolling('workflow runs', 'Its workflow is running.'),
  workflowSuspending: {
    state: 'held',
    message: 'workflow suspended',
    sentence: 'Its workflow is suspended and waits until somebody resumes it.',
  },
  workflowTerminated: {
    state: 'stuck',
    message: 'workflow terminated',
    sentence: 'Its workflow was terminated, so what is left of it is not applied until it is restarted.',
  },
  workflowFailed: {
    state: 'stuck',
    message: 'workflow failed',
    sentence: 'Its workflow failed, so what is left of it is not applied.',
  },
  running: {
    state: 'complete',
    message: 'running',
    sentence: 'Its workflow is through and KubeVela finds it healthy.',
  },
  unhealthy: {
    state: 'degraded',
    message: 'unhealthy',
    sentence: 'Its workflow is through, but KubeVela finds a component unhealthy.',
  },
};

/** The phase of an Application, with its workflow and the health of its components in words. */
export function applicationStatus(input: StatusInput & Clocked): WorkloadStatus {
  const { workload, history, pods, now } = input;
  const phase = textAt(workload.status, 'status') ?? '';
  const judged = judge(workload, phase, now);
  const active = pods.filter(isActive);
  const ready = active.filter((pod) => pod.ready).length;
  const updated = active.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true).length;
  const step = stepInQuestion(workload);
  const sick = unhealthyOf(workload);
  const said = [step, sick].find((text) => text !== null) ?? null;
  return {
    state: judged.state,
    ...(judged.unobserved && { unobserved: true }),
    message: said === null ? judged.message : `${judged.message}; ${said}`,
    sentence: joined(askedFor(input), judged.sentence, said === null ? null : `${capitalised(said)}.`),
    since: judged.since ?? sinceOf(workload, judged.state),
    pods: { desired: wantedBy(input, active.length), ready, updated, available: ready },
    blockers: blockersOf(history, active, { proven: true, now }),
    kubectl: {
      command: 'vela status',
      text: phase === '' ? 'no phase yet' : `Status: ${phase}`,
      verdict: verdictOf(judged.state),
    },
  };
}

/** Whether the controller has seen the present spec; one that does not say is taken at its word. */
export function isObserved({ status, generation }: Pick<Workload, 'status' | 'generation'>): boolean {
  return (numberAt(status, 'observedGeneration') ?? generation) >= generation;
}

/** Whether the revision that is asked for was made under the publishVersion that the Application has now. */
export function isPublished(workload: Workload, { target }: History): boolean {
  const published = publishVersionOf(workload);
  if (target === null) return false;
  return published === null || published === publishVersionOf(target.source);
}

function judge(workload: Workload, phase: string, now: string | undefined): Phase {
  const { deletedAt, name } = workload;
  if (deletedAt !== null || phase === 'deleting')
    return { state: 'unknown', message: 'being deleted', sentence: `${name} is being deleted.` };
  if (!isObserved(workload)) return unobserved(workload, now);
  if (phase === '')
    return {
      state: 'unknown',
      message: 'no status yet',
      sentence: 'KubeVela has said nothing of it so far.',
    };
  const known = Object.hasOwn(PHASES, phase) ? PHASES[phase] : undefined;
  return (
    known ?? {
      state: 'unknown',
      message: `in the phase ${phase}`,
      sentence: `It is in the phase ${phase}, which Shiplog does not know.`,
    }
  );
}

function rolling(message: string, sentence: string): Phase {
  return { state: 'rolling', message, sentence };
}

function askedFor({ workload, history }: StatusInput): string {
  const { target } = history;
  if (target !== null) return `Revision ${called(target)} is asked for.`;
  const latest = latestNameOf(workload);
  return latest === undefined ? 'KubeVela has made no revision of it yet.' : `${latest} is asked for.`;
}

/** The step of the workflow that is not through: the failed one first. */
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
  const why = message === undefined || message === '' ? '' : `: ${shortened(message)}`;
  return `step ${name} ${STEP_WORDS[phase] ?? phase}${why}`;
}

const STEP_WORDS: Readonly<Record<string, string>> = {
  failed: 'failed',
  suspending: 'waits',
  running: 'is running',
  pending: 'is waiting for its turn',
};

function unhealthyOf({ status }: Workload): string | null {
  const sick = objectsAt(status, 'services').filter(({ healthy }) => healthy !== true);
  const [first] = sick;
  if (first === undefined) return null;
  const names = sick.map((service) => textAt(service, 'name') ?? '');
  const message = textAt(first, 'message');
  const why = sick.length > 1 || message === undefined || message === '' ? '' : `: ${shortened(message)}`;
  return `${names.length === 1 ? 'component' : 'components'} ${listed(names)} not healthy${why}`;
}

/** Pods that its workloads ask for; of one that does not say, and where none is known, those that are there. */
function wantedBy({ parts = [] }: StatusInput, active: number): number {
  const wanted = parts.map(
    ({ spec, status }) => numberAt(spec, 'replicas') ?? numberAt(status, 'desiredNumberScheduled'),
  );
  const sum = wanted.reduce<number>((total, each) => total + (each ?? 0), 0);
  return parts.length > 0 && !wanted.includes(undefined) ? sum : Math.max(sum, active);
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

function verdictOf(state: WorkloadState): WorkloadStatus['kubectl']['verdict'] {
  if (state === 'complete') return 'done';
  return state === 'stuck' || state === 'degraded' ? 'error' : 'waiting';
}

/** What a controller says may be a page of text. */
const MESSAGE_CHARS_MAX = 160;

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MESSAGE_CHARS_MAX ? line.replace(/\.$/, '') : `${line.slice(0, MESSAGE_CHARS_MAX)}…`;
}
