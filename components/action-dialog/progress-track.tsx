import { isUnconfirmed } from '@/components/action-dialog/action-title';
import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { AbsoluteTime } from '@/components/ui/time';
import type { Action } from '@/lib/api/action';
import type { WorkloadDetail } from '@/lib/api/workloads';

interface TrackStep {
  title: string;
  remark: React.ReactNode;
  state: 'done' | 'now' | 'later' | 'failed';
  /** Progress of a running action, 0 to 1. */
  share?: number;
}

/** The steps from "applied" to "complete". */
export function ProgressTrack({ action, detail }: { action: Action; detail: WorkloadDetail | undefined }) {
  const steps = trackSteps(action, detail);
  if (steps.length === 0) return null;
  return (
    <ol className="grid gap-x-2 gap-y-1.5 border-y border-hair bg-hover px-6 py-3 max-desk:px-4 desk:grid-cols-5">
      {steps.map((step) => (
        <li
          key={step.title}
          aria-current={step.state === 'now' ? 'step' : undefined}
          className={`grid grid-cols-[20px_1fr] content-start text-[12.5px]/[18px] ${step.state === 'later' ? 'text-ink-3' : 'text-ink'}`}
        >
          <StepGlyph step={step} />
          <span className="font-medium">{step.title}</span>
          <span className="col-start-2 text-small text-ink-3">{step.remark}</span>
        </li>
      ))}
    </ol>
  );
}

function StepGlyph({ step }: { step: TrackStep }) {
  switch (step.state) {
    case 'done':
      return <Glyph name="check" className="mt-0.5 text-complete" />;
    case 'now':
      return <RingGlyph share={step.share ?? 0.3} className="mt-0.5 text-rolling" />;
    case 'failed':
      return <Glyph name="stuck" className="mt-0.5 text-stuck" />;
    case 'later':
      return <span className="mx-px mt-[3px] size-3 rounded-full border-[1.5px] border-control" />;
    default:
      return step.state satisfies never;
  }
}

/** Only actions that replace pods have steps worth drawing. */
function trackSteps(action: Action, detail: WorkloadDetail | undefined): TrackStep[] {
  const { progress, recordedAs, startedAt, to } = action;
  if (action.undoneBy !== undefined) return [];
  if (progress === null && recordedAs === null && action.action !== 'rollback') return [];
  const count = readyCount(action, detail);
  const readyText = count ? `${count.ready} of ${count.desired}` : null;
  const isDone = action.state === 'done';
  const isWritten = !isUnconfirmed(action);
  const others = otherPods(detail);
  const isRecorded = recordedAs !== null;
  const steps = [
    {
      title: isWritten ? 'Applied' : 'Sent',
      remark: (
        <>
          <AbsoluteTime iso={startedAt} form="clock" />
          {!isWritten && ', no response'}
        </>
      ),
      done: isWritten,
    },
    {
      title: isRecorded ? `Recorded as rev ${recordedAs}` : 'Recorded',
      remark: !isRecorded ? 'by the controller' : to === null || to === recordedAs ? '' : `was rev ${to}`,
      done: isRecorded || isDone,
    },
    {
      title: 'New pods ready',
      remark: readyText ?? 'none yet',
      done: isDone || (count !== null && count.desired > 0 && count.ready >= count.desired),
      share: count && count.desired > 0 ? count.ready / count.desired : undefined,
    },
    {
      title: 'Old pods terminated',
      remark: others === 0 ? '0 left' : others === null || isDone ? '' : `${others} left`,
      done: isDone || (isRecorded && others === 0),
    },
    { title: 'Complete', remark: isDone && readyText, done: isDone },
  ];
  const at = steps.findIndex(({ done }) => !done);
  return steps.map(({ done, ...step }, index) => ({
    ...step,
    state: done ? 'done' : index !== at ? 'later' : action.state === 'failed' ? 'failed' : 'now',
  }));
}

/** Pods of other revisions than the target; null while that is unknown. */
function otherPods(detail: WorkloadDetail | undefined): number | null {
  if (!detail) return null;
  return detail.workload.pods.byRevision.reduce((sum, group) => sum + (group.target ? 0 : group.pods), 0);
}

/**
 * Ready and total pods of the target; null before any pod changed. Counted from the workload where it is known,
 * because `progress.ready` includes ready pods of other revisions.
 */
export function readyCount(
  { progress, state, undoneBy }: Pick<Action, 'progress' | 'state' | 'undoneBy'>,
  detail: WorkloadDetail | undefined,
): { ready: number; desired: number } | null {
  // The pods of the target are those of what came back.
  if (progress === null || undoneBy !== undefined) return null;
  if (!detail || state === 'done') return { ready: progress.ready, desired: progress.desired };
  const ready = detail.workload.pods.byRevision.reduce(
    (sum, group) => sum + (group.target ? group.ready : 0),
    0,
  );
  return { ready: Math.min(ready, progress.desired), desired: progress.desired };
}
