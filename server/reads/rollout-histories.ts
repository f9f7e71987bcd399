import 'server-only';
import {
  type RolloutHistoryDetail,
  type RolloutHistoryItem,
  type RolloutHistoryList,
  type RolloutHistoryListQuery,
} from '@/lib/api/rollouts';
import { type Partial } from '@/lib/api/common';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type RecordMark } from '@/lib/ledger/mark';
import { isSameRelease } from '@/lib/ledger/release-match';
import { type RecordInput } from '@/lib/rollout/record-picture';
import { type ReleaseRecord } from '@/lib/rollout/release-record';
import { type RecordKind, type RolloutSystem, type WorkloadFacts } from '@/lib/rollout/system';
import { rolloutSystems } from '@/lib/rollout/systems';
import { resourcePath } from '@/lib/workloads/resource';
import { kindOf } from '@/lib/workloads/table';
import { archivePart } from '@/server/reads/archive-part';
import { type ReadContext } from '@/server/reads/context';
import { makeCursor, openCursor } from '@/server/reads/cursor';
import { freshness } from '@/server/reads/freshness';
import { missingParts } from '@/server/reads/partial';
import { assertCan, may } from '@/server/reads/rights';
import { factsOf } from '@/server/reads/rollout-view';
import { isServed, missingRollout } from '@/server/reads/rollouts';
import { visibleOf } from '@/server/reads/visible';
import { inTurns } from '@/server/in-turns';
import { maskInPieces } from '@/server/mask';
import { type Viewer } from '@/server/viewer';

/** Records of ours that one answer names for each of the system's. */
const MARKS_MAX = 200;

type Keeper = RolloutSystem & { records: RecordKind };
const keepers = rolloutSystems.filter((system): system is Keeper => system.records !== null);
const firstKeeper = keepers[0] as Keeper;

/** The records that systems keep by themselves, newest first, each with what it is worth. */
export async function listRolloutHistories(
  context: ReadContext,
  viewer: Viewer,
  query: RolloutHistoryListQuery,
): Promise<RolloutHistoryList> {
  const { cluster, keys } = context;
  const after = query.cursor === undefined ? null : openCursor(keys, query.cursor);
  const { visible, partial } = await visibleRecords(context, viewer);
  const rows = visible
    .filter(
      ({ namespace }) => query.namespace === undefined || query.namespace.split(',').includes(namespace),
    )
    .filter((record) => query.rollout === undefined || nameOfRollout(record) === query.rollout)
    .map((record) => ({ record, key: orderKey(record) }))
    .sort((a, b) => (a.key > b.key ? -1 : 1));
  const start = after === null ? 0 : rows.findIndex(({ key }) => key < after);
  const page = start < 0 ? [] : rows.slice(start, start + query.limit);
  const last = page.at(-1);
  const hasMore = start >= 0 && start + page.length < rows.length;
  const { items, partial: withoutArchive } = await itemsOf(
    context,
    viewer,
    page.map(({ record }) => record),
  );
  return {
    items,
    nextCursor: hasMore && last !== undefined ? makeCursor(keys, last.key) : null,
    partial: [...partial, ...withoutArchive],
    served: keepers.some(({ records }) => isServed(cluster, records.resource.id)),
    note: rows.length > 0 ? null : emptyNote(context),
    ...freshness(context),
  };
}

/** One such record, with the template that it holds. Read anew as the viewer: the cache keeps no templates of theirs. */
export async function readRolloutHistory(
  context: ReadContext,
  viewer: Viewer,
  { namespace, name }: { namespace: string; name: string },
): Promise<RolloutHistoryDetail> {
  const { cluster, keys } = context;
  for (const { records } of keepers)
    await assertCan(cluster, viewer, 'get', records.resource, namespace, { name });
  const keeper =
    keepers.find(({ records }) => cluster.rollouts.record(records.resource.id, namespace, name)) ??
    firstKeeper;
  const { resource } = keeper.records;
  const record = cluster.rollouts.record(resource.id, namespace, name);
  const { items, partial } = await itemsOf(context, viewer, record === undefined ? [] : [record]);
  const [history] = items;
  if (record === undefined || history === undefined) throw missingRollout(cluster, resource, namespace, name);
  const template = await templateOf(context, viewer, keeper, record, history);
  return {
    history,
    template: template === null ? null : await inTurns(maskInPieces(template, keys)),
    partial: [...partial, ...missingParts(cluster, (id) => id === resource.id, namespace)],
    ...freshness(context),
  };
}

async function templateOf(
  { cluster }: ReadContext,
  viewer: Viewer,
  { records }: Keeper,
  { namespace, name, content }: ReleaseRecord,
  { workload }: RolloutHistoryItem,
): Promise<JsonObject | null> {
  if (content?.templateId == null) return null;
  const resource = workload?.value.resource ?? null;
  const source = resource === null ? undefined : kindOf(resource)?.source.resource;
  if (source !== undefined && !(await may(cluster, viewer, 'get', source, namespace))) return null;
  const version = records.resource.versions[0] ?? 'v1';
  const object = await cluster.transport.json({
    method: 'GET',
    path: resourcePath(records.resource, version, namespace, name),
    ...(viewer.impersonate === undefined ? {} : { impersonate: viewer.impersonate }),
  });
  return records.templateOf(object as unknown as KubeObject) ?? null;
}

async function visibleRecords(
  { cluster }: ReadContext,
  viewer: Viewer,
): Promise<{ visible: ReleaseRecord[]; partial: Partial[] }> {
  const resources = keepers.map(({ records }) => records.resource);
  const { visible, partial } = await visibleOf(cluster, viewer, resources, cluster.rollouts.records());
  const asked = new Set(resources.map(({ id }) => id));
  return { visible, partial: [...partial, ...missingParts(cluster, (id) => asked.has(id))] };
}

interface Row {
  record: ReleaseRecord;
  keeper: Keeper;
  rollout: RecordInput['rollout'];
  target: RolloutHistoryItem['workload'];
  facts: WorkloadFacts | null;
  mayTemplates: boolean;
}

async function itemsOf(
  context: ReadContext,
  viewer: Viewer,
  records: readonly ReleaseRecord[],
): Promise<{ items: RolloutHistoryItem[]; partial: Partial[] }> {
  const rows: Row[] = [];
  for (const record of records) {
    const keeper = keepers.find((entry) => entry.records.resource.id === record.resource);
    if (keeper !== undefined) rows.push(await rowOf(context, viewer, keeper, record));
  }
  const uids = [...new Set(rows.flatMap(({ facts }) => (facts === null ? [] : [facts.workload.uid])))];
  const { answer: marks, partial } = await archivePart(
    context,
    new Map<string, readonly RecordMark[]>(),
    async (archive) =>
      new Map(
        await Promise.all(uids.map(async (uid) => [uid, await archive.marks(uid, MARKS_MAX)] as const)),
      ),
  );
  const items = rows.map((row) => itemOf(context, row, marks.get(row.facts?.workload.uid ?? '') ?? []));
  return { items, partial };
}

async function rowOf(
  context: ReadContext,
  viewer: Viewer,
  keeper: Keeper,
  record: ReleaseRecord,
): Promise<Row> {
  const { cluster, views } = context;
  const name = nameOfRollout(record);
  const object =
    name === null ? undefined : cluster.rollouts.rollout(keeper.resource.id, record.namespace, name);
  const rollout: Row['rollout'] =
    object === undefined
      ? { state: knowsRollouts(context, keeper) ? 'missing' : 'unknown' }
      : { state: 'found', object };
  const found = keeper.records.targetOf(record, object ?? null);
  const resource = found?.target.resource ?? null;
  const kind = resource === null ? undefined : kindOf(resource);
  // Whoever may read a record need not be allowed to read its workload.
  const mayWorkload =
    kind !== undefined &&
    found !== null &&
    (await may(cluster, viewer, 'get', kind.resource, record.namespace, { name: found.target.name }));
  const mayTemplates =
    mayWorkload && (await may(cluster, viewer, 'get', kind.source.resource, record.namespace));
  const workload =
    mayWorkload && resource !== null
      ? cluster.cache.workload(resource, record.namespace, found.target.name)
      : undefined;
  return {
    record,
    keeper,
    rollout,
    target:
      found === null ? null : { value: found.target, source: found.source, exists: workload !== undefined },
    facts: workload === undefined ? null : factsOf(views, workload),
    mayTemplates,
  };
}

function itemOf({ cluster }: ReadContext, row: Row, marks: readonly RecordMark[]): RolloutHistoryItem {
  const { record, keeper, rollout, target, facts, mayTemplates } = row;
  const name = nameOfRollout(record);
  const siblings = cluster.rollouts.recordsOf(record.resource, record.namespace, record.rollout ?? '');
  const picture = keeper.records.explain({ record, siblings, rollout, facts });
  const revision = mayTemplates ? picture.revision : null;
  const { content } = record;
  return {
    cluster: cluster.identity.id,
    resource: record.resource,
    namespace: record.namespace,
    name: record.name,
    uid: record.uid,
    state: picture.state,
    phase: record.phase,
    message: picture.message,
    findings: [...picture.findings],
    createdAt: record.createdAt,
    completedAt:
      picture.state === 'completed' && record.completedAt !== null
        ? { value: record.completedAt, source: 'managedFields' }
        : null,
    rollout:
      name === null || record.ownRecord !== null
        ? null
        : {
            value: name,
            source: record.rollout === null ? 'rolloutHistory' : 'labels',
            resource: keeper.resource.id,
            exists: rollout.state === 'found',
          },
    releaseId: releaseIdOf(record),
    workload: target,
    revision:
      revision === null
        ? null
        : {
            value: {
              id: revision.revision.id,
              number: revision.revision.number,
              name: revision.revision.name,
            },
            source: revision.source,
          },
    images: mayTemplates || facts === null ? [...(content?.images ?? [])] : [],
    service: content?.service ?? null,
    ingress: content?.ingress ?? null,
    httpRoute: content?.httpRoute ?? null,
    steps: record.steps.map(({ index, podCount, pods }) => ({ index, podCount, pods: [...pods] })),
    record: ownRecordOf(record, marks),
    records: recordsOf(record, revision?.revision.id ?? null, marks),
  };
}

/** Null too where several may be meant. */
function ownRecordOf(record: ReleaseRecord, marks: readonly RecordMark[]): RolloutHistoryItem['record'] {
  const found = marks.filter((mark) => isSameRelease(mark, record));
  const [only] = found;
  return only === undefined || found.length > 1 ? null : { id: only.id };
}

/** Those of the same revision; what they share beyond that nobody can prove. */
function recordsOf(
  { ownRecord }: ReleaseRecord,
  revisionId: string | null,
  marks: readonly RecordMark[],
): RolloutHistoryItem['records'] {
  return marks
    .filter(({ id, to }) =>
      ownRecord === null ? revisionId !== null && to.id === revisionId : id === ownRecord,
    )
    .toReversed()
    .map(({ id, outcome, startedAt, endedAt }) => ({ id, outcome, startedAt, endedAt }));
}

function releaseIdOf({ releaseId, content, ownRecord }: ReleaseRecord): RolloutHistoryItem['releaseId'] {
  if (releaseId !== null) return { value: releaseId, source: 'labels' };
  const value = content?.releaseId ?? '';
  return value === '' || ownRecord !== null ? null : { value, source: 'rolloutHistory' };
}

function nameOfRollout({ rollout, content }: ReleaseRecord): string | null {
  return rollout ?? content?.rollout ?? null;
}

function knowsRollouts({ cluster }: ReadContext, { resource }: Keeper): boolean {
  const state = cluster.cache.states().find((entry) => entry.resource === resource.id);
  // Where the definition is not there, no Rollout is either.
  return state === undefined
    ? cluster.connection.state === 'connected'
    : state.synced && state.problem === null;
}

function emptyNote({ cluster }: ReadContext): string {
  const [served] = keepers.filter(({ records }) => isServed(cluster, records.resource.id));
  if (served !== undefined) return served.records.emptyNote;
  const names = keepers.map(({ records }) => records.resource.id).join(', ');
  return `The cluster does not know ${names}: no system that keeps such records is installed.`;
}

function orderKey({ createdAt, namespace, name }: ReleaseRecord): string {
  return `${createdAt}\0${namespace}\0${name}`;
}
