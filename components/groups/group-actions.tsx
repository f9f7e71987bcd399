import { groupStatusOf } from '@/components/groups/group-status';
import { Button } from '@/components/ui/button';
import { type GroupsItem } from '@/lib/api/groups';

/** Moves of the partition that make sense now: by one group, to all, or back to none. */
export function GroupActions({
  groups,
  blocked,
  onPartition,
}: {
  groups: GroupsItem;
  blocked: string | null;
  onPartition: (partition: number) => void;
}) {
  const { partition, desired } = groups;
  const holds = Math.min(partition, desired);
  const canHold = holds < desired && groups.items.some((group) => groupStatusOf(group) === 'behind');
  const refusal = { disabled: blocked !== null, disabledReason: blocked ?? undefined };
  return (
    <div className="flex flex-wrap gap-2">
      {holds > 1 && (
        <Button
          size="small"
          {...refusal}
          title={`Moves the partition to ${holds - 1}`}
          onClick={() => onPartition(holds - 1)}
        >
          Promote group {holds - 1}…
        </Button>
      )}
      {holds > 0 && (
        <Button size="small" {...refusal} title="Moves the partition to 0" onClick={() => onPartition(0)}>
          Promote {holds === 1 ? 'group 0' : 'all'}…
        </Button>
      )}
      {canHold && (
        <Button
          size="small"
          glyph="pause"
          {...refusal}
          title={`Moves the partition to ${desired}; groups that are updated already stay so`}
          onClick={() => onPartition(desired)}
        >
          Hold the others…
        </Button>
      )}
    </div>
  );
}
