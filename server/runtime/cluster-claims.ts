import type { ClusterRefusal } from '@/lib/api/cluster';
import type { ClusterRow, EntryKey } from '@/server/archive/clusters';
import type { ClusterIdentity } from '@/server/cluster/cluster-identity';
import type { ClusterEntry, ClusterSource } from '@/server/shared/cluster-entry';

/** What the API server of an entry answered about itself. */
export type ClusterClaim = Pick<ClusterIdentity, 'id' | 'server'> & {
  hash: string;
  /** Whether the cluster, or its entry, names the id. Else it is only that of the address. */
  isStated: boolean;
};

/** An entry of the configuration, and what its cluster claims to be. */
export interface Claimant {
  entry: ClusterEntry;
  /** Null until its API server has answered. */
  claim: ClusterClaim | null;
  /** The id under which it was read last by this process; null before. */
  adoptedId: string | null;
  /** Whether it may still answer soon: others wait for that. */
  isExpected: boolean;
  /** Whether it has waited long enough for others to answer. */
  isOverdue: boolean;
}

export type Decision =
  | { state: 'admitted'; id: string }
  /** Another entry that is not bound yet may claim the same id. */
  | { state: 'waiting' }
  | { state: 'refused'; refusal: ClusterRefusal };

/** What is known of all entries. */
export interface ClusterClaims {
  all: readonly Claimant[];
  /** The clusters of the archive; empty while it can't be read. */
  rows: readonly ClusterRow[];
}

/**
 * Whether the cluster of an entry is the one that it claims to be. What a cluster says of itself is no proof: an id that
 * belongs to an entry stays with it, whatever others say and in whatever order they are listed.
 */
export function decide(claimant: Claimant & { claim: ClusterClaim }, { all, rows }: ClusterClaims): Decision {
  const { entry, claim, adoptedId } = claimant;
  const names = namesIn(all);
  const own = boundRow(entry, rows, names);
  const formerId = own?.id ?? adoptedId;
  const id = claimedId(claim, formerId, own);
  const isGiven = entry.id !== null;
  const row = rows.find((each) => each.id === id);
  const other = { kind: 'claimed' as const, id, formerId: formerId === id ? null : formerId };
  if (row?.entry && !isSameEntry(row.entry, entry, names))
    return refused({ ...other, holder: row.entry.name });
  if (!isGiven && formerId !== null && formerId !== id) return refused({ kind: 'changed', id, formerId });
  if (row?.entry) return { state: 'admitted', id };
  if (isOfOthers(row, entry, rows)) return refused({ ...other, holder: row?.name ?? id });
  return decideFirst(claimant, id, { all, rows });
}

/** Of an id that belongs to no entry: who claims it alone gets it, once the others had time to claim it too. */
function decideFirst(claimant: Claimant, id: string, { all, rows }: ClusterClaims): Decision {
  const names = namesIn(all);
  const others = all.filter((each) => each !== claimant && boundRow(each.entry, rows, names) === undefined);
  const rivals = others.filter(
    ({ claim, adoptedId }) => claim !== null && claimedId(claim, adoptedId) === id,
  );
  if (rivals.length > 0)
    return refused({ kind: 'contested', id, rivals: rivals.map(({ entry: { name } }) => name) });
  const mayBeClaimed = others.some(({ claim, isExpected }) => claim === null && isExpected);
  const isWaiting = mayBeClaimed && !claimant.isOverdue && claimant.adoptedId === null;
  return isWaiting ? { state: 'waiting' } : { state: 'admitted', id };
}

/** The row of the id that an entry has; undefined where it is bound to none. */
export function boundRow(
  entry: ClusterEntry,
  rows: readonly ClusterRow[],
  names: ReadonlySet<string>,
): (ClusterRow & { entry: NonNullable<ClusterRow['entry']> }) | undefined {
  return rows
    .filter((row) => row.entry !== null)
    .map((row) => ({ ...row, entry: row.entry as NonNullable<typeof row.entry> }))
    .filter((row) => isSameEntry(row.entry, entry, names))
    .sort((a, b) => b.entry.at.localeCompare(a.entry.at))[0];
}

/** What tells an entry from others. The same name with another source may lead to another cluster: it is another entry. */
export function keyOfEntry({ name, source }: ClusterEntry): EntryKey {
  return { name, source: sourceText(source) };
}

export function namesIn(all: readonly Pick<Claimant, 'entry'>[]): ReadonlySet<string> {
  return new Set(all.map(({ entry }) => entry.name));
}

/** A renamed entry is the same one where it names its former name, which no other entry has now. */
function isSameEntry(bound: EntryKey, entry: ClusterEntry, names: ReadonlySet<string>): boolean {
  const isRenamed = entry.formerNames.includes(bound.name) && !names.has(bound.name);
  return bound.source === sourceText(entry.source) && (bound.name === entry.name || isRenamed);
}

/**
 * One that does not say which it is has the id of its entry. So has one that was known by its address alone, and says at
 * the same address for the first time which it is.
 */
function claimedId({ id, hash, isStated }: ClusterClaim, formerId: string | null, own?: ClusterRow): string {
  if (formerId === null) return id;
  const isKnownByAddress = formerId === hash || own?.aliases.includes(id) === true;
  return !isStated || isKnownByAddress ? formerId : id;
}

/** Whether there are records under a name that is not of the entry. Before anything is bound, names tell nothing. */
function isOfOthers(
  row: ClusterRow | undefined,
  { name, formerNames }: ClusterEntry,
  rows: readonly ClusterRow[],
): boolean {
  const isFirstStart = rows.every(({ entry }) => entry === null);
  return !isFirstStart && row?.name != null && ![name, ...formerNames].includes(row.name);
}

/** For the log and for people: what is the matter, and what was not done. */
export function refusalText(refusal: ClusterRefusal): string {
  const { id } = refusal;
  switch (refusal.kind) {
    case 'claimed':
      return `Its API server says that it is the cluster ${id}, which belongs to ${refusal.holder}. Shiplog does not read it and records nothing of it.`;
    case 'contested':
      return `Its API server says that it is the cluster ${id}, and so does that of ${refusal.rivals.join(', ')}. Shiplog reads none of them until one is accepted, or the others are removed.`;
    case 'changed':
      return `Its API server says that it is the cluster ${id}, and it was ${refusal.formerId} before. Shiplog does not read it and records nothing of it.`;
    default: {
      const unknown: never = refusal;
      return unknown;
    }
  }
}

function refused(refusal: ClusterRefusal): Decision {
  return { state: 'refused', refusal };
}

function sourceText(source: ClusterSource): string {
  switch (source.kind) {
    case 'kubeconfig':
      return `kubeconfig ${source.files.join(':')}${source.context === undefined ? '' : ` context ${source.context}`}`;
    case 'secret':
      return `Secret ${source.name}`;
    case 'in_cluster':
      return 'service account';
    case 'none':
      return 'none';
    default: {
      const unknown: never = source;
      return unknown;
    }
  }
}
