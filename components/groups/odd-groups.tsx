import { groupWords } from '@/components/groups/group-looks';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { type GroupItem } from '@/lib/api/workloads';

const SHOWN_MAX = 3;

/** Groups whose leader and workers run different revisions: nothing repairs that by itself. */
export function OddGroups({
  items,
  blocked,
  onRestart,
}: {
  items: readonly GroupItem[];
  blocked: string | null;
  onRestart: ((group: GroupItem) => void) | null;
}) {
  const odd = items.filter(({ state }) => state === 'disagrees');
  return (
    <>
      {odd.slice(0, SHOWN_MAX).map((group) => (
        <Notice
          key={group.index}
          tone="refused"
          title={`Group ${group.index}: ${groupWords(group)}.`}
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
      {odd.length > SHOWN_MAX && (
        <p className="pt-1 text-small text-stuck">{odd.length - SHOWN_MAX} more groups disagree.</p>
      )}
    </>
  );
}
