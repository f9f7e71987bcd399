import type { WorkloadItem } from '@/lib/api/workloads';
import { matchesSelector, type Selector } from '@/lib/kube/selector';
import { latestOf, momentOf } from '@/lib/format/moment';
import type { WorkloadState } from '@/lib/api/workload-values';
import { toolOf } from '@/lib/view/tool';

export const groupNames = ['look', 'you', 'moving', 'quiet'] as const;
/** Trouble first, then what waits for a person, then in progress, then the rest. */
export type GroupName = (typeof groupNames)[number];

const groupOfState: Record<WorkloadState, GroupName> = {
  stuck: 'look',
  deadlineExceeded: 'look',
  degraded: 'look',
  failed: 'look',
  unknown: 'look',
  rolling: 'moving',
  scaling: 'moving',
  held: 'you',
  paused: 'you',
  waiting: 'you',
  complete: 'quiet',
};

export function attentionGroupOf({
  state,
  heldByRollout,
}: Pick<WorkloadItem, 'state' | 'heldByRollout'>): GroupName {
  const group = groupOfState[state];
  return group === 'you' && heldByRollout === true ? 'moving' : group;
}

/** Whether it is in the group that needs attention. */
export function isTrouble(item: WorkloadItem): boolean {
  return attentionGroupOf(item) === 'look';
}

/** What has waited for longer is meant to wait: it is folded into one row. */
const LONG_WAIT_MS = 7 * 86_400_000;

/** Whether it has waited for a person for so long that it is listed apart. */
export function isLongWait(item: WorkloadItem, nowMs: number): boolean {
  if (attentionGroupOf(item) !== 'you') return false;
  const sinceMs = item.since === null ? changedMsOf(item) : Date.parse(item.since);
  return sinceMs !== null && nowMs - sinceMs > LONG_WAIT_MS;
}

/** Filters that apply whichever chip is pressed. */
export interface FleetScope {
  /** Words that must all occur in name, namespace, kind, image, change cause, person or tool. */
  words: readonly string[];
  namespace: string | null;
  resource: string | null;
  tool: string | null;
  selector: Selector | null;
}

/** The filter of the chips. */
export interface FleetChoice {
  group: GroupName | null;
  /** Last rollout at or after this time, in milliseconds since 1970. */
  changedSinceMs: number | null;
  severalLive: boolean;
}

export function isInScope(item: WorkloadItem, scope: FleetScope): boolean {
  if (scope.namespace !== null && item.namespace !== scope.namespace) return false;
  if (scope.resource !== null && item.resource !== scope.resource) return false;
  if (scope.tool !== null && toolOfWorkload(item) !== scope.tool) return false;
  if (scope.selector !== null && !matchesSelector(scope.selector, item.labels)) return false;
  if (scope.words.length === 0) return true;
  const text = searchText(item);
  return scope.words.every((word) => text.includes(word));
}

export function matchesChoice(item: WorkloadItem, choice: FleetChoice): boolean {
  if (choice.group !== null && attentionGroupOf(item) !== choice.group) return false;
  if (choice.severalLive && item.revisions.live < 2) return false;
  return choice.changedSinceMs === null || hasChangedSince(item, choice.changedSinceMs);
}

/** Where only the latest possible time is known, that time counts: the change may be older, and its row says so. */
export function hasChangedSince(item: WorkloadItem, sinceMs: number): boolean {
  const changedMs = changedMsOf(item);
  return changedMs !== null && changedMs >= sinceMs;
}

/** The latest that the last rollout can have begun; null where nothing bounds it. */
export const changedMsOf = oncePerItem(({ lastRollout }): number | null => {
  if (lastRollout === null) return null;
  const startedAt = lastRollout.startedAt ?? lastRollout.record?.startedAt ?? null;
  return latestOf(momentOf(startedAt, null, lastRollout.notAfter));
});

/** The tool that wrote the current template; null where the field manager is unknown. */
export function toolOfWorkload({ lastRollout }: WorkloadItem): string | null {
  return lastRollout?.writer ? toolOf(lastRollout.writer.manager) : null;
}

const searchText = oncePerItem((item) =>
  [
    item.name,
    item.namespace,
    item.kind,
    item.lastRollout?.changeCause ?? '',
    item.lastRollout?.writer?.manager ?? '',
    item.lastRollout?.record?.cause ?? '',
    item.lastRollout?.record?.actor?.name ?? '',
    toolOfWorkload(item) ?? '',
    ...item.images.map(({ image }) => image),
  ]
    .join('\n')
    .toLowerCase(),
);

/** Computes a value of each workload on its first use: the list is filtered and sorted often, its rows rarely change. */
function oncePerItem<Value>(compute: (item: WorkloadItem) => Value): (item: WorkloadItem) => Value {
  const values = new WeakMap<WorkloadItem, Value>();
  return (item) => {
    const known = values.get(item);
    if (known !== undefined) return known;
    const value = compute(item);
    values.set(item, value);
    return value;
  };
}
