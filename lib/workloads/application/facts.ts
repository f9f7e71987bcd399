import { cutLine, toLine } from '@/lib/format/message-line';
import { isActive } from '@/lib/history/assemble';
import { latestRevisionNameOf, publishVersionOf } from '@/lib/workloads/application/revision-names';
import { formatRevision, type RevisionHistory } from '@/lib/history/revision';
import type { StatusInput } from '@/lib/workloads/kind';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { plainFacts, type Report, type WorkloadFacts } from '@/lib/engine/facts';
import { targetPods } from '@/lib/pods/by-revision';
import type { WorkloadStatus } from '@/lib/engine/status';
import { capitalize, formatList } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';

/** `message` follows the state, `sentence` what the target is. */
type Phase = readonly [says: Report['says'], message: string, sentence: string];

/**
 * `status.status` as a phrase.
 * https://github.com/kubevela/kubevela/blob/master/apis/core.oam.dev/common/types.go
 */
const PHASES: Readonly<Record<string, Phase>> = {
  starting: ['working', 'starting', 'KubeVela is starting.'],
  rendering: ['working', 'being rendered', 'KubeVela is rendering its components.'],
  generatingPolicy: ['working', 'policies being applied', 'KubeVela is applying its policies.'],
  runningWorkflow: ['working', 'workflow running', 'Its workflow is running.'],
  workflowSuspending: ['suspended', 'workflow suspended', 'Its workflow is suspended until it is resumed.'],
  workflowTerminated: [
    'stopped',
    'workflow terminated',
    'Its workflow was terminated. The remaining steps run only after a restart.',
  ],
  workflowFailed: [
    'stopped',
    'workflow failed',
    'Its workflow failed. The remaining steps were not applied.',
  ],
  running: ['done', 'running', 'Its workflow completed, and KubeVela reports it healthy.'],
  unhealthy: ['failing', 'unhealthy', 'Its workflow completed, but KubeVela reports an unhealthy component.'],
};

/** The phase of an Application, with its workflow and the health of its components. */
export function applicationFacts(input: StatusInput): WorkloadFacts {
  const { workload, history } = input;
  const phase = textAt(workload.status, 'status') ?? '';
  const pods = input.pods.filter(isActive);
  const ready = pods.filter((pod) => pod.ready).length;
  const updated = targetPods(history, pods).length;
  const desired = desiredPodsOf(input, pods.length);
  const report = readReport(input, phase);
  return {
    ...plainFacts({ ...input, pods }),
    deletedSince: workload.deletedAt ?? (phase === 'deleting' ? null : undefined),
    isObserved: isObserved(workload),
    report,
    counts: { desired, ready, updated, available: ready },
    progress: { updated, goal: desired, serving: ready, servingWord: 'ready', desired },
    kubectl: {
      command: 'vela status',
      text: phase === '' ? 'no phase yet' : `Status: ${phase}`,
      verdict: isObserved(workload) && workload.deletedAt === null ? VERDICTS[report.says] : 'waiting',
    },
  };
}

const VERDICTS: Readonly<Record<Report['says'], WorkloadStatus['kubectl']['verdict']>> = {
  failing: 'error',
  stopped: 'error',
  suspended: 'waiting',
  working: 'waiting',
  done: 'done',
  unclear: 'waiting',
};

/** The phase, and the step or component in question. */
function readReport(input: StatusInput, phase: string): Report {
  const { workload } = input;
  const [says, message, sentence] = readPhase(phase);
  const detail = stepInQuestion(workload) ?? unhealthyOf(workload);
  const sentences = [describeTarget(input), sentence];
  if (detail !== null) sentences.push(`${capitalize(detail)}.`);
  return {
    says,
    message: detail === null ? message : `${message}; ${detail}`,
    sentence: sentences.join(' '),
    since: sinceOf(workload, says),
  };
}

function readPhase(phase: string): Phase {
  if (phase === '') return ['unclear', 'no status yet', 'KubeVela has not reported a status yet.'];
  const known = Object.hasOwn(PHASES, phase) ? PHASES[phase] : undefined;
  return known ?? ['unclear', `unknown phase ${phase}`, `Shiplog does not know the phase ${phase}.`];
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

function sinceOf({ status }: Workload, says: Report['says']): string | null {
  const workflow = objectAt(status, 'workflow');
  switch (says) {
    case 'working':
      return textAt(workflow, 'startTime') ?? null;
    case 'done':
    case 'stopped':
      return textAt(workflow, 'endTime') ?? null;
    default:
      return null;
  }
}

/** A controller's message may be a page long. */
const MESSAGE_CHARS_MAX = 160;

function shortenText(text: string): string {
  const line = toLine(text);
  return line.length <= MESSAGE_CHARS_MAX ? line.replace(/\.$/, '') : cutLine(line, MESSAGE_CHARS_MAX);
}
