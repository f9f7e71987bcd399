import type { WorkloadDetail } from '@/lib/api/workloads';
import type { RevisionItem } from '@/lib/api/revisions';
import { imageVersion } from '@/lib/kube/image';

/** One side of a comparison as stored in the address. */
export type Side = {
  /** Name of another cluster that the workload is in; null: the one that the page is about. */
  cluster: string | null;
} & ({ kind: 'live' } | { kind: 'pod'; pod: string } | { kind: 'revision'; ref: string });

export interface SidePair {
  from: string;
  to: string;
}

/**
 * Parses `live` and `pod:{name}`, each with `{cluster}:` in front where it is of another cluster; everything else is the
 * number or id of a revision.
 */
export function parseSide(text: string): Side {
  const [, cluster = null, ref = text] = /^(?!pod:)([^:]+):(.+)$/s.exec(text) ?? [];
  if (ref === 'live') return { cluster, kind: 'live' };
  if (ref.startsWith('pod:')) return { cluster, kind: 'pod', pod: ref.slice('pod:'.length) };
  return { cluster, kind: 'revision', ref };
}

/** A side of a cluster, as `parseSide` reads it. */
export function sideOf(cluster: string | null, ref: string): string {
  return cluster === null ? ref : `${cluster}:${ref}`;
}

/** The revision with an id or a number; undefined when none matches, or several have the number. */
export function findRevision(revisions: readonly RevisionItem[], ref: string): RevisionItem | undefined {
  const byId = revisions.find((revision) => revision.id === ref);
  if (byId) return byId;
  const byNumber = revisions.filter((revision) => String(revision.number) === ref);
  return byNumber.length === 1 ? byNumber[0] : undefined;
}

/** The pair to compare where the address names none: what ran before the target, and the current spec. */
export function defaultSidePair({ revisions }: Pick<WorkloadDetail, 'revisions'>): SidePair | null {
  const target = revisions.find((revision) => revision.target);
  const before = (target && previousOf(revisions, target)) ?? revisions.find((revision) => !revision.target);
  const from = before ?? revisions[0];
  return from === undefined ? null : { from: from.id, to: 'live' };
}

/**
 * The pair one step older (1) or newer (-1) in the history: a revision and the one that ran before it. Null at either
 * end. `revisions` are newest first.
 */
export function stepSidePair(
  revisions: readonly RevisionItem[],
  pair: SidePair,
  step: 1 | -1,
): SidePair | null {
  const at = revisions.findIndex((revision) => isSide(revision, pair.to));
  if (at === -1) return null;
  const to = revisions[at + step];
  const from = to && previousOf(revisions, to);
  return to && from ? { from: from.id, to: to.id } : null;
}

function previousOf(revisions: readonly RevisionItem[], revision: RevisionItem): RevisionItem | undefined {
  return revisions.find(({ id }) => id === revision.before?.id) ?? revisions[revisions.indexOf(revision) + 1];
}

/** The revision that "roll back" on this page targets: the side that the spec does not ask for now, `from` first. */
export function findRollbackTarget(revisions: readonly RevisionItem[], pair: SidePair): RevisionItem | null {
  for (const text of [pair.from, pair.to]) {
    const side = parseSide(text);
    const isOwn = side.cluster === null && side.kind === 'revision';
    const revision = isOwn ? findRevision(revisions, side.ref) : undefined;
    if (revision && !revision.target && revision.retained) return revision;
  }
  return null;
}

/** The version of the first image: `2.18.3`; empty where it states none. */
export function revisionVersion(revision: Pick<RevisionItem, 'images'>): string {
  return imageVersion(revision.images[0]?.image ?? '');
}

function isSide(revision: RevisionItem, text: string): boolean {
  const side = parseSide(text);
  if (side.cluster !== null) return false;
  switch (side.kind) {
    case 'live':
      return revision.target;
    case 'pod':
      return false;
    case 'revision':
      return revision.id === side.ref || String(revision.number) === side.ref;
    default:
      return side satisfies never;
  }
}
