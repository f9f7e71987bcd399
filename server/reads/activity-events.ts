import 'server-only';
import type {
  ActivityEventsQuery,
  ClusterEntryChange,
  activityEventSchema,
  activityEventsSchema,
  EventEntry,
} from '@/lib/api/activity-event';
import type { Answer } from '@/lib/api/common';
import type { ArchivedEvent } from '@/server/archive/events';
import { readCursor, timeCursor } from '@/server/archive/time-cursor';
import { archivedIds, recordRights, requireArchive } from '@/server/views/archive-access';
import type { Fleet } from '@/server/views/fleet';
import type { MaskedPartial } from '@/server/views/partial';
import type { Right } from '@/server/views/rights';
import type { Mask } from '@/server/shared/mask';
import { maskedName } from '@/server/shared/masked-actor';

type Item = Answer<typeof activityEventSchema>;

const BATCH_ROWS = 200;
/** A search with few matches continues with the next page. */
const SCAN_MAX = 5_000;

/**
 * Changes of clusters, reviews of workloads that the viewer can see, and sign-ins: the viewer's own, and those of everyone
 * for a viewer who may `list signins.shiplog.dev` in the cluster that Shiplog runs in. Newest first. `settled` resolves
 * once the archive has what the audit file has.
 */
export async function listActivityEvents(
  fleet: Fleet,
  settled: () => Promise<void>,
  { kind, limit, cursor: first }: ActivityEventsQuery,
): Promise<Answer<typeof activityEventsSchema>> {
  const archive = requireArchive(fleet);
  if (first !== undefined) readCursor(first);
  await settled();
  const signIns = await fleet.rightToSignIns();
  const ofEveryone = signIns.state === 'allowed';
  const partial = partialOf(signIns, fleet.keys.mask);
  const mayRead = recordRights(fleet);
  const query = {
    ...{ kind: kind ?? null, clusters: archivedIds(fleet), limit: BATCH_ROWS },
    person: ofEveryone ? null : fleet.person.id,
  };
  const failed = new Set<string>();
  const items: Item[] = [];
  let cursor = first ?? null;
  for (let scanned = 0; scanned < SCAN_MAX; scanned += BATCH_ROWS) {
    const events = await archive.events.list({ ...query, cursor });
    for (const event of events) {
      const isTold = isAttemptBefore(failed, event.entry);
      if (items.length === limit && !isTold) return { items, nextCursor: cursor, ofEveryone, partial };
      cursor = timeCursor(event.entry.at, event.id);
      if (!isTold && (await isVisible(event.entry, mayRead))) items.push(itemOf(event, fleet.keys.mask));
    }
    if (events.length < BATCH_ROWS) return { items, nextCursor: null, ofEveryone, partial };
  }
  return { items, nextCursor: cursor, ofEveryone, partial };
}

function partialOf(signIns: Right, mask: Mask): MaskedPartial[] {
  if (signIns.state !== 'unknown') return [];
  const reason = `It is unknown whether you can see the sign-ins of others. ${signIns.error.message}`;
  return [{ resource: 'signins.shiplog.dev', reason: mask.text(reason) }];
}

/** What failed has two lines: the attempt is told with its failure, which comes first here. */
function isAttemptBefore(failed: Set<string>, entry: EventEntry): boolean {
  if (!('code' in entry)) return false;
  const subject = 'record' in entry ? entry.record : entry.cluster;
  const key = JSON.stringify([subject, entry.event, entry.by?.id, entry.idempotencyKey]);
  if (entry.code === null) return failed.delete(key);
  failed.add(key);
  return false;
}

async function isVisible(entry: EventEntry, mayRead: ReturnType<typeof recordRights>): Promise<boolean> {
  return 'workload' in entry ? mayRead(entry.workload) : true;
}

function clusterChangeText({ event, entry, cluster, address, before }: ClusterEntryChange): string {
  if (event === 'clusterAccepted') {
    const owner = before.entry === null ? '' : `, which belonged to ${before.entry}`;
    const former = before.id === null ? '' : ` It was ${before.id} before.`;
    return `${entry} is the cluster ${cluster}${owner}.${former}`;
  }
  return before.address === null
    ? `${entry} (${cluster}) has another certificate authority.`
    : `${entry} (${cluster}) moved from ${before.address} to ${address ?? ''}.`;
}

function itemOf({ id, entry }: ArchivedEvent, mask: Mask): Item {
  const { at, event, by } = entry;
  const facts = { id, at, event, by: by === null ? null : maskedName(by.name, mask) };
  if ('workload' in entry) {
    const { workload, record, verdict, code } = entry;
    return { ...facts, workload, record, verdict, code, reason: null, address: null };
  }
  const nothing = { workload: null, record: null, verdict: null, code: null };
  if ('cluster' in entry)
    return {
      ...facts,
      ...nothing,
      code: entry.code,
      reason: mask.text(clusterChangeText(entry)),
      address: null,
    };
  const { reason, sender } = entry;
  return {
    ...{ ...facts, ...nothing, address: sender.address },
    reason: reason === null ? null : mask.text(reason),
  };
}
