'use client';

import { useState } from 'react';
import { Glyph } from '@/components/ui/glyph';
import { SectionHead } from '@/components/ui/section-head';
import { AbsoluteTime } from '@/components/ui/time';
import type { RecordAnswer, StepItem } from '@/lib/api/records';
import { countPods } from '@/lib/records/step-pods';
import { durationText } from '@/lib/view/record-text';
import { planText } from '@/lib/view/progressive-text';
import { countRemovedPods } from '@/lib/records/removed-pods';
import { formatCount } from '@/lib/format/text';

/** The steps in their order; each opens to the pods that it created. */
export function RecordSteps({ record: { steps, progressiveRollout } }: { record: RecordAnswer }) {
  if (steps.length === 0) return null;
  const pods = steps.reduce((sum, step) => sum + countPods(step), 0);
  return (
    <section aria-labelledby="steps-title" className="pt-6">
      <SectionHead
        id="steps-title"
        title="Steps"
        remark={`${formatCount(steps.length, 'step')}, ${formatCount(pods, 'pod')}`}
        className="pb-1.5"
      />
      <ol className="border-t border-line">
        {steps.map((step) => (
          <Step key={step.index} step={step} plan={planText(progressiveRollout, step)} />
        ))}
      </ol>
      {progressiveRollout !== null && progressiveRollout.unassigned.length > 0 && (
        <>
          <h3 className="pt-3 text-small text-ink-2">Not assigned to a step</h3>
          <StepPods pods={progressiveRollout.unassigned} more={progressiveRollout.moreUnassigned} />
        </>
      )}
    </section>
  );
}

const stepStateAppearance = {
  planned: { word: 'Pending', color: 'text-unknown' },
  running: { word: 'In progress', color: 'text-rolling' },
  completed: { word: 'Completed', color: 'text-complete' },
  abandoned: { word: 'Not completed', color: 'text-back' },
  skipped: { word: 'Skipped', color: 'text-unknown' },
  unknown: { word: 'Unknown', color: 'text-unknown' },
} as const;

function Step({ step, plan }: { step: StepItem; plan: string | null }) {
  const [open, setOpen] = useState(false);
  const took = durationText(step);
  const appearance = stepStateAppearance[step.state];
  return (
    <li className="border-b border-hair">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-[33px] w-full flex-wrap items-center gap-x-3 gap-y-0.5 py-1 hover:bg-hover focus-visible:-outline-offset-2 max-desk:min-h-11"
      >
        <Glyph name={open ? 'chevron-down' : 'chevron-right'} size={12} className="text-ink-3" />
        <b className="min-w-[110px]">{step.name}</b>
        <span className={appearance.color}>{appearance.word}</span>
        {step.planned !== null && <span className="text-ink-2">{step.planned}</span>}
        {plan !== null && <span className="text-small text-ink-2">{plan}</span>}
        {!isUnreached(step) && <span className="text-small text-ink-3">{podsText(step)}</span>}
        <span className="ml-auto text-small text-ink-3">
          {step.startedAt !== null && <AbsoluteTime iso={step.startedAt} form="clock" />}
          {step.startedAt === null && !isUnreached(step) && 'Start not observed'}
          {took !== null && <span className="ml-3 text-ink-2">{took}</span>}
        </span>
      </button>
      {open && <StepPods pods={step.pods} more={step.more} />}
      {open && step.removed.length > 0 && <RemovedPods pods={step.removed} more={step.moreRemoved} />}
    </li>
  );
}

function isUnreached({ state }: StepItem): boolean {
  return state === 'planned' || state === 'skipped';
}

/** "+2 / −1 pods"; "2 pods" where no removed one is known. */
function podsText(step: StepItem): string {
  const started = countPods(step);
  const removed = countRemovedPods(step);
  return removed === 0 ? formatCount(started, 'pod') : `+${started} / −${removed} pods`;
}

function More({ more = 0 }: { more: number | undefined }) {
  if (more === 0) return null;
  return (
    <p
      className="pt-1 text-ink-3"
      title="Shiplog keeps the first 200, and the last of several pods with one name."
    >
      and {more.toLocaleString('en-US')} more
    </p>
  );
}

function RemovedPods({ pods, more }: { pods: StepItem['removed']; more: number | undefined }) {
  return (
    <div className="pb-2 pl-6 text-small">
      <h4 className="text-micro font-medium text-ink-3">Removed</h4>
      <ul>
        {pods.map(({ uid, name, goneAt }) => (
          <li key={uid} className="flex flex-wrap gap-x-4">
            <span className="literal" title={uid}>
              {name}
            </span>
            <span className="text-ink-2">
              {goneAt === null ? 'Time unknown' : <AbsoluteTime iso={goneAt} form="clock" />}
            </span>
          </li>
        ))}
      </ul>
      <More more={more} />
    </div>
  );
}

function StepPods({ pods, more }: { pods: StepItem['pods']; more: number | undefined }) {
  if (pods.length === 0) return <p className="pb-2 pl-6 text-small text-ink-3">No pods</p>;
  return (
    <div className="overflow-x-auto pb-2 pl-6 text-small">
      <table className="w-full min-w-[560px]">
        <thead className="text-start text-micro text-ink-3">
          <tr>
            {['Pod', 'Node', 'Pod IP', 'Ready at', 'Restarts'].map((title) => (
              <th key={title} scope="col" className="h-6 pr-4 text-start font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pods.map((pod) => (
            <tr key={pod.uid}>
              <th scope="row" className="literal pr-4 text-start font-normal" title={pod.uid}>
                {pod.name}
              </th>
              <td className="pr-4 text-ink-2">{pod.node ?? 'none'}</td>
              <td className="literal pr-4 text-ink-2">{pod.ip ?? 'none'}</td>
              <td className="pr-4 text-ink-2">
                {pod.readyAt === null ? 'Never ready' : <AbsoluteTime iso={pod.readyAt} form="clock" />}
              </td>
              <td className={pod.restarts > 0 ? 'text-degraded' : 'text-ink-3'}>{pod.restarts}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <More more={more} />
    </div>
  );
}
