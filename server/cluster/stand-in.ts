import 'server-only';
import { hash } from 'node:crypto';
import { groupKey, groupOfRevision, type RevisionGroup } from '@/lib/producers/revision-group';
import { ownerKind } from '@/lib/producers/owner-kind';
import { nothingPresent, ownerOfGroup, standInFor, unownedRevisions } from '@/lib/producers/stand-in';
import { type WorkloadKind } from '@/lib/workloads/kind';
import { type RevisionSource, type StandIn, type Workload } from '@/lib/workloads/workload';
import { factsOf } from '@/server/cluster/ingest';
import { type SourceGroup } from '@/server/cluster/owner-index';

/**
 * Histories whose object can't be shown. They go by the resource of their revisions: whoever may read those may read the
 * history, and nothing else of what made it is known.
 */
export const withoutOwner: WorkloadKind = ownerKind(unownedRevisions);

/** Null for a revision that is a matter of one of our kinds. */
export function sourceGroupOf(source: RevisionSource): SourceGroup | null {
  const group = groupOfRevision(source);
  return group.by === 'workload' ? null : sourceGroup(source, group);
}

/** Of a revision that is a matter of one of our kinds: as if it were not. */
export function lostGroupOf(source: RevisionSource): SourceGroup | null {
  const group = groupOfRevision(source);
  return group.by === 'workload' ? sourceGroup(source, { ...group, by: 'owner' }) : null;
}

function sourceGroup(source: RevisionSource, group: RevisionGroup): SourceGroup {
  const isWhole = group.by === 'owner' && group.component === null;
  const owner = ownerOfGroup([source]);
  return { key: isWhole ? group.uid : groupKey(group), group, owner, component: group.component };
}

/** In the place of a workload: named after it, and by what tells it from others that have its name or had it. */
export function standIn(
  { key, group, owner, component }: SourceGroup,
  state: StandIn['state'],
  sources: readonly RevisionSource[],
): Workload {
  const workload = standInFor({ group, sources }, state, unownedRevisions, nothing);
  return { ...workload, uid: key, name: nameOf(key, owner, component) };
}

const nothing = factsOf(nothingPresent);

/** Names of objects may be as long as ours, so the end that tells them apart comes first to be kept. */
function nameOf(key: string, owner: StandIn['owner'], component: string | null): string {
  const parts = [owner?.name, component].filter((part) => part != null && part !== '');
  const tail = hash('sha1', key, 'hex').slice(0, 6);
  const name = (parts.length === 0 ? ['unowned'] : parts).join('.').toLowerCase();
  const plain = name
    .replace(/[^a-z0-9.-]/g, '-')
    .slice(0, NAME_MAX)
    .replace(/^[^a-z0-9]+/, '');
  return `${plain === '' ? 'unowned' : plain}.${tail}`;
}

const NAME_MAX = 240;
