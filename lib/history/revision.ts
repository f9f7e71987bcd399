import { formatList } from '@/lib/format/text';
import { truncateMiddle } from '@/lib/format/truncate-middle';
import type { z } from 'zod';
import type { revisionSchema } from '@/lib/api/revisions';
import type { KnownActivation } from '@/lib/history/explanation';
import type { RevisionSource } from '@/lib/history/workload';
import type { Immutable } from '@/lib/immutable';

/** One revision of a workload's history, derived from its source object and the current state. */
export interface Revision extends Omit<Immutable<z.infer<typeof revisionSchema>>, 'explanation'> {
  source: RevisionSource;
  /** Created before a revision with a lower number: the object was reused. */
  reactivated: boolean;
  /** The numbers that it had before the workload adopted it, see `Adoption`; empty where the workload created it. */
  numbersBefore: readonly number[];
  /** What happened to its number, as text; null when it never changed. Default: by what the cluster proves alone. */
  explain: (known?: KnownActivation) => string | null;
}

export interface RevisionHistory {
  /** Newest first: number, creation time, name (spec order of SortControllerRevisions, reversed). */
  revisions: readonly Revision[];
  /** Null while no source object records the current template (pending). */
  target: Revision | null;
  /** Source objects that match the selector and belong to no controller. */
  orphans: readonly RevisionSource[];
  /** Numbers that must have existed and are pruned. */
  gaps: readonly number[];
  /** Warnings about this history: shared numbers, unreadable numbers, relabelled pods. */
  warnings: readonly string[];
  /** The target is only assumed: nothing but the order of the revisions points to it. */
  targetAssumed?: true;
  /** No running pod could be matched with a revision: whether one that is not live is live is unknown. */
  livenessUnknown?: true;
  /** Objects that the workload's controller keeps besides its revisions and that are none, newest first. */
  stored?: readonly RevisionSource[];
  /** Revision of each pod by pod uid; a pod whose revision is pruned is absent. */
  revisionOfPod: ReadonlyMap<string, Revision>;
}

/** A tag can have 128 letters: a longer version would push other buttons out of the row. */
const VERSION_LENGTH_MAX = 20;

/** "rev 3 (3.12.0)" for tables and buttons, without an empty version; the object's name where it has no number. */
export function formatRev(revision: Pick<Revision, 'number' | 'name'>, version = ''): string {
  const rev = revision.number === null ? revision.name : `rev ${revision.number}`;
  return version === '' ? rev : `${rev} (${truncateMiddle(version, VERSION_LENGTH_MAX)})`;
}

/** The name of a revision behind the word "revision": its number, or its object's name when it has none. */
export function formatRevision(revision: Pick<Revision, 'number' | 'name'>): string {
  return revision.number === null ? revision.name : String(revision.number);
}

/** "revision 3", "revisions 2 and 3": those that pods run, each once; undefined where a pod's is unknown. */
export function formatRevisions(revisions: Iterable<Pick<Revision, 'number' | 'name'> | undefined>): string {
  const all = [...new Set(revisions)];
  const known = all.filter((revision) => revision !== undefined).map(formatRevision);
  const told = known.length === 0 ? [] : [`revision${known.length === 1 ? '' : 's'} ${formatList(known)}`];
  return formatList(all.length === known.length ? told : [...told, 'an unknown revision']);
}
