import { formatNamespace } from '@/lib/view/format-namespace';
import type { WorkloadItem } from '@/lib/api/workloads';
import { type GroupName, isTrouble } from '@/components/fleet/fleet-filter';
import { stateLabel } from '@/components/shared/state-label';
import { cutEnd } from '@/lib/format/text';
import { momentOf, type Moment } from '@/lib/format/moment';
import { targetText } from '@/lib/view/record-text';

/** Text from the cluster can have any length; a row shows one line of it. */
const TEXT_LENGTH_MAX = 240;

export const groupTitles: Record<GroupName, { title: string; remark: string }> = {
  look: { title: 'Needs attention', remark: 'stalled, failed, degraded or unknown' },
  you: { title: 'Waiting for you', remark: 'approval, pause, partition or deletion' },
  moving: { title: 'In progress', remark: 'continues without you' },
  quiet: { title: 'Stable', remark: 'latest change first' },
};

/** When the last rollout began, as precisely as it is known. */
export function startMomentOf({ lastRollout }: WorkloadItem): Moment {
  if (lastRollout === null) return { kind: 'unknown' };
  const startedAt = lastRollout.startedAt ?? lastRollout.record?.startedAt ?? null;
  return momentOf(startedAt, null, lastRollout.notAfter);
}

/** The last rollout by revision numbers: "42 → 43", or "First" for the first revision. */
export function lastRolloutText({ lastRollout, images }: WorkloadItem): string {
  if (lastRollout === null) return 'None';
  const { from, to } = lastRollout;
  if (from === null && to === 1) return 'First';
  const target = targetText({ to: { number: to }, images });
  return from === null ? `→ ${target}` : `${from} → ${target}`;
}

/** Most workloads are Deployments, so only other kinds are named. */
export function placeAndKind({ kind, namespace }: WorkloadItem): string {
  const place = formatNamespace(namespace);
  return kind === 'Deployment' ? place : `${place} · ${kind}`;
}

/** Why the state is so, within its row: without the name and the label that the row shows. */
export function reasonOf(item: Pick<WorkloadItem, 'name' | 'message' | 'state' | 'awaitsApproval'>): string {
  const { name, message } = item;
  const own = [`Rollout ${name}: `, `Rollout ${name} `].find((prefix) => message.startsWith(prefix)) ?? '';
  const reason = message.slice(own.length);
  if (item.awaitsApproval === true) return truncate(reason.replace(/ (is|and) waiting for \w+$/, ''));
  return truncate(item.state === 'failed' ? reason.replace(/^failed (?=in |at )/, '') : reason);
}

/** As much of state and reason as fits one line of a phone. */
const PHONE_LETTERS = 42;

/** Whether the reason gets a second line on a phone: only where it needs attention. */
export function isLongReason(item: WorkloadItem): boolean {
  return isTrouble(item) && stateLabel(item).length + reasonOf(item).length > PHONE_LETTERS;
}

export function truncate(text: string): string {
  return cutEnd(text, TEXT_LENGTH_MAX);
}
