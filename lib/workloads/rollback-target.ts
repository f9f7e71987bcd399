import { numberOfSource } from '@/lib/history/revision-order';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { formatRev, formatRevision, type RevisionHistory, type Revision } from '@/lib/history/revision';
import { imageVersion } from '@/lib/kube/image';
import type { TemplateFacts } from '@/lib/history/workload';

/** The origins of `targetOrigins`. Times are RFC 3339; null where they were not observed. */
export type TargetOrigin =
  | { kind: 'cluster'; revision: Revision }
  | { kind: 'archive'; recordedAt: string; prunedAt: string | null }
  | { kind: 'earlierIncarnation'; recordedAt: string; prunedAt: string | null; deletedAt: string | null };

/** A revision to return to, whether a source object still carries it or not. */
export interface RollbackTarget {
  id: string;
  number: number | null;
  name: string;
  /** Of the template to be written. */
  facts: TemplateFacts;
  /** Of the template that admission makes of it, as the dry run answered. Absent: of the same template. */
  stored?: TemplateFacts;
  origin: TargetOrigin;
}

export function retainedTarget(revision: Revision): RollbackTarget {
  const { id, number, name, source } = revision;
  return { id, number, name, facts: source, origin: { kind: 'cluster', revision } };
}

/**
 * "42", "42 of an earlier object", behind the word "revision": a number identifies a revision only within its own
 * incarnation.
 */
export function formatTarget({ number, name, origin }: Omit<RollbackTarget, 'facts'>): string {
  return `${formatRevision({ number, name })}${origin.kind === 'earlierIncarnation' ? ' of an earlier object' : ''}`;
}

/** "rev 42 (2.18.3)": with the version of the first container's image. */
export function formatTargetWithVersion(target: RollbackTarget): string {
  const version = imageVersion(target.facts.images.find((image) => !image.init)?.image ?? '');
  return `${formatRev(target, version)}${target.origin.kind === 'earlierIncarnation' ? ' of an earlier object' : ''}`;
}

/** Revisions that the cluster has with the template that will be stored, newest first. */
export function equalRevisions(
  { revisions }: RevisionHistory,
  { facts, stored = facts }: RollbackTarget,
): Revision[] {
  return revisions.filter((revision) => isEqualTemplate(revision.source, stored));
}

/**
 * The revision that carries the template that will be stored, itself or the newest equal one; null where none
 * does.
 */
export function carrierOf(history: RevisionHistory, target: RollbackTarget): Revision | null {
  if (target.origin.kind === 'cluster' && target.stored === undefined) return target.origin.revision;
  return equalRevisions(history, target)[0] ?? null;
}

/** The same for the requested template, which may not be the one that will be stored. */
export function requestedCarrier(history: RevisionHistory, target: RollbackTarget): Revision | null {
  const { stored: _stored, ...requested } = target;
  return carrierOf(history, requested);
}

/** The next number is one above the highest of all others. */
export function nextNumber({ revisions }: RevisionHistory, reused: Revision | null = null): number {
  return revisions
    .filter(({ id }) => id !== reused?.id)
    .reduce((next, { source }) => Math.max(next, (numberOfSource(source) ?? 0) + 1), 1);
}

/** What the pods run afterwards, behind the word "revision": the target, unless admission makes another of it. */
export function formatResult(
  { history, to }: { history: RevisionHistory; to: RollbackTarget },
  carrier = carrierOf(history, to),
): string {
  if (to.stored === undefined) return formatTarget(to);
  return carrier === null ? String(nextNumber(history)) : formatRevision(carrier);
}
