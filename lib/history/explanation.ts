import { numberOfSource } from '@/lib/history/order';
import { type Activation } from '@/lib/history/revision';
import { type RevisionSource } from '@/lib/workloads/workload';
import { utc } from '@/lib/workloads/words';

/**
 * What happened to the number of a ReplicaSet, from the former numbers that it keeps; null when it never moved.
 * Times are said only where the cluster proves them.
 */
export function explainReplicaSet(
  source: RevisionSource,
  activations: readonly Activation[],
  isReactivated: boolean,
): string | null {
  const number = numberOfSource(source);
  if (source.number.kind !== 'number' || number === null) return null;
  const former = [...new Set(source.formerNumbers)].filter((value) => value !== number);
  const when = whenText(activations.at(-1));
  const [first, ...between] = former;
  if (first === undefined) {
    return isReactivated
      ? `It is older than a revision with a lower number, so it was used again and became ${number}; its former number is not recorded.`
      : null;
  }
  if (between.length === 0) return `Revision ${first} became ${number} when it was rolled back to; ${when}.`;
  return `Revision ${first} became ${between.join(', then ')} and then ${number}, each time when it was rolled back to; ${when}.`;
}

/** The same for a ControllerRevision, which keeps no former numbers. */
export function explainControllerRevision(
  source: RevisionSource,
  activations: readonly Activation[],
  isReactivated: boolean,
): string | null {
  const number = numberOfSource(source);
  const activation = activations.at(-1);
  if (number === null) return null;
  if (!isReactivated) {
    const written = activation?.from === null ? activation.fromNotAfter : null;
    const created = utc(source.createdAt);
    return written === null
      ? null
      : `It was created ${created}, but its number ${number} was written later (not after ${utc(written)}): it was probably used again.`;
  }
  const when = whenText(activation);
  return `An older revision became ${number} when it was rolled back to; ${when}. It was first created ${utc(source.createdAt)}, and its former number is not recorded.`;
}

/** The same sentence with the time that is known of the activation which it tells of, instead of a bound. */
export function explainedSince(
  text: string,
  told: Activation | undefined,
  known: Activation | undefined,
): string {
  return known?.from == null ? text : text.replace(whenText(told), whenText(known));
}

function whenText(activation: Activation | undefined): string {
  if (activation?.from != null) return `that was ${utc(activation.from)}`;
  if (activation?.fromNotAfter != null) return `that was not later than ${utc(activation.fromNotAfter)}`;
  return 'when is not recorded';
}
