import { describeGroup } from '@/components/groups/group-status';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { type GroupItem } from '@/lib/api/groups';

const SHOWN_MAX = 3;

/** Groups whose leader and workers run different revisions: no controller repairs that by itself. */
export function InconsistentGroups({
  items,
  blocked,
  onRestart,
}: {
  items: readonly GroupItem[];
  blocked: string | null;
  onRestart: ((group: GroupItem) => void) | null;
}) {
  const inconsistent = items.filter(({ state }) => state === 'disagrees');
  return (
    <>
      {inconsistent.slice(0, SHOWN_MAX).map((group) => (
        <Notice
          key={group.index}
          tone="refused"
          title={`Group ${group.index}: ${describeGroup(group)}.`}
          className="mt-2 max-desk:[&>div]:basis-[calc(100%-30px)]"
          action={
            onRestart && (
              <Button
                size="small"
                glyph="restart"
                disabled={blocked !== null || group.leader === null}
                disabledReason={blocked ?? undefined}
                onClick={() => onRestart(group)}
              >
                Restart group {group.index}…
              </Button>
            )
          }
        >
          Its pods do not work together, and nothing repairs that by itself: restart the group.
        </Notice>
      ))}
      {inconsistent.length > SHOWN_MAX && (
        <p className="pt-1 text-small text-stuck">{inconsistent.length - SHOWN_MAX} more groups disagree.</p>
      )}
    </>
  );
}
