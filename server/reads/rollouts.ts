import 'server-only';
import { nameKey } from '@/lib/kube/name-key';
import { type Answer } from '@/lib/api/common';
import {
  type RolloutListQuery,
  type rolloutDetailSchema,
  type rolloutItemSchema,
  type rolloutListSchema,
} from '@/lib/api/rollouts';
import { AppError } from '@/lib/errors';
import { type RolloutState, rolloutStates } from '@/lib/api/rollout-values';
import { type RolloutSystem } from '@/lib/rollout/system';
import { type RolloutObject } from '@/lib/rollout/rollout-facts';
import { rolloutSystems, systemOf } from '@/lib/rollout/systems/table';
import { type ResourceType } from '@/lib/kube/resource';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { kindOf } from '@/lib/workloads/kinds/table';
import { type Cluster } from '@/server/cluster/cluster';
import { type Fleet, type ReadContext, type ViewedCluster } from '@/server/reads/context';
import { encodeCursor, decodeCursor } from '@/server/reads/cursor';
import { type WorkloadName } from '@/server/reads/find-workload';
import { fleetFreshness, freshness } from '@/server/reads/freshness';
import { generatorOf } from '@/server/reads/generator';
import { overClusters, partialOfCluster } from '@/server/reads/over-clusters';
import { type MaskedPartial, partialResources } from '@/server/reads/partial';
import { assertCan, can } from '@/server/reads/rights';
import { withRecordedSteps } from '@/server/reads/recorded-steps';
import { recordOfRollout } from '@/server/reads/rollout-records';
import { rolloutItem, type RolloutRights } from '@/server/reads/rollout-item';
import { withRoutedTraffic } from '@/server/reads/routed-traffic';
import { rolloutRefusals } from '@/server/reads/rollout-refusals';
import { deriveRolloutView, type RolloutView } from '@/server/reads/rollout-view';
import { visibleOf } from '@/server/reads/visible-objects';
import { type Viewer } from '@/server/shared/viewer';
import { commaSet } from '@/server/reads/list-query';

/** Pods of one rollout in a list, and on its own page. */
const LIST_PODS_MAX = 200;
const DETAIL_PODS_MAX = 5_000;

const pods = { group: '', plural: 'pods' };

/** The rollouts that the viewer can see, of every system, in a stable order, paged. */
export async function listRollouts(
  fleet: Fleet,
  query: RolloutListQuery,
): Promise<Answer<typeof rolloutListSchema>> {
  const states = parseStates(query.state);
  const after = query.cursor === undefined ? null : decodeCursor(fleet.keys, query.cursor);
  const { answers, partial: away } = await overClusters(fleet, (viewed) => rowsOf(viewed, query));
  const views = answers.flatMap(({ value }) => value.rows);
  const rows = views.filter(({ view }) => states?.has(view.rollout.state) ?? true).sort(compareRows);
  const start = after === null ? 0 : rows.findIndex((row) => orderKey(row) > after);
  const page = start < 0 ? [] : rows.slice(start, start + query.limit);
  const last = page.at(-1);
  const hasMore = start >= 0 && start + page.length < rows.length;
  const partial = answers.flatMap(({ viewed, value }) => partialOfCluster(fleet, viewed, value.partial));
  const items: Answer<typeof rolloutItemSchema>[] = [];
  for (const { view, viewed } of page) {
    const { context, viewer } = viewed;
    const rights = await rightsOf(context, viewer, view, { byName: false });
    items.push(await rolloutItem(context, view, rights, LIST_PODS_MAX));
    partial.push(...partialOfCluster(fleet, viewed, missingRights(context, view, rights, viewer)));
  }
  return {
    items,
    nextCursor: hasMore && last !== undefined ? encodeCursor(fleet.keys, orderKey(last)) : null,
    partial: distinct([...away, ...partial]),
    counts: { total: views.length, byState: countStates(views.map(({ view }) => view)) },
    served: fleet.clusters.some(({ context }) =>
      rolloutSystems.some(({ resource }) => isServed(context.cluster, resource.id)),
    ),
    ...fleetFreshness(fleet),
  };
}

interface Row {
  view: RolloutView;
  viewed: ViewedCluster;
}

/** What one cluster contributes, whatever the state of its rollouts. */
async function rowsOf(
  viewed: ViewedCluster,
  query: RolloutListQuery,
): Promise<{ rows: Row[]; partial: MaskedPartial[] }> {
  const { context, viewer } = viewed;
  const { visible, partial } = await visibleRollouts(context, viewer);
  const keys = commaSet(query.keys);
  const namespaces = commaSet(query.namespace);
  const rows = visible
    .filter((object) => namespaces?.has(object.namespace) ?? true)
    .filter((object) => keys?.has(nameKey(object)) ?? true)
    .filter(({ resource }) => query.system === undefined || systemOf(resource)?.id === query.system)
    .map((object) => ({ view: viewOf(context, object), viewed }));
  return { rows, partial };
}

/** One rollout, if the viewer can see it: 403 without the right, 404 when it does not exist. */
export async function readRollout(
  context: ReadContext,
  viewer: Viewer,
  ref: WorkloadName,
): Promise<Answer<typeof rolloutDetailSchema>> {
  const found = await findRollout(context, viewer, ref);
  const steppedWorkload = found.input.workload.state === 'found' ? found.input.workload.facts.workload : null;
  const [view, rights, record, generator] = await Promise.all([
    withRoutedTraffic(context, viewer, found),
    rightsOf(context, viewer, found, { byName: true }),
    recordOfRollout(context, viewer, found.input.object),
    steppedWorkload === null ? undefined : generatorOf(context, viewer, steppedWorkload),
  ]);
  const recordedView = await withRecordedSteps(context, view, record);
  return {
    rollout: await rolloutItem(context, recordedView, rights, DETAIL_PODS_MAX),
    record,
    ...(generator && { generator }),
    partial: distinct([
      ...missingRights(context, view, rights, viewer),
      ...partialResources(context, (resource) => resourcesOf(view).has(resource), ref.namespace),
    ]),
    ...freshness(context),
  };
}

export async function findRollout(
  context: ReadContext,
  viewer: Viewer,
  { resource, namespace, name }: WorkloadName,
): Promise<RolloutView> {
  const system = requireSystem(resource);
  const { cluster } = context;
  await assertCan(cluster, viewer, 'get', system.resource, namespace, { name });
  const object = cluster.rollouts.rollout(resource, namespace, name);
  if (object !== undefined) return viewOf(context, object);
  throw missingRollout(cluster, system.resource, namespace, name);
}

/** The system of a resource id; 404 with the known ones otherwise. */
export function requireSystem(resource: string): RolloutSystem {
  const system = systemOf(resource);
  if (system !== undefined) return system;
  const known = rolloutSystems.map((entry) => entry.resource.id).join(', ');
  throw new AppError(
    'not_found',
    `${resource} is not a rollout resource that Shiplog knows. Supported: ${known}.`,
  );
}

/** Why there is no such object, or why that is unknown. */
export function missingRollout(
  { cache, connection }: Cluster,
  type: RolloutSystem['resource'],
  namespace: string,
  name: string,
): AppError {
  const state = cache.states(namespace).find(({ resource }) => resource === type.id);
  const ref = { resource: type.id, namespace, name };
  if (state === undefined) {
    const message =
      connection.state === 'connected'
        ? `This cluster does not serve ${type.plural}.${type.group}: its CustomResourceDefinition is not installed.`
        : `Shiplog has not loaded ${type.plural} yet. Shiplog retries automatically.`;
    return new AppError(connection.state === 'connected' ? 'not_found' : 'cluster_unreachable', message, ref);
  }
  const why = state.problem ?? state.behind?.reason ?? null;
  if (state.problem !== null)
    return new AppError('forbidden', `Shiplog cannot read ${type.kind} ${name}: ${state.problem}`, ref);
  if (!state.synced || why !== null)
    return new AppError(
      'cluster_unreachable',
      `Shiplog has not loaded ${type.plural} yet: ${why ?? 'the first request is still running.'} Shiplog retries automatically.`,
      ref,
    );
  return new AppError(
    'not_found',
    `${type.kind} ${namespace}/${name} not found. It may have been deleted.`,
    ref,
  );
}

/** The rollout that drives a workload, if the viewer can see it. */
export async function rolloutOf(
  { cluster }: ReadContext,
  viewer: Viewer,
  workload: WorkloadName,
): Promise<WorkloadName | null> {
  const { rollouts } = cluster;
  for (const { resource, namespace, name } of [
    ...rollouts.rolloutsOf(workload),
    ...rollouts.rolloutsInvolving(workload),
  ]) {
    const type = systemOf(resource)?.resource;
    if (type !== undefined && (await can(cluster, viewer, 'get', type, namespace, { name })))
      return { resource, namespace, name };
  }
  return null;
}

export function isServed({ cache }: Cluster, resource: string): boolean {
  return cache.states().some((state) => state.resource === resource);
}

/** What the viewer can see of its workload; a workload of a kind that Shiplog does not know has no templates. */
async function rightsOf(
  context: ReadContext,
  viewer: Viewer,
  view: RolloutView,
  options: { byName: boolean },
): Promise<RolloutRights> {
  const { cluster } = context;
  const { namespace } = view.rollout;
  const sources = sourcesOf(view);
  const [mayTemplates, mayPods, refusals] = await Promise.all([
    sources.length > 0 &&
      Promise.all(sources.map((source) => can(cluster, viewer, 'get', source, namespace))).then((answers) =>
        answers.every(Boolean),
      ),
    can(cluster, viewer, 'list', pods, namespace),
    rolloutRefusals(context, viewer, view, options),
  ]);
  return { mayTemplates, mayPods, refusals };
}

/** The objects that carry its revisions. */
export function sourcesOf({
  rollout: { workload, comparison },
}: Pick<RolloutView, 'rollout'>): ResourceType[] {
  const own = workload.resource === null ? undefined : kindOf(workload.resource)?.source.resource;
  if (own === undefined) return [];
  return comparison == null || own.id === controllerRevisions.resource.id
    ? [own]
    : [own, controllerRevisions.resource];
}

function viewOf({ cluster, views, rollouts, now }: ReadContext, object: RolloutObject): RolloutView {
  return rollouts?.view(object) ?? deriveRolloutView(cluster, views, object, now());
}

async function visibleRollouts(
  context: ReadContext,
  viewer: Viewer,
): Promise<{ visible: RolloutObject[]; partial: MaskedPartial[] }> {
  const resources = rolloutSystems.map(({ resource }) => resource);
  const { visible, partial } = await visibleOf(
    context,
    viewer,
    resources,
    context.cluster.rollouts.rollouts(),
  );
  const resourceIds = new Set(rolloutSystems.flatMap(allResources));
  return {
    visible,
    partial: [...partial, ...partialResources(context, (resource) => resourceIds.has(resource))],
  };
}

function allResources({ resource, relatedObjects }: RolloutSystem): string[] {
  return [resource.id, ...relatedObjects.map((entry) => entry.resource.id)];
}

function resourcesOf({ system, rollout }: RolloutView): Set<string> {
  const workload = rollout.workload.resource;
  const source = workload === null ? undefined : kindOf(workload)?.source.resource.id;
  return new Set([...allResources(system), workload ?? '', source ?? '', 'pods']);
}

function missingRights(
  { keys: { mask } }: ReadContext,
  { rollout }: RolloutView,
  { mayTemplates, mayPods }: RolloutRights,
  viewer: Viewer,
): MaskedPartial[] {
  const { namespace } = rollout;
  const sources = sourcesOf({ rollout });
  const missing: MaskedPartial[] = [];
  if (!mayTemplates && sources[0] !== undefined)
    missing.push({
      resource: sources[0].id,
      reason: mask.text(
        `${viewer.name} is not allowed to read ${sources.map(({ plural }) => plural).join(' and ')} in ${namespace}, so changes are not shown.`,
      ),
    });
  if (!mayPods)
    missing.push({
      resource: 'pods',
      reason: mask.text(
        `${viewer.name} is not allowed to list pods in ${namespace}, so only their number is shown.`,
      ),
    });
  return missing;
}

function distinct(partial: readonly MaskedPartial[]): MaskedPartial[] {
  return [
    ...new Map(
      partial.map((entry) => [`${entry.cluster} ${entry.resource} ${entry.reason}`, entry]),
    ).values(),
  ];
}

function countStates(views: readonly RolloutView[]): Answer<typeof rolloutListSchema>['counts']['byState'] {
  const byState: Partial<Record<RolloutState, number>> = {};
  for (const { rollout } of views) byState[rollout.state] = (byState[rollout.state] ?? 0) + 1;
  return byState;
}

function parseStates(text: string | undefined): ReadonlySet<RolloutState> | null {
  const parts = commaSet(text);
  const known = new Set<string>(rolloutStates);
  for (const part of parts ?? []) {
    if (!known.has(part))
      throw new AppError('bad_request', `state: ${part} is not one of ${rolloutStates.join(', ')}.`, {
        field: 'state',
      });
  }
  return parts as ReadonlySet<RolloutState> | null;
}

function orderKey({ view, viewed }: Row): string {
  const { namespace, name, resource } = view.input.object;
  return `${namespace}\0${name}\0${resource}\0${viewed.entry.name}`;
}

/** Compares by {@link orderKey}, without building it. */
function compareRows(row: Row, other: Row): number {
  const [a, b] = [row.view.input.object, other.view.input.object];
  if (a.namespace !== b.namespace) return a.namespace < b.namespace ? -1 : 1;
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.resource !== b.resource) return a.resource < b.resource ? -1 : 1;
  return row.viewed.entry.name < other.viewed.entry.name ? -1 : 1;
}
