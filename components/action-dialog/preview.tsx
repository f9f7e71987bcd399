'use client';

import { type ActionView } from '@/components/action-dialog/action-description';
import { ChangeList, countChanges, PartHead } from '@/components/action-dialog/change-list';
import { ListSkeleton } from '@/components/action-dialog/loaded-change-list';
import { Checks } from '@/components/action-dialog/checks';
import { KubectlOptions } from '@/components/action-dialog/kubectl-options';
import { ErrorState } from '@/components/ui/error-state';
import { type ActionAnswer } from '@/lib/api/actions';

/** What the action would do, by the dry run, with the checks. */
export function Preview<Subject>({ view, diffFirst }: { view: ActionView<Subject>; diffFirst: boolean }) {
  const { data, error } = view.preview;
  if (error) return <PreviewError view={view} className="px-0!" />;
  if (!data) return view.request !== null && <ListSkeleton rows={3} />;
  const diff = data.diff && (diffFirst || data.diff.changes.length > 0) && (
    <section aria-label="What changes in the pods">
      <PartHead title="What changes in the pods" remark={diffFirst && countChanges(data.diff)} />
      <ChangeList diff={data.diff} />
    </section>
  );
  return (
    <>
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
      title="The preview could not be made"
      onRetry={() => void preview.refetch()}
      boxed={false}
      className={className}
    />
  );
}

/** What will happen, in order, and what does not change. */
export function PlanText({ plan: { steps, stays } }: { plan: NonNullable<ActionAnswer['plan']> }) {
  return (
    <>
      <h3 className="font-medium">What will happen</h3>
      <ol className="mt-1.5 mb-3.5">
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
        <>
          <h3 className="font-medium">What stays</h3>
          <p className="mt-1 leading-[19px] text-ink-2 [overflow-wrap:anywhere]">
            {stays.map((text) => (/[.!?]$/.test(text) ? text : `${text}.`)).join(' ')}
          </p>
        </>
      )}
    </>
  );
}
