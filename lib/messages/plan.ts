import type { Move, Mover, PodMove, RollingSettings, Units } from '@/lib/engine/update';
import type { TemplateDifference } from '@/lib/engine/in-place';
import { capitalize, formatCount, formatList } from '@/lib/format/text';
import { formatAmount, resolveAmount } from '@/lib/kube/amount';
import type { Json } from '@/lib/kube/json';

/** "partition 80%": the partition as written, where there is one that holds any pod. */
export function formatPartition({ partition }: Pick<RollingSettings, 'partition'>): string | null {
  if (partition === undefined || partition === null || partition === 0 || partition === '0%') return null;
  return `partition ${formatAmount(partition)}`;
}

/**
 * "RollingUpdate, partition 2, in place if possible, surge 25%, unavailable 1, ordered, paused"; what is absent, or has no
 * effect, is left out.
 */
export function formatStrategy(
  type: string,
  rolling: RollingSettings & { unavailable?: Json | undefined },
  note: string | null = null,
): string {
  const { inPlace = 'never', surge = 0, unavailable, isPaused } = rolling;
  const parts = [type, formatPartition(rolling)];
  if (inPlace !== 'never') parts.push(inPlace === 'only' ? 'in place only' : 'in place if possible');
  if (resolveAmount(surge, 100, Math.ceil) !== 0) parts.push(`surge ${formatAmount(surge)}`);
  if (unavailable !== undefined) parts.push(`unavailable ${formatAmount(unavailable)}`);
  parts.push(note, isPaused === true ? 'paused' : null);
  return parts.filter((part) => part !== null).join(', ');
}

/** "2 pods (db-2 and db-1) are"; without the names where the controller chooses. */
function unitsAre({ number, names }: Units, noun: string): string {
  const known = names === null || number === 0 ? '' : ` (${formatList(names, 6)})`;
  return `${formatCount(number, noun)}${known} ${number === 1 ? 'is' : 'are'}`;
}

/** "2 pods (db-2 and db-1) are replaced by pods of revision 15, at most 1 at a time."; `what` is the participle. */
export function describeMoving({ moving, unit }: Pick<Move, 'moving' | 'unit'>, what: string): string {
  return moving.number === 0 ? `No ${unit} changes now.` : `${unitsAre(moving, unit)} ${what}.`;
}

/** "3 other pods keep running."; none where nothing is kept. */
function describeKept({ kept, unit }: Move): string[] {
  if (kept === 0) return [];
  return [`${formatCount(kept, `other ${unit}`)} ${kept === 1 ? 'keeps' : 'keep'} running.`];
}

/** "Partition 2 holds db-0 and db-1: they are not rolled back to revision 15.", and the same of one. */
export function describeHeld(
  rolling: Pick<RollingSettings, 'partition'>,
  who: string,
  number: number,
  [one, more]: readonly [string, string],
): string {
  const partition = capitalize(formatPartition(rolling) ?? 'partition');
  return `${partition} holds ${who}: ${number === 1 ? one : more}.`;
}

export function notRolledBack(on: string): [string, string] {
  return [`it is not rolled back to revision ${on}`, `they are not rolled back to revision ${on}`];
}

/** What a rollback does to pods: `on` is the revision that they get, `pace` follows "pods are replaced". */
export function describeRollback(
  { move, mover, difference }: { move: PodMove; mover: Mover; difference: TemplateDifference | null },
  on: string,
  pace: string,
): string[] {
  switch (mover.by) {
    case 'deletion':
      return [`No pod restarts. Pods that you delete are recreated with revision ${on}.`];
    case 'resume':
      return ['No pod changes until the workload is resumed.'];
    case 'rollout': {
      const pods = formatCount(move.others.length, 'pod');
      return mover.ends
        ? [`Rollout ${mover.rollout} ends, removes the partition and rolls ${pods} back to revision ${on}.`]
        : [
            `Rollout ${mover.rollout} starts a rollout of revision ${on} with its first step, and updates the pods of each step.`,
          ];
    }
    case 'controller': {
      if (move.moving.number === 0) return ['No pod changes.'];
      const moved = describeMoving(move, describeUpdate(move, difference, on, pace));
      const reason =
        difference?.kind === 'more' ? ' An in-place update is not possible: more than images changes.' : '';
      const steps = [`${moved}${reason}`, ...describeKept(move)];
      if (move.blocking !== null)
        steps.unshift(`No pod is replaced until ${move.blocking.name} is ready or deleted.`);
      return steps;
    }
  }
}

/** Pods are replaced, or updated in place, where only images or labels differ: what follows "are". */
function describeUpdate(
  { moving }: Move,
  difference: TemplateDifference | null,
  on: string,
  pace: string,
): string {
  if (difference === null || difference.kind === 'more')
    return `replaced by ${moving.number === 1 ? 'a pod' : 'pods'} of revision ${on}, ${pace}`;
  if (difference.kind !== 'images')
    return `updated in place, ${pace}: labels and annotations change, no container restarts`;
  const { containers } = difference;
  const restart = `${formatList(containers, 6)} ${containers.length === 1 ? 'restarts' : 'restart'}`;
  const kept = moving.number === 1 ? 'it keeps its' : 'they keep their';
  return `updated in place, ${pace}: ${restart} with the image of revision ${on}; ${kept} name, node and IP address`;
}

/** "9–15 pods at any time": a clause after "pods are replaced". */
export function paceByLimits(desired: number, surge: number, unavailable: number, noun = 'pod'): string {
  return `${Math.max(0, desired - unavailable)}–${formatCount(desired + surge, noun)} at any time`;
}
