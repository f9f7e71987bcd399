import { clsx } from 'clsx';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { MomentText } from '@/components/ui/moment-text';
import { OutcomeGlyph } from '@/components/shared/outcome-glyph';
import type { QueueGroup, QueueSection } from '@/components/review/queue-order';
import type { QueueSelection } from '@/components/review/queue-selection';
import type { QueuedRecord } from '@/lib/api/review-queue';
import { formatCount } from '@/lib/format/text';
import {
  actorText,
  outcomeDuration,
  outcomeLabel,
  startMoment,
  transitionText,
} from '@/lib/view/record-text';
import { ClusterTag } from '@/components/shared/cluster-tag';

interface Choosing {
  current: string | null;
  onChoose: (id: string) => void;
  /** Null where the viewer cannot write. */
  selection: QueueSelection | null;
}

/** The records of the queue by section and group, each with a checkbox that selects it. */
export function QueueEntries({ sections, ...choosing }: { sections: readonly QueueSection[] } & Choosing) {
  return sections.map(({ title, groups }) => (
    <section key={title} aria-label={title}>
      <h3 className="flex items-baseline gap-1.5 pt-2 pb-1 pl-2.5 text-small font-medium text-ink-3">
        {title}
        <span className="font-normal">{groups.reduce((sum, { records }) => sum + records.length, 0)}</span>
      </h3>
      <ol>
        {groups.map((group) =>
          group.records.length === 1 ? (
            group.records.map((record) => <Entry key={record.id} record={record} {...choosing} />)
          ) : (
            <Group key={group.key} group={group} {...choosing} />
          ),
        )}
      </ol>
    </section>
  ));
}

/** Several rollouts of one workload within an hour, with one checkbox for all of them. */
function Group({ group: { records }, ...choosing }: { group: QueueGroup } & Choosing) {
  const { selection } = choosing;
  const ids = records.map(({ id }) => id);
  const [first] = records;
  if (first === undefined) return null;
  const { name, namespace, cluster } = first.workload;
  const selected = ids.filter((id) => selection?.ids.has(id)).length;
  return (
    <li>
      <div className="flex items-center gap-2 px-2.5 pt-1.5">
        {selection && (
          <SelectBox
            label={`Select all ${ids.length} of ${name}`}
            checked={selected === ids.length}
            isPartial={selected > 0 && selected < ids.length}
            onToggle={() => selection.toggle(ids)}
          />
        )}
        <b className="flex min-w-0">
          <MiddleEllipsis text={name} />
        </b>
        <span className="truncate text-small text-ink-3">{namespace}</span>
        <ClusterTag cluster={cluster} className="flex-none" />
        <span className="ml-auto flex-none text-[11px] text-ink-3">{formatCount(ids.length, 'rollout')}</span>
      </div>
      <ol className="ml-[17px] border-l border-line">
        {records.map((record) => (
          <Entry key={record.id} record={record} isInGroup {...choosing} />
        ))}
      </ol>
    </li>
  );
}

function Entry({
  record,
  isInGroup = false,
  current,
  onChoose,
  selection,
}: { record: QueuedRecord; isInGroup?: boolean } & Choosing) {
  const { id, workload } = record;
  const isSelected = selection?.ids.has(id) === true;
  return (
    <li
      data-queued={id}
      className={clsx(
        'flex items-start gap-2 rounded-3 pl-2.5',
        id === current ? 'bg-selected' : isSelected ? 'bg-fill' : 'hover:bg-hover',
      )}
    >
      {selection && (
        <SelectBox
          className={isInGroup ? 'mt-[9px]' : 'mt-[10px]'}
          label={`Select ${workload.name} ${transitionText(record)}`}
          checked={isSelected}
          onToggle={(isRange) => (isRange ? selection.extendTo(id) : selection.toggle([id]))}
        />
      )}
      <button
        type="button"
        aria-current={id === current || undefined}
        onClick={() => onChoose(id)}
        className={clsx(
          'grid min-w-0 flex-1 grid-cols-[14px_minmax(0,auto)_minmax(0,1fr)_auto] items-center gap-x-2 gap-y-px rounded-3 pr-2.5 text-start focus-visible:-outline-offset-2',
          isInGroup ? 'py-1.5 max-desk:min-h-11' : 'py-2',
        )}
      >
        <OutcomeGlyph record={record} />
        {isInGroup ? (
          <span className="col-span-2 truncate text-small text-ink-3">
            <Details record={record} />
          </span>
        ) : (
          <>
            <b className="flex min-w-0">
              <MiddleEllipsis text={workload.name} />
            </b>
            <span className="flex min-w-0 items-center gap-2">
              <span className="truncate text-small text-ink-3">{workload.namespace}</span>
              <ClusterTag cluster={workload.cluster} className="flex-none" />
            </span>
          </>
        )}
        <MomentText moment={startMoment(record)} form="short" className="text-[11px] text-ink-3" />
        {!isInGroup && (
          <span className="col-start-2 col-end-5 truncate text-small text-ink-3">
            <Details record={record} />
          </span>
        )}
      </button>
    </li>
  );
}

/** "4 → 5 Completed in 20 s, kubectl". */
function Details({ record }: { record: QueuedRecord }) {
  const outcome = `${outcomeLabel(record)} ${outcomeDuration(record)}`.trimEnd();
  return (
    <>
      <span className="rev mr-1.5 text-ink-2">{transitionText(record)}</span>
      {[outcome, actorText(record.actor)].filter((part) => part !== null).join(', ')}
    </>
  );
}

/** Keys select too, so that the checkboxes do not stand between a keyboard and the record. */
function SelectBox({
  label,
  checked,
  isPartial = false,
  onToggle,
  className,
}: {
  label: string;
  checked: boolean;
  isPartial?: boolean;
  onToggle: (isRange: boolean) => void;
  className?: string;
}) {
  return (
    <input
      type="checkbox"
      tabIndex={-1}
      aria-label={label}
      checked={checked}
      ref={(box) => {
        if (box) box.indeterminate = isPartial;
      }}
      onChange={(event) => onToggle((event.nativeEvent as MouseEvent).shiftKey)}
      className={clsx('size-[14px] flex-none accent-(--accent) max-desk:size-5', className)}
    />
  );
}
