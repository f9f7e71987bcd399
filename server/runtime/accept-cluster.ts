import 'server-only';
import type { z } from 'zod';
import type { ClusterEntryChange } from '@/lib/api/activity-event';
import type { acceptRequestSchema, ClusterRefusal } from '@/lib/api/cluster';
import { AppError } from '@/lib/errors';
import { isoTime } from '@/lib/format/time';
import type { SharedContext } from '@/server/views/context';
import { refusalOf, type Right } from '@/server/views/rights';
import type { MovedCluster } from '@/server/runtime/cluster-admission';
import type { Clusters } from '@/server/runtime/clusters';
import { rightAtHome } from '@/server/runtime/right-at-home';
import type { Logger } from '@/server/shared/log';
import { requestFacts } from '@/server/shared/request-facts';
import { assertCanWrite, type Person, readOnlyText } from '@/server/shared/viewer';

/** Whether the person can accept what clusters claim to be. */
export async function rightToAccept(clusters: Clusters, person: Person): Promise<Right> {
  if (person.readOnly !== undefined) return { state: 'denied', why: readOnlyText(person.readOnly) };
  return rightAtHome(clusters, person, 'update', 'clusters');
}

/**
 * Gives an entry the id that its cluster claims, as the person saw it. Throws AppError `read_only`, `forbidden`, and
 * `conflict` where something else is claimed by now.
 */
export async function acceptCluster(
  { clusters, shared }: { clusters: Clusters; shared: SharedContext },
  person: Person,
  name: string,
  { refusal }: z.output<typeof acceptRequestSchema>,
): Promise<void> {
  assertCanWrite(person);
  const denied = refusalOf(await rightToAccept(clusters, person));
  if (denied !== null) throw new AppError('forbidden', `Nothing was changed. ${denied}`);
  const refused = clusters.refused.find(({ entry }) => entry.name === name);
  if (refused === undefined)
    throw new AppError('not_found', `Nothing was changed: no entry ${JSON.stringify(name)} is refused.`);
  const { mask } = shared.keys;
  const note = (code: string | null) =>
    shared.audit?.note({
      at: isoTime(shared.now()),
      event: 'clusterAccepted',
      by: { id: person.id, name: mask.text(person.name) },
      cluster: refusal.id,
      entry: name,
      address: null,
      before: beforeOf(refusal),
      code,
      ...requestFacts(),
    });
  note(null);
  try {
    await clusters.accept(name, refusal);
  } catch (error) {
    try {
      note(error instanceof AppError ? error.code : 'internal');
    } catch {
      // The person must get the reason of the failure.
    }
    throw error;
  }
}

function beforeOf(refusal: ClusterRefusal): ClusterEntryChange['before'] {
  return {
    address: null,
    id: 'formerId' in refusal ? refusal.formerId : null,
    entry: refusal.kind === 'claimed' ? refusal.holder : null,
  };
}

/** A line in the audit file; without it the cluster is read all the same. */
export function noteMoved(
  { id, entry, from, to }: MovedCluster,
  { audit, keys, log }: Required<Pick<SharedContext, 'audit' | 'keys'>> & { log: Logger },
): void {
  const { mask } = keys;
  log.warn('a cluster has another address or certificate authority', { cluster: entry.name, from, to });
  try {
    audit.note({
      at: isoTime(Date.now()),
      event: 'clusterMoved',
      by: null,
      cluster: id,
      entry: entry.name,
      address: mask.text(to),
      before: { address: mask.text(from === to ? null : from), id: null, entry: null },
      code: null,
      sender: null,
      origin: null,
      idempotencyKey: null,
    });
  } catch (error) {
    log.error('a cluster that moved has no line in the audit file', { cluster: entry.name, error });
  }
}
