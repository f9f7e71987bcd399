import 'server-only';
import { nameKey } from '@/lib/kube/name-key';
import type { Answer } from '@/lib/api/common';
import type {
  RolloutListQuery,
  rolloutDetailSchema,
  rolloutItemSchema,
  rolloutListSchema,
} from '@/lib/api/rollouts';
import { AppError } from '@/lib/errors';
import { type RolloutState, rolloutStates } from '@/lib/api/rollout-values';
import type { RolloutSystem } from '@/lib/rollout/system';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import { rolloutSystems, systemOf } from '@/lib/rollout/systems/table';
import { kindOf } from '@/lib/workloads/kinds/table';
import type { Cluster } from '@/server/cluster/cluster';
import type { ReadContext } from '@/server/views/context';
import type { Fleet, ViewedCluster } from '@/server/views/fleet';
import { encodeCursor, decodeCursor } from '@/server/reads/cursor';
import type { WorkloadName } from '@/server/views/find-workload';
import { fleetFreshness, freshness } from '@/server/reads/freshness';
import { generatorOf } from '@/server/reads/generator';
import { overClusters, partialOfCluster } from '@/server/views/over-clusters';
import { type MaskedPartial, partialResources } from '@/server/views/partial';
import { can } from '@/server/views/rights';
import { withRecordedSteps } from '@/server/reads/recorded-steps';
import { recordOfRollout } from '@/server/reads/rollout-records';
import { rolloutItem, type RolloutRights } from '@/server/reads/rollout-item';
import { withRoutedTraffic } from '@/server/reads/routed-traffic';
import { rolloutRefusals } from '@/server/reads/rollout-refusals';
import type { RolloutView } from '@/server/views/rollout-view';
import { findRollout, sourcesOf, viewOf } from '@/server/views/find-rollout';
import { visibleOf } from '@/server/views/visible-objects';
import type { Viewer } from '@/server/shared/viewer';
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
