import { clsx } from 'clsx';
import { DueActionButton } from '@/components/fleet/due-action';
import { attentionGroupOf, isTrouble, toolOfWorkload } from '@/components/fleet/fleet-filter';
import {
  isLongReason,
  lastRolloutText,
  placeAndKind,
  reasonOf,
  startMomentOf,
  truncate,
} from '@/components/fleet/row-text';
import { clusterColumn, type Column, rowLink, type Rows } from '@/components/list/list-table';
import type { AnchorLine } from '@/components/list/scroll-anchor';
import { rowKeyOf, workloadPagePath } from '@/components/queries/workload-ref';
import { ClusterTag } from '@/components/shared/cluster-tag';
import { ActorName } from '@/components/shared/actor-name';
import { OutcomeLabel, RolloutOutcome } from '@/components/shared/rollout-outcome';
import { stateColor, StateGlyph, stateLabel } from '@/components/shared/state-label';
import { Glyph } from '@/components/ui/glyph';
import { useMedia, usePhone } from '@/components/ui/media';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { MomentText } from '@/components/ui/moment-text';
import { PodFigures, PodTicks } from '@/components/ui/pod-ticks';
import { Elapsed } from '@/components/ui/time';
import type { WorkloadItem } from '@/lib/api/workloads';
import { shortenImage } from '@/lib/kube/image';
import { rolloutDurationText } from '@/lib/view/record-text';
import { shareOf } from '@/lib/view/rollout-progress';

/** The width that a row has. A phone has three lines in place of columns. */
export type FleetLayout = 'full' | 'wide' | 'narrow' | 'phone';

export function useFleetLayout(): FleetLayout {
  const isPhone = usePhone();
  const isFull = useMedia('(width >= 1281px)');
  const isWide = useMedia('(width >= 1001px)');
  return isPhone ? 'phone' : isFull ? 'full' : isWide ? 'wide' : 'narrow';
}

/** Match the layout of the row: on a phone lines of 22, 18 and 20 px, 9 px above and below, and a border. */
const heights = { desk: { group: 34, fold: 31, row: 31 }, phone: { group: 35, fold: 45, row: 79 } };
/** What needs attention has two lines: the reason in full, what changed, and why. */
const TROUBLE_ROW = 51;
const PHONE_LINE = 18;

export function deskHeight(line: AnchorLine<WorkloadItem>): number {
  return line.kind === 'row' && isTrouble(line.row) ? TROUBLE_ROW : heights.desk[line.kind];
}

export function phoneHeight(line: AnchorLine<WorkloadItem>): number {
  const more = line.kind === 'row' && isLongReason(line.row) ? PHONE_LINE : 0;
  return heights.phone[line.kind] + more;
}

const columns: readonly Column<WorkloadItem, FleetLayout>[] = [
  {
    title: 'Workload',
    width: { full: '16.5%', wide: '17%', narrow: '21%', phone: '21%' },
    link: clsx(rowLink, 'max-desk:gap-[9px]'),
    cell: (item) => (
      <>
        <StateGlyph state={item.state} awaitsApproval={item.awaitsApproval} share={shareOf(item)} />
        <b className="flex max-w-[75%] flex-none">
          <MiddleEllipsis text={item.name} />
        </b>
        <span className="min-w-0 truncate text-small text-ink-3">{placeAndKind(item)}</span>
        <ClusterTag cluster={item.cluster} className="flex-none desk:hidden" />
      </>
    ),
  },
  clusterColumn({ full: '6.5%', wide: '8%', narrow: '11%', phone: '8%' }),
  {
    title: 'Status',
    width: { full: '26.5%', wide: '28%', narrow: '32%', phone: '32%' },
    className: (item) =>
      clsx(
        'max-desk:[grid-area:2/1/3/3] max-desk:ml-[23px] max-desk:text-[13px]/[18px]',
        isLongReason(item)
          ? 'max-desk:line-clamp-2! max-desk:h-9 max-desk:whitespace-normal'
          : 'max-desk:h-[18px]',
      ),
    cell: (item) => <StateCell item={item} />,
  },
  {
    title: (
      <>
        Pods by revision <span className="font-normal">ready / total</span>
      </>
    ),
    width: { full: '12.5%', wide: '16%', narrow: '21%', phone: '21%' },
    className: 'max-desk:[grid-area:3/1] max-desk:pl-[23px]',
    cell: (item) => <PodsCell item={item} />,
  },
  {
    title: 'Image',
    width: { full: '10%' },
    leaves: isTrouble,
    cell: (item) => <ImageCell images={item.images} />,
  },
  {
    title: 'Last rollout',
    width: { full: '9.5%', wide: '13%', narrow: '14%', phone: '13%' },
    className: ({ dueAction }) =>
      clsx(
        'max-desk:[grid-area:3/2] max-desk:text-end max-desk:leading-5',
        dueAction !== undefined && 'max-desk:hidden',
      ),
    cell: (item) => (
      <>
        <span className="flex min-w-0 items-center gap-2 max-desk:max-w-[45vw] max-desk:justify-end">
          <TransitionCell item={item} />
          <OutcomeCell item={item} />
          {isTrouble(item) && <ImageCell images={item.images} className="max-full:hidden" />}
        </span>
        {isTrouble(item) && (
          <span className="block truncate text-small text-ink-3 max-desk:hidden">{causeOf(item)}</span>
        )}
      </>
    ),
  },
  {
    title: 'Started',
    width: { full: '6.5%', wide: '9%', phone: '8%' },
    className:
      'text-small text-ink-2 max-desk:[grid-area:1/2] max-desk:text-end max-desk:text-body max-desk:leading-[22px]',
    cell: (item) => <MomentText moment={startMomentOf(item)} form="short" />,
  },
  {
    title: 'Duration',
    width: { full: '5.5%' },
    numeric: true,
    className: 'text-small text-ink-2',
    cell: (item) => <DurationCell item={item} />,
  },
  {
    title: 'Changed by',
    width: { full: '7%', wide: '9%' },
    className: 'text-small',
    hint: causeOf,
    cell: (item) => <ChangedByCell item={item} />,
  },
  {
    title: <span className="sr-only">Action</span>,
    width: { full: '6%', wide: '8%', narrow: '12%', phone: '8%' },
    className: ({ dueAction }) =>
      clsx('overflow-visible! max-desk:[grid-area:3/2]', dueAction === undefined && 'max-desk:hidden'),
    // A query for each of 10,000 rows would cost more than the rest of the row.
    cell: (item) => (item.dueAction === undefined ? null : <DueActionButton item={item} />),
  },
];

/** One workload a row: its state and the reason, its pods by revision, and its last rollout. */
export const fleetRows: Rows<WorkloadItem> = {
  keyOf: rowKeyOf,
  href: (item) => workloadPagePath(item),
  rowClass: (item) => (isTrouble(item) ? 'desk:*:h-[51px]' : ''),
  columns,
};

function StateCell({ item }: { item: WorkloadItem }) {
  const reason = reasonOf(item);
  const color = attentionGroupOf(item) === 'quiet' ? 'text-ink-3' : stateColor(item.state);
  const text = (
    <>
      <span className={clsx('mr-1.5 font-medium', color)}>{stateLabel(item)}</span>{' '}
      <span title={reason} className={item.state === 'complete' ? 'text-ink-3' : 'text-ink-2'}>
        {reason}
      </span>
    </>
  );
  // A cell of a table cannot limit its lines itself.
  return isTrouble(item) ? <span className="desk:line-clamp-2 desk:whitespace-normal">{text}</span> : text;
}

function PodsCell({ item }: { item: WorkloadItem }) {
  const isStuck = item.state === 'stuck' || item.state === 'deadlineExceeded';
  return (
    <span className="flex h-[30px] items-center gap-2 max-desk:h-5">
      <PodTicks groups={item.pods.byRevision} stuck={isStuck} />
      <PodFigures groups={item.pods.byRevision} stuck={isStuck} oneLine />
    </span>
  );
}

function ImageCell({ images, className }: { images: WorkloadItem['images']; className?: string }) {
  const [first, ...others] = images;
  if (first === undefined) return <span className="text-ink-3">None</span>;
  const { name, version } = shortenImage(first.image);
  return (
    <span
      title={truncate(images.map(({ container, image }) => `${container}: ${image}`).join('\n'))}
      className={clsx('flex min-w-0 literal text-ink-3', className)}
    >
      <span className="min-w-0 truncate">{name}</span>
      <span className="flex max-w-[70%] flex-none text-ink">
        <MiddleEllipsis text={version} />
      </span>
      {others.length > 0 && <span className="flex-none pl-1.5 font-sans">+{others.length}</span>}
    </span>
  );
}

function TransitionCell({ item }: { item: WorkloadItem }) {
  if (item.lastRollout?.restart) {
    return (
      <span className="inline-flex items-center gap-1 text-ink-2" title={lastRolloutText(item)}>
        <Glyph name="restart" size={12} className="text-ink-3" />
        Restart
      </span>
    );
  }
  const isNumbers = item.lastRollout !== null && item.targetRevision !== null && item.lastRollout.to !== 1;
  const text = lastRolloutText(item);
  if (isNumbers)
    return (
      <span className="font-mono text-code font-medium tracking-[-0.02em] whitespace-nowrap">{text}</span>
    );
  return (
    <span className="flex min-w-0 text-small text-ink-3">
      <MiddleEllipsis text={text} />
    </span>
  );
}

/** How the last rollout ended; nothing while it is in progress. Success is a glyph alone. */
function OutcomeCell({ item: { lastRollout } }: { item: WorkloadItem }) {
  const record = lastRollout?.record ?? null;
  if (record === null || record.outcome === null) return null;
  if (record.outcome !== 'completed') return <RolloutOutcome rollout={record} />;
  return (
    <OutcomeLabel record={{ outcome: 'completed' }} muted>
      <span className="sr-only">Completed</span>
    </OutcomeLabel>
  );
}

/** Duration of the last rollout; of one in progress, the time since its start. */
function DurationCell({ item: { lastRollout } }: { item: WorkloadItem }) {
  const record = lastRollout?.record ?? null;
  if (record?.outcome === null && record.startedAt !== null) return <Elapsed from={record.startedAt} />;
  return record && rolloutDurationText(record);
}

function ChangedByCell({ item }: { item: WorkloadItem }) {
  const record = item.lastRollout?.record ?? null;
  if (record !== null) return <ActorName actor={record.actor} />;
  const tool = toolOfWorkload(item);
  if (tool === null) return <ActorName actor={null} />;
  return (
    <>
      <span className="text-ink-3">via</span> {tool}
    </>
  );
}

function causeOf({ lastRollout }: WorkloadItem): string | undefined {
  const cause = lastRollout?.record?.cause ?? lastRollout?.changeCause;
  return cause == null ? undefined : truncate(cause);
}
