import { isEqualTemplate } from '@/lib/history/template-equality';
import { formatRev, formatRevision, type RevisionHistory, type Revision } from '@/lib/history/revision';
import { imageVersion } from '@/lib/kube/image';
import { type TemplateFacts } from '@/lib/history/workload';

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

/** Revisions that the cluster has with the same template, newest first. */
export function equalRevisions({ revisions }: RevisionHistory, { facts }: RollbackTarget): Revision[] {
  return revisions.filter((revision) => isEqualTemplate(revision.source, facts));
}

/**
 * The revision that carries the template in the cluster, itself or the newest equal one; null where none
 * does.
 */
export function carrierOf(history: RevisionHistory, target: RollbackTarget): Revision | null {
  if (target.origin.kind === 'cluster') return target.origin.revision;
  return equalRevisions(history, target)[0] ?? null;
}
