import { clsx } from 'clsx';
import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { Skeleton } from '@/components/ui/skeleton';
import type { GroupItem } from '@/lib/api/groups';
import type { PodItem } from '@/lib/api/pods';

/** One pod of a group: its node, its revision, ready or not. In red where its revision is not its leader's. */
export function MemberCell({
  group,
  pod,
  isRead,
}: {
  group: GroupItem;
  pod: PodItem | undefined;
  /** Whether an absent `pod` is known not to exist. */
  isRead: boolean;
}) {
  if (pod === undefined && !isRead) return <Skeleton width="100%" height={30} />;
  if (pod === undefined) {
    return (
      <span
        title="This pod does not exist"
        className={clsx(cellClass, 'border border-dashed border-line-2 text-ink-3')}
      >
        None
      </span>
    );
  }
  const isOdd = group.state === 'disagrees' && pod.revisionId !== group.revisionId;
  const description = describePod(pod, isOdd);
  return (
    <span
      title={description}
      className={clsx(cellClass, isOdd ? inconsistentClass : podCellClass(group, pod))}
    >
      {pod.ready ? (
        <Glyph name={isOdd ? 'stuck' : 'check'} size={11} />
      ) : isBlocked(pod) || isOdd ? (
        <Glyph name="stuck" size={11} className="text-stuck" />
      ) : (
        <RingGlyph share={0.4} size={11} />
      )}
      <span aria-hidden="true" className="min-w-0 truncate">
        {pod.deletedAt === null ? (pod.node ?? 'Not scheduled') : 'Terminating'}
      </span>
      <span className="sr-only">{description}</span>
    </span>
  );
}

function podCellClass({ held }: GroupItem, pod: PodItem): string {
  if (pod.deletedAt !== null) return 'border border-dashed border-line-2 text-ink-3';
  if (pod.revisionId === null) return 'text-ink-2 inset-ring-[1.25px] inset-ring-stuck';
  if (!pod.ready && isBlocked(pod)) return 'text-stuck inset-ring-[1.25px] inset-ring-stuck';
  if (pod.target) return pod.ready ? 'bg-rev-target text-ink-inv' : startingClass;
  if (!pod.ready) return 'text-ink-2 inset-ring-[1.25px] inset-ring-rev-live';
  return held ? 'bg-rev-past text-rev-past-ink' : 'bg-rev-live text-ink';
}

/** Waiting will not make it ready. */
function isBlocked({ block }: PodItem): boolean {
  return block !== null && !['readiness', 'notStarted', 'terminating', 'init'].includes(block.kind);
}

function describePod(pod: PodItem, isOdd: boolean): string {
  const state = pod.deletedAt !== null ? 'terminating' : pod.ready ? 'ready' : 'not ready';
  const on = pod.revision === null ? 'unknown revision' : `revision ${pod.revision}`;
  const where = pod.node === null ? 'not scheduled' : pod.node;
  return `${pod.name}, ${on}${isOdd ? ' (differs from its leader)' : ''}, ${state}, ${where}`;
}

const cellClass =
  'flex h-[30px] w-full items-center justify-center gap-[5px] rounded-2 px-1.5 font-mono text-[11px]/[16px] tracking-[-0.03em]';
const startingClass = 'text-accent inset-ring-[1.25px] inset-ring-rev-target';
const inconsistentClass = 'bg-stuck-soft text-stuck inset-ring-[1.5px] inset-ring-stuck';
