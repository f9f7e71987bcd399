'use client';

import type { ActionView } from '@/components/action-dialog/action-description';
import { ChangeList, countChanges, PartHead } from '@/components/action-dialog/change-list';
import { ListSkeleton } from '@/components/action-dialog/loaded-change-list';
import { Checks } from '@/components/action-dialog/checks';
import { KubectlOptions } from '@/components/action-dialog/kubectl-options';
import { Glyph } from '@/components/ui/glyph';
import { ErrorState } from '@/components/ui/error-state';
import type { ActionAnswer } from '@/lib/api/actions';
import { formatDuration } from '@/lib/format/duration';

/** What the action would do, by the dry run, with the checks. */
export function Preview<Subject>({ view, diffFirst }: { view: ActionView<Subject>; diffFirst: boolean }) {
  const { data, error } = view.preview;
  if (error) return <PreviewError view={view} className="px-0!" />;
  if (!data) return view.request !== null && <ListSkeleton rows={3} />;
  const diff = data.diff && (diffFirst || data.diff.changes.length > 0) && (
    <section aria-label="Changes to the pod template">
      <PartHead title="Changes to the pod template" remark={diffFirst && countChanges(data.diff)} />
      <ChangeList diff={data.diff} />
    </section>
  );
  return (
    <>
      <CapacityLine answer={data} />
      {diffFirst && diff}
      {data.plan && (
        <div>
          <PlanText plan={data.plan} />
        </div>
      )}
      {!diffFirst && diff}
      <div>
        <Checks answer={data} sendError={view.sendError} />
        <KubectlOptions plan={data.plan} />
      </div>
    </>
  );
}

/** The preview that could not be made, with a retry. */
export function PreviewError<Subject>({
  view: { preview },
  className,
}: {
  view: ActionView<Subject>;
  className: string;
}) {
  return (
    <ErrorState
      error={preview.error}
      title="Preview not available"
      onRetry={() => void preview.refetch()}
      boxed={false}
      className={className}
    />
  );
}

/** "4 pods replaced, about 20 s, at least 3 serving". */
export function CapacityLine({ answer: { plan, usualDurationMs } }: { answer: ActionAnswer }) {
  const capacity = plan?.capacity;
  if (capacity === undefined) return null;
  const [first, ...rest] = capacity.phrases;
  const duration =
    capacity.replaced === 0 || usualDurationMs === undefined
      ? null
      : usualDurationMs === null
        ? 'duration unknown'
        : `about ${formatDuration(usualDurationMs)}`;
  return (
    <p className="flex gap-2 text-lead font-medium [overflow-wrap:anywhere]">
      <Glyph name="restart" size={14} className="mt-[3px] text-ink-3" />
      <span>
        {first}
        {duration !== null && (
          <>
            , <span title="Median of the latest completed rollouts of this workload">{duration}</span>
          </>
        )}
        {rest.map((phrase) => `, ${phrase}`).join('')}
      </span>
    </p>
  );
}

/** What will happen, in order, and what does not change. */
export function PlanText({ plan: { steps, stays } }: { plan: NonNullable<ActionAnswer['plan']> }) {
  return (
    <>
      <h3 className="font-medium">What happens</h3>
      <ol className="mt-1.5 mb-1.5">
        {steps.map((step, index) => (
          <li
            key={index}
            className="relative pb-[7px] pl-[22px] leading-[19px] text-ink-2 [overflow-wrap:anywhere]"
          >
            <span
              aria-hidden="true"
              className="absolute top-[1.5px] left-0 size-[15px] rounded-full bg-fill text-center text-[10px]/[15px] font-medium"
            >
              {index + 1}
            </span>
            {step}
          </li>
        ))}
      </ol>
      {stays.length > 0 && (
        <details>
          <summary className="w-fit cursor-pointer rounded-2 text-ink-2 hover:text-ink max-desk:py-2">
            What does not change
          </summary>
          <p className="mt-1 leading-[19px] text-ink-2 [overflow-wrap:anywhere]">{stays.join(' ')}</p>
        </details>
      )}
    </>
  );
}
