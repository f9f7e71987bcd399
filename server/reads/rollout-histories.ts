import 'server-only';
import type {
  RolloutHistoryListQuery,
  rolloutHistoryDetailSchema,
  rolloutHistoryItemSchema,
  rolloutHistoryListSchema,
} from '@/lib/api/rollout-histories';
import type { Answer } from '@/lib/api/common';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { RecordSummary } from '@/lib/api/record-summary';
import { isSameRollout } from '@/lib/records/match-controller-record';
import type { ControllerRecordInput, ControllerRecord } from '@/lib/rollout/controller-record';
import type { ControllerRecordKind, RolloutSystem } from '@/lib/rollout/system';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import { resourcePath } from '@/lib/kube/resource';
import { kindOf } from '@/lib/workloads/kinds/table';
import { queryArchive } from '@/server/views/query-archive';
import type { ReadContext } from '@/server/views/context';
import type { Fleet, ViewedCluster } from '@/server/views/fleet';
import { encodeCursor, decodeCursor } from '@/server/reads/cursor';
import { fleetFreshness, freshness } from '@/server/reads/freshness';
import { overClusters, partialOfCluster } from '@/server/views/over-clusters';
import { type MaskedPartial, partialResources } from '@/server/views/partial';
import { assertCan, can } from '@/server/views/rights';
import { workloadFactsOf } from '@/server/views/rollout-view';
import { isServed } from '@/server/reads/rollouts';
import { missingRollout } from '@/server/views/find-rollout';
import { visibleOf } from '@/server/views/visible-objects';
import type { Viewer } from '@/server/shared/viewer';

/** Records of Shiplog in one answer for each record of the system. */
const SUMMARIES_MAX = 200;

type RecordingSystem = RolloutSystem & { records: ControllerRecordKind };
const recordingSystems = rolloutSystems.filter(
  (system): system is RecordingSystem => system.records !== null,
);
const firstRecordingSystem = recordingSystems[0] as RecordingSystem;

/** The records that other systems write, newest first, each with how reliable it is. */
export async function listRolloutHistories(
  fleet: Fleet,
  query: RolloutHistoryListQuery,
): Promise<Answer<typeof rolloutHistoryListSchema>> {
  const { keys } = fleet;
  const after = query.cursor === undefined ? null : decodeCursor(keys, query.cursor);
  const { answers, partial } = await overClusters(fleet, visibleRecords);
  const rows = answers
    .flatMap(({ viewed, value }) => value.visible.map((record) => ({ record, viewed })))
    .filter(
      ({ record }) => query.namespace === undefined || query.namespace.split(',').includes(record.namespace),
    )
    .filter(({ record }) => query.rollout === undefined || nameOfRollout(record) === query.rollout)
    .map((row) => ({ ...row, key: orderKey(row) }))
    .sort((a, b) => (a.key > b.key ? -1 : 1));
  const start = after === null ? 0 : rows.findIndex(({ key }) => key < after);
  const page = start < 0 ? [] : rows.slice(start, start + query.limit);
  const last = page.at(-1);
  const hasMore = start >= 0 && start + page.length < rows.length;
  const { items, partial: withoutArchive } = await itemsOfPage(page);
  return {
    items,
    nextCursor: hasMore && last !== undefined ? encodeCursor(keys, last.key) : null,
    partial: [
      ...partial,
      ...answers.flatMap(({ viewed, value }) => partialOfCluster(fleet, viewed, value.partial)),
      ...withoutArchive,
    ],
    served: fleet.clusters.some(({ context }) =>
      recordingSystems.some(({ records }) => isServed(context.cluster, records.resource.id)),
    ),
    note: rows.length > 0 ? null : emptyNote(fleet),
    ...fleetFreshness(fleet),
  };
}

interface ListedRow {
  record: ControllerRecord;
  viewed: ViewedCluster;
}

/** In the order of the page; what the archive did not answer is the same for every cluster. */
async function itemsOfPage(
  page: readonly ListedRow[],
): Promise<{ items: Answer<typeof rolloutHistoryItemSchema>[]; partial: MaskedPartial[] }> {
  const byCluster = [...Map.groupBy(page, ({ viewed }) => viewed)];
  const answers = await Promise.all(
    byCluster.map(([{ context, viewer }, rows]) =>
      itemsOf(
        context,
        viewer,
        rows.map(({ record }) => record),
      ),
    ),
  );
  const itemByRow = new Map(
    byCluster.flatMap(([, rows], cluster) =>
      rows.map((row, index) => [row, answers[cluster]?.items[index]] as const),
    ),
  );
  return { items: page.flatMap((row) => itemByRow.get(row) ?? []), partial: answers[0]?.partial ?? [] };
}

/**
 * One such record, with its template. Read from the API server as the viewer: the cache stores none of their templates.
 */
export async function readRolloutHistory(
  context: ReadContext,
  viewer: Viewer,
  { namespace, name }: { namespace: string; name: string },
): Promise<Answer<typeof rolloutHistoryDetailSchema>> {
  const { cluster, keys } = context;
  for (const { records } of recordingSystems)
    await assertCan(cluster, viewer, 'get', records.resource, namespace, { name });
  const keeper =
    recordingSystems.find(({ records }) => cluster.rollouts.record(records.resource.id, namespace, name)) ??
    firstRecordingSystem;
  const { resource } = keeper.records;
  const record = cluster.rollouts.record(resource.id, namespace, name);
  const { items, partial } = await itemsOf(context, viewer, record === undefined ? [] : [record]);
  const [history] = items;
  if (record === undefined || history === undefined) throw missingRollout(cluster, resource, namespace, name);
  const template = await templateOf(context, viewer, keeper, record, history);
  return {
    history,
    template: template === null ? null : await keys.mask.template(template),
    partial: [...partial, ...partialResources(context, (id) => id === resource.id, namespace)],
    ...freshness(context),
  };
}

async function templateOf(
  { cluster }: ReadContext,
  viewer: Viewer,
  { records }: RecordingSystem,
  { namespace, name, content }: ControllerRecord,
  { workload }: Answer<typeof rolloutHistoryItemSchema>,
): Promise<JsonObject | null> {
  if (content?.templateId == null) return null;
  const resource = workload?.value.resource ?? null;
  const source = resource === null ? undefined : kindOf(resource)?.source.resource;
  if (source !== undefined && !(await can(cluster, viewer, 'get', source, namespace))) return null;
  const version = records.resource.versions[0] ?? 'v1';
  const object = await cluster.transportFor(viewer).json({
    method: 'GET',
    path: resourcePath(records.resource, version, namespace, name),
  });
  return records.templateOf(object as unknown as KubeObject) ?? null;
}

async function visibleRecords({
  context,
  viewer,
}: ViewedCluster): Promise<{ visible: ControllerRecord[]; partial: MaskedPartial[] }> {
  const resources = recordingSystems.map(({ records }) => records.resource);
  const { visible, partial } = await visibleOf(
    context,
    viewer,
    resources,
    context.cluster.rollouts.records(),
  );
  const asked = new Set(resources.map(({ id }) => id));
  return { visible, partial: [...partial, ...partialResources(context, (id) => asked.has(id))] };
}

interface Row {
  record: ControllerRecord;
  keeper: RecordingSystem;
  rollout: ControllerRecordInput['rollout'];
  target: Answer<typeof rolloutHistoryItemSchema>['workload'];
  facts: RolloutFacts | null;
  mayTemplates: boolean;
}

async function itemsOf(
  context: ReadContext,
  viewer: Viewer,
  records: readonly ControllerRecord[],
): Promise<{ items: Answer<typeof rolloutHistoryItemSchema>[]; partial: MaskedPartial[] }> {
  const rows: Row[] = [];
  for (const record of records) {
    const keeper = recordingSystems.find((entry) => entry.records.resource.id === record.resource);
    if (keeper !== undefined) rows.push(await rowOf(context, viewer, keeper, record));
  }
  const cluster = context.cluster.identity.id;
  const uids = [...new Set(rows.flatMap(({ facts }) => (facts === null ? [] : [facts.workload.uid])))];
  const { answer: summaries, partial } = await queryArchive(
    context,
    new Map<string, readonly RecordSummary[]>(),
    async (archive) =>
      new Map(
        await Promise.all(
          uids.map(
            async (uid) => [uid, await archive.rollouts.summaries({ cluster, uid }, SUMMARIES_MAX)] as const,
          ),
        ),
      ),
  );
  const items = rows.map((row) => itemOf(context, row, summaries.get(row.facts?.workload.uid ?? '') ?? []));
  return { items, partial };
}

async function rowOf(
  context: ReadContext,
  viewer: Viewer,
  keeper: RecordingSystem,
  record: ControllerRecord,
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
  // A right to the record is no right to its workload.
  const mayWorkload =
    kind !== undefined &&
    found !== null &&
    (await can(cluster, viewer, 'get', kind.resource, record.namespace, { name: found.target.name }));
  const mayTemplates =
    mayWorkload && (await can(cluster, viewer, 'get', kind.source.resource, record.namespace));
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
    facts: workload === undefined ? null : workloadFactsOf(views, workload),
    mayTemplates,
  };
}

function itemOf(
  { cluster, keys }: ReadContext,
  row: Row,
  summaries: readonly RecordSummary[],
): Answer<typeof rolloutHistoryItemSchema> {
  const { record, keeper, rollout, target, facts, mayTemplates } = row;
  const name = nameOfRollout(record);
  const siblings = cluster.rollouts.recordsOf(record.resource, record.namespace, record.rollout ?? '');
  const explanation = keeper.records.explain({ record, siblings, rollout, facts });
  const revision = mayTemplates ? explanation.revision : null;
  const { content } = record;
  return {
    cluster: cluster.identity.id,
    resource: record.resource,
    namespace: record.namespace,
    name: record.name,
    uid: record.uid,
    state: explanation.state,
    phase: record.phase,
    message: keys.mask.text(explanation.message),
    findings: explanation.findings.map(({ code, text }) => ({ code, text: keys.mask.text(text) })),
    createdAt: record.createdAt,
    completedAt:
      explanation.state === 'completed' && record.completedAt !== null
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
    rolloutId: rolloutIdOf(record),
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
    images: mayTemplates || facts === null ? keys.mask.images(content?.images ?? []) : [],
    service: content?.service ?? null,
    ingress: content?.ingress ?? null,
    httpRoute: content?.httpRoute ?? null,
    steps: record.steps,
    record: ownRecordOf(record, summaries),
    records: recordsOf(record, revision?.revision.id ?? null, summaries),
  };
}

/** Null too where several may be meant. */
function ownRecordOf(
  record: ControllerRecord,
  summaries: readonly RecordSummary[],
): Answer<typeof rolloutHistoryItemSchema>['record'] {
  const found = summaries.filter((summary) => isSameRollout(summary, record));
  const [only] = found;
  return only === undefined || found.length > 1 ? null : { id: only.id };
}

/** Those of the same revision; nothing proves what they share beyond that. */
function recordsOf(
  { ownRecord }: ControllerRecord,
  revisionId: string | null,
  summaries: readonly RecordSummary[],
): Answer<typeof rolloutHistoryItemSchema>['records'] {
  return summaries
    .filter(({ id, to }) =>
      ownRecord === null ? revisionId !== null && to.id === revisionId : id === ownRecord,
    )
    .toReversed()
    .map(({ id, outcome, startedAt, endedAt }) => ({ id, outcome, startedAt, endedAt }));
}

function rolloutIdOf({
  rolloutId,
  content,
  ownRecord,
}: ControllerRecord): Answer<typeof rolloutHistoryItemSchema>['rolloutId'] {
  if (rolloutId !== null) return { value: rolloutId, source: 'labels' };
  const value = content?.rolloutId ?? '';
  return value === '' || ownRecord !== null ? null : { value, source: 'rolloutHistory' };
}

function nameOfRollout({ rollout, content }: ControllerRecord): string | null {
  return rollout ?? content?.rollout ?? null;
}

function knowsRollouts({ cluster }: ReadContext, { resource }: RecordingSystem): boolean {
  const state = cluster.cache.states().find((entry) => entry.resource === resource.id);
  // Where the definition does not exist, no Rollout does either.
  return state === undefined
    ? cluster.connection.state === 'connected'
    : state.synced && state.problem === null;
}

function emptyNote({ clusters }: Fleet): string {
  const [served] = recordingSystems.filter(({ records }) =>
    clusters.some(({ context }) => isServed(context.cluster, records.resource.id)),
  );
  if (served !== undefined) return served.records.emptyNote;
  const names = recordingSystems.map(({ records }) => records.resource.id).join(', ');
  const where = clusters.length === 1 ? 'This cluster does not serve' : 'None of the clusters serves';
  return `${where} ${names}: OpenKruise Rollouts is not installed.`;
}

function orderKey({ record: { createdAt, namespace, name }, viewed }: ListedRow): string {
  return `${createdAt}\0${namespace}\0${name}\0${viewed.entry.name}`;
}
