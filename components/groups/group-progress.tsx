import { nextGroupIndex } from '@/components/groups/group-status';
import type { GroupsItem } from '@/lib/api/groups';

/** Progress of the rollout in groups: updated and ready of those to update, held, surge, and what comes next. */
export function GroupProgress({ groups }: { groups: GroupsItem }) {
  const { wanted, updated, ready, partition, items, order } = groups;
  const held = items.filter((group) => group.held && !group.surge).length;
  const surge = items.filter((group) => group.surge).length;
  const next = nextGroupIndex(groups);
  const isCompleted = updated >= wanted && ready >= wanted;
  return (
    <div className="pt-2">
      <dl className="flex flex-wrap gap-x-7 gap-y-1 text-small">
        <Figure label="Updated" strong={!isCompleted}>
          {countOf(updated, wanted)}
        </Figure>
        <Figure label="Ready" strong={!isCompleted}>
          {countOf(ready, wanted)}
        </Figure>
        <Figure label="Partition">
          {partition}
          <span className="text-ink-3">{held === 0 ? '' : `, holds ${rangeOf(held)}`}</span>
        </Figure>
        <Figure label="Surge">{surge === 0 ? 'None' : surge}</Figure>
        {!isCompleted && next !== null && <Figure label="Next">Group {next}</Figure>}
      </dl>
      <p className="pt-1 text-small text-ink-3">{order}</p>
    </div>
  );
}

function Figure({
  label,
  strong = false,
  children,
}: {
  label: string;
  strong?: boolean;
  children: React.ReactNode;
}) {
  return (
    <div className="flex items-baseline gap-1.5">
      <dt className="text-ink-3">{label}</dt>
      <dd className={strong ? 'font-medium text-rolling' : 'font-medium'}>{children}</dd>
    </div>
  );
}

function countOf(some: number, all: number): string {
  return `${some.toLocaleString('en')} of ${all.toLocaleString('en')}`;
}

function rangeOf(held: number): string {
  return held === 1 ? 'group 0' : `groups 0 to ${(held - 1).toLocaleString('en')}`;
}
