import 'server-only';
import { hash } from 'node:crypto';
import { groupKey, groupOfRevision, type RevisionGroup } from '@/lib/producers/revision-group';
import { ownerKind } from '@/lib/producers/owner-kind';
import {
  noCurrentTemplate,
  ownerOfGroup,
  createPlaceholderWorkload,
  unownedRevisions,
} from '@/lib/producers/placeholder-workload';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { RevisionSource, Placeholder, Workload } from '@/lib/history/workload';
import { factsOf } from '@/server/cluster/ingest';
import type { SourceGroup } from '@/server/cluster/source-group';

/**
 * Histories whose object can't be shown. Access to them follows the resource of their revisions: a viewer who
 * can read those can read the history, and nothing else is known of its owner.
 */
export const unownedKind: WorkloadKind = ownerKind(unownedRevisions);

/** Null for a revision that belongs to a kind of the table. */
export function sourceGroupOf(source: RevisionSource): SourceGroup | null {
  const group = groupOfRevision(source);
  return group.by === 'workload' ? null : sourceGroup(source, group);
}

/** The group of a revision that belongs to a kind of the table, as if it did not. */
export function ownerUnknownGroupOf(source: RevisionSource): SourceGroup | null {
  const group = groupOfRevision(source);
  return group.by === 'workload' ? sourceGroup(source, { ...group, by: 'owner' }) : null;
}

function sourceGroup(source: RevisionSource, group: RevisionGroup): SourceGroup {
  const isSingleHistory = group.by === 'owner' && group.component === null;
  const owner = ownerOfGroup([source]);
  return { key: isSingleHistory ? group.uid : groupKey(group), group, owner, component: group.component };
}

/**
 * The placeholder for a workload: its name is the owner's, with a suffix that tells it from others of that
 * name.
 */
export function createPlaceholder(
  { key, group, owner, component }: SourceGroup,
  state: Placeholder['state'],
  sources: readonly RevisionSource[],
): Workload {
  const workload = createPlaceholderWorkload({ group, sources }, state, unownedRevisions, emptyTemplateFacts);
  return { ...workload, uid: key, name: nameOf(key, owner, component) };
}

const emptyTemplateFacts = factsOf(noCurrentTemplate);

/** Names of objects may be as long as a placeholder's, so the distinguishing suffix takes precedence. */
function nameOf(key: string, owner: Placeholder['owner'], component: string | null): string {
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
