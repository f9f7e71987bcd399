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
      ? `Reused by a rollback and renumbered to ${number}: it is older than a revision with a lower number. Its former number is unknown.`
      : null;
  }
  if (between.length === 0)
    return `Formerly revision ${first}; renumbered to ${number} by a rollback ${when}.`;
  return `Formerly revision ${first}; renumbered to ${between.join(', then ')} and then ${number} by rollbacks, the last ${when}.`;
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
      : `Created ${created}, but its number ${number} was written later (by ${formatUtc(written)}): it was probably reused by a rollback.`;
  }
  const when = whenText(activation);
  return `An earlier revision, renumbered to ${number} by a rollback ${when}. First created ${formatUtc(source.createdAt)}; its former number is unknown.`;
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
  if (activation?.from != null) return `at ${formatUtc(activation.from)}`;
  if (activation?.fromNotAfter != null) return `at ${formatUtc(activation.fromNotAfter)} or earlier`;
  return 'at an unknown time';
}
