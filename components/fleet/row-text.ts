import { placeName } from '@/lib/view/place-name';
import { type WorkloadItem } from '@/lib/api/workloads';
import { type GroupName, groupOf } from '@/components/fleet/fleet-filter';
import { stateWord } from '@/components/ui/state-word';
import { momentOf, type Moment } from '@/lib/view/moment';

/** Text of the cluster can be of any length; a row shows a line of it. */
const TEXT_LENGTH_MAX = 240;

export const groupTitles: Record<GroupName, { title: string; remark: string }> = {
  look: { title: 'Needs attention', remark: 'stalled, failed, degraded or unknown' },
  moving: { title: 'In progress', remark: 'in progress, held, paused or waiting' },
  quiet: { title: 'Stable', remark: 'complete, latest change first' },
};

/** When the last rollout began, as far as that is known. */
export function beganAt({ lastRollout }: WorkloadItem): Moment {
  if (lastRollout === null) return { kind: 'unknown' };
  const startedAt = lastRollout.startedAt ?? lastRollout.record?.startedAt ?? null;
  return momentOf(startedAt, null, lastRollout.notAfter);
}

/** How far a rollout has come, 0 to 1; undefined where that has no meaning. */
export function shareOf({ state, pods }: WorkloadItem): number | undefined {
  if (state !== 'rolling' && state !== 'held') return undefined;
  const ready = pods.byRevision.filter(({ target }) => target).reduce((sum, group) => sum + group.ready, 0);
  return pods.desired === 0 ? 0 : Math.min(1, ready / pods.desired);
}

/** The last rollout in numbers: "42 → 43", "first" for a revision that none came before. */
export function passageText({ lastRollout, targetRevision }: WorkloadItem): string {
  if (lastRollout === null) return 'none';
  if (targetRevision === null) return 'not recorded yet';
  if (lastRollout.from !== null) return `${lastRollout.from} → ${lastRollout.to ?? '?'}`;
  return lastRollout.to === 1 ? 'first' : `→ ${lastRollout.to ?? '?'}`;
}

/** Deployments are what a workload mostly is; the other kinds are named. */
export function kindRemark({ kind, namespace }: WorkloadItem): string {
  const place = placeName(namespace);
  return kind === 'Deployment' ? place : `${place} · ${kind}`;
}

/** As much of state and reason as one line of a phone holds. */
const PHONE_LETTERS = 42;

/** Whether the reason gets a second line on a phone: only where it is what one came for. */
export function isLongReason(item: WorkloadItem): boolean {
  return groupOf(item) === 'look' && stateWord(item).length + item.message.length > PHONE_LETTERS;
}

export function bounded(text: string): string {
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX - 1)}…` : text;
}
