import 'server-only';
import type { SharedContext } from '@/server/views/context';
import type { ViewedCluster, Fleet, RecordPlace } from '@/server/views/fleet';
import { ownersItem } from '@/server/reads/owners-item';
import type { Answer } from '@/lib/api/common';
import type { diffSchema } from '@/lib/api/diff';
import { type RecordListQuery, type recordListSchema, recordSchema } from '@/lib/api/records';
import { namedMembers } from '@/lib/api/named-members';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import { type Outcome, outcomes } from '@/lib/api/record-values';
import type { RevisionRef } from '@/lib/api/incarnation';
import type { RolloutRecord } from '@/lib/api/record';
import { buildRolloutHistory } from '@/lib/view/kruise-rollout-history';
import type { RevisionRepository } from '@/server/archive/revisions';
import type { RecordQuery } from '@/server/archive/record-query';
import { diffAnswer } from '@/server/views/diff-answer';
import { relatedChangesOfRecord } from '@/server/views/related-changes';
import { shownRecord } from '@/server/views/record-parts';
import { canReadTemplates, requireArchive, requireRecord } from '@/server/views/archive-access';
import { refusalsFor } from '@/server/views/record-additions';
import { recordDetails, recordItems, recordItemWith } from '@/server/views/record-item';
import { historiesOf } from '@/server/reads/rollout-records';
import { ownIdentities } from '@/server/reads/own-identities';
import { parseMoment } from '@/server/reads/time-query';
import { type RecordScope, visibleRecords } from '@/server/views/visible-records';
import type { PersonFacts } from '@/server/shared/viewer';

/** Records newest first, those of workloads that the viewer can see. */
export async function listRecords(
  fleet: Fleet,
  query: RecordListQuery,
): Promise<Answer<typeof recordListSchema>> {
  const archive = requireArchive(fleet);
  const nowMs = fleet.now();
  const sinceMs = query.since === undefined ? undefined : parseMoment('since', query.since, nowMs);
  const { scope, partial } = await visibleRecords(fleet, sinceMs);
  const { items, nextCursor } = await archive.rollouts.search({
    ...buildRecordQuery(query, scope, nowMs),
    mentions: query.mentions === undefined ? null : (ownIdentities(fleet) ?? []).map(({ id }) => id),
    limit: query.limit,
    cursor: query.cursor ?? null,
  });
  return { items: await recordItems(fleet, items), nextCursor, partial };
}

/** One complete record. Needs the cluster only to check whether the viewer can see it. */
export async function readRecord(fleet: Fleet, id: string): Promise<Answer<typeof recordSchema>> {
  const archive = requireArchive(fleet);
  const { listed, place, viewer } = await requireRecord(fleet, id);
  const { workload, activation } = listed.record;
  const [item, shown, changes, refusals, neighbours, rolloutHistories, owners] = await Promise.all([
    recordItemWith(fleet, listed),
    shownRecord(fleet, listed),
    diffOf(fleet, archive.revisions, place, viewer, listed.record),
    refusalsFor(fleet)(workload),
    archive.rollouts.adjacent(workload, activation),
    // The record is available without a cluster too.
    place.state === 'connected' ? historiesOf(place.viewed, listed.record).catch(() => []) : [],
    place.state === 'connected' ? ownersOfRecord(place.viewed, listed.record) : [],
  ]);
  await fleet.keys.mask.prepare(shown.record.workload.labels);
  return namedMembers(recordSchema, {
    ...shown.record,
    ...item,
    ...recordDetails(shown.record, fleet.keys),
    neighbours,
    rolloutHistories,
    owners,
    refusals,
    ...changes,
  });
}

async function ownersOfRecord(
  { context, viewer }: ViewedCluster,
  { workload: { resource, namespace, name, uid } }: RolloutRecord,
): Promise<Answer<typeof recordSchema>['owners']> {
  const workload = context.cluster.cache.workload(resource, namespace, name);
  return workload?.uid === uid ? ownersItem(context, viewer, workload) : [];
}

/** The same in the shape of OpenKruise's RolloutHistory. */
export async function readRecordAsRolloutHistory(fleet: Fleet, id: string): Promise<JsonObject> {
  const [answer, { listed, place }] = await Promise.all([readRecord(fleet, id), requireRecord(fleet, id)]);
  const { workload, to } = listed.record;
  const mayRead = await canReadTemplates(place, workload);
  const body = mayRead ? await requireArchive(fleet).revisions.body(to.hash) : null;
  return buildRolloutHistory(answer, body === null ? null : await fleet.keys.mask.template(body));
}

/** The query of the archive for a query of the API, among the records that the viewer can see. */
export function buildRecordQuery(
  query: Omit<RecordListQuery, 'limit' | 'cluster' | 'stage'>,
  scope: RecordScope,
  nowMs: number,
): Omit<RecordQuery, 'limit' | 'cursor'> {
  return {
    ...scope,
    words: (query.q ?? '').toLowerCase().split(/\s+/).filter(Boolean),
    namespaces: commaList(query.namespace),
    resources: commaList(query.resource),
    name: query.name ?? null,
    uids: query.uid === undefined ? null : [query.uid],
    outcomes: parseOutcomes(query.outcome),
    actor: query.actor ?? null,
    image: query.image ?? null,
    sinceMs: query.since === undefined ? null : parseMoment('since', query.since, nowMs),
    untilMs: query.until === undefined ? null : parseMoment('until', query.until, nowMs),
    reviewed: query.reviewed === undefined ? null : query.reviewed === '1' || query.reviewed === 'true',
  };
}

async function diffOf(
  context: SharedContext,
  revisions: RevisionRepository,
  place: RecordPlace,
  viewer: PersonFacts,
  record: RolloutRecord,
): Promise<Pick<Answer<typeof recordSchema>, 'diff' | 'diffNote'>> {
  const { from, to, workload } = record;
  const withoutDiff = (note: string) => ({ diff: null, diffNote: context.keys.mask.text(note) });
  if (from === null) return withoutDiff('This is the first rollout of the workload.');
  if (!(await canReadTemplates(place, workload))) {
    return withoutDiff(
      `${viewer.name} is not allowed to read the revisions of ${workload.name}, so the templates are not shown.`,
    );
  }
  const [before, after] = await Promise.all([revisions.body(from.hash), revisions.body(to.hash)]);
  if (before === null || after === null) {
    return withoutDiff('The templates have expired from the archive; the summary of the changes is kept.');
  }
  const templateDiff = await context.keys.mask.diff(before, after);
  const diff = diffAnswer(templateDiff, await relatedChangesOfRecord(context, record, templateDiff));
  return {
    diff: { ...diff, from: sideOf(from, 'before'), to: sideOf(to, 'after'), yaml: null },
    diffNote: null,
  };
}

function sideOf({ number, id }: RevisionRef, place: 'before' | 'after'): Answer<typeof diffSchema>['from'] {
  const label = number === null ? place : String(number);
  return { label, ref: id ?? label, revisionId: id, number };
}

export function commaList(text: string | undefined): string[] | null {
  const parts = [...new Set(text?.split(',').filter(Boolean))];
  return parts.length === 0 ? null : parts;
}

function parseOutcomes(text: string | undefined): (Outcome | 'open')[] | null {
  const known: readonly string[] = [...outcomes, 'open'];
  const parts = commaList(text);
  const wrong = parts?.find((part) => !known.includes(part));
  if (wrong === undefined) return parts as (Outcome | 'open')[] | null;
  throw new AppError('bad_request', `outcome: ${wrong} is not one of ${known.join(', ')}.`, {
    field: 'outcome',
  });
}
