import { type Adoption, wasJoined } from '@/lib/history/adoption';
import { numberOfSource } from '@/lib/history/revision-order';
import type { Activation } from '@/lib/api/revisions';
import type { RevisionSource } from '@/lib/history/workload';
import { formatList, formatUtc } from '@/lib/format/text';

/** What is known of the last activation of a revision besides its source; null where it is not. */
export interface KnownActivation {
  /** RFC 3339 time of its begin. */
  from: string | null;
  /** The owner that wrote the earlier template again. Null: it was rolled back to. */
  by: string | null;
}

export const nothingKnown: KnownActivation = { from: null, by: null };

/** What is known of the number of a revision. */
export interface NumberFacts extends KnownActivation {
  source: RevisionSource;
  /** The last one, as the cluster proves it. */
  activation: Activation | undefined;
  isReactivated: boolean;
}

/**
 * What an adoption did to the number of a source that no rollback has reused, from the cluster alone; null for nothing.
 */
export function explainAdoption(source: RevisionSource, adoption: Adoption): string | null {
  const kind = source.controllerKind ?? 'workload';
  if (adoption.before.has(source.uid)) return `Older than the ${kind}: adopted, or restored from a backup.`;
  const number = numberOfSource(source);
  return number === null || !wasJoined(source, adoption)
    ? null
    : `Renumbered to ${number} when the ${kind} adopted older revisions.`;
}

/**
 * What happened to the number of a ReplicaSet, from the former numbers that it keeps; null when it never
 * changed. Times are included only where the cluster proves them.
 */
export function explainReplicaSet({ source, isReactivated, ...facts }: NumberFacts): string | null {
  const { by } = facts;
  const number = numberOfSource(source);
  if (source.number.kind !== 'number' || number === null) return null;
  const former = [...new Set(source.formerNumbers)].filter((value) => value !== number);
  if (former.length === 0 && isReactivated) {
    const reused = by === null ? 'Reused by a rollback and renumbered to' : 'Put back as';
    const author = by === null ? '' : ` by ${by}`;
    return `${reused} ${number}${author}: it is older than a revision with a lower number. Its former number is unknown.`;
  }
  return explainRenumbered(former, number, facts);
}

/** A revision that became the target again under a new number; null where none of the former ones is known. */
export function explainRenumbered(
  [first, ...between]: readonly number[],
  number: number,
  facts: Pick<NumberFacts, 'activation' | 'from' | 'by'>,
): string | null {
  const when = whenText(facts);
  if (first === undefined) return null;
  if (between.length === 0) return `Formerly revision ${first}; ${renumberedText(number, facts)} ${when}.`;
  const last = facts.by === null ? when : `put back by ${facts.by} ${when}`;
  return `Formerly revision ${first}; renumbered to ${between.join(', then ')} and then ${number} by rollbacks, the last ${last}.`;
}

/** The same for a ControllerRevision, which keeps no former numbers. */
export function explainControllerRevision(facts: NumberFacts): string | null {
  const { source, activation, isReactivated, from, by } = facts;
  const number = numberOfSource(source);
  if (number === null) return null;
  if (!isReactivated) {
    const written = activation?.from === null ? activation.fromNotAfter : null;
    const created = formatUtc(source.createdAt);
    if (written === null) return null;
    const when = from === null ? `by ${formatUtc(written)}` : `at ${formatUtc(from)}`;
    const reused = by === null ? 'reused by a rollback' : `put back by ${by}`;
    return `Created ${created}, but its number ${number} was written later (${when}): it was probably ${reused}.`;
  }
  return `An earlier revision, ${renumberedText(number, facts)} ${whenText(facts)}. First created ${formatUtc(source.createdAt)}; its former number is unknown.`;
}

/** The same where only the archive has the former numbers; `numbers` in their order, with the present one. */
export function explainFormerNumbers(numbers: readonly number[], known: KnownActivation): string | null {
  const last = numbers.at(-1);
  if (last === undefined || numbers.length === 1) return null;
  return `Formerly revision ${formatList(numbers.slice(0, -1).map(String))}; ${renumberedText(last, known)}.`;
}

/** "renumbered to 3 by a rollback", "put back as 3 by argocd-controller". */
function renumberedText(number: number, { by }: KnownActivation): string {
  return by === null ? `renumbered to ${number} by a rollback` : `put back as ${number} by ${by}`;
}

/** A bound only where the time itself is unknown. */
function whenText({ activation, from }: Pick<NumberFacts, 'activation' | 'from'>): string {
  const at = from ?? activation?.from ?? null;
  if (at !== null) return `at ${formatUtc(at)}`;
  if (activation?.fromNotAfter != null) return `at ${formatUtc(activation.fromNotAfter)} or earlier`;
  return 'at an unknown time';
}
