import { numberOfSource } from '@/lib/history/revision-order';
import { type Activation } from '@/lib/api/revisions';
import { type RevisionSource } from '@/lib/history/workload';
import { formatUtc } from '@/lib/format/text';

/**
 * What happened to the number of a ReplicaSet, from the former numbers that it keeps; null when it never
 * changed. Times are included only where the cluster proves them.
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
    const created = formatUtc(source.createdAt);
    return written === null
      ? null
      : `It was created ${created}, but its number ${number} was written later (not after ${formatUtc(written)}): it was probably used again.`;
  }
  const when = whenText(activation);
  return `An older revision became ${number} when it was rolled back to; ${when}. It was first created ${formatUtc(source.createdAt)}, and its former number is not recorded.`;
}

/** The same sentence with the known time of the activation that it describes, instead of a bound. */
export function withKnownTime(
  text: string,
  derived: Activation | undefined,
  recorded: Activation | undefined,
): string {
  return recorded?.from == null ? text : text.replace(whenText(derived), whenText(recorded));
}

function whenText(activation: Activation | undefined): string {
  if (activation?.from != null) return `that was ${formatUtc(activation.from)}`;
  if (activation?.fromNotAfter != null)
    return `that was not later than ${formatUtc(activation.fromNotAfter)}`;
  return 'when is not recorded';
}
