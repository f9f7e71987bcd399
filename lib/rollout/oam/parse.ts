import { CONTROLLER_LABEL, CONTROLLER_VALUE } from '@/lib/oam/eligibility';
import type { Batch, RolloutPlan } from '@/lib/oam/plan';
import { parseControlledRollout as parseOam, type OamRolloutStatus } from '@/lib/oam/rollout';
import type { Immutable } from '@/lib/immutable';
import { isJsonObject, type Json } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectFacts } from '@/lib/rollout/common-shape';
import { boundedName } from '@/lib/rollout/bounded';
import {
  applicationDeployments,
  appRollouts,
  oamRollouts,
  rolloutTraits,
  workloadResource,
} from '@/lib/rollout/oam/resources';
import type { WorkloadTarget } from '@/lib/rollout/rollout-facts';
import { objectAt, valueAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';

/** The API sets no limits, so any writer could fill Shiplog's memory. */
const BATCHES_MAX = 100;
const CHECKS_MAX = 16;
const SOURCES_MAX = 16;

/** What the names of target and source refer to. */
type OamNaming = 'workload' | 'componentRevision' | 'applicationRevision' | 'application';

/**
 * A Rollout of OAM of any generation, reduced to what the rules need.
 * https://github.com/kubevela/kubevela/blob/v1.8.2/apis/standard.oam.dev/v1alpha1/rollout_type.go
 */
export type OamRollout = Immutable<ReturnType<typeof parse>>;

export function parseOamRollout(object: KubeObject) {
  const isByReference = objectAt(object.spec, 'targetRef') !== undefined;
  return parse(object, oamRollouts, isByReference ? 'workload' : 'componentRevision');
}

/** In the fields of the design: no controller has ever worked on it. */
export function parseRolloutTrait(object: KubeObject) {
  return parse(object, rolloutTraits, 'workload');
}

export function parseAppRollout(object: KubeObject) {
  return parse(object, appRollouts, 'applicationRevision');
}

export function parseApplicationDeployment(object: KubeObject) {
  return parse(object, applicationDeployments, 'application');
}

/** Members of spec and status that name target and source; those of a workload refer to objects in the spec. */
const NAMES = {
  workload: { spec: [], status: ['lastTargetRevision', 'LastSourceRevision'] },
  componentRevision: {
    spec: ['targetRevisionName', 'sourceRevisionName'],
    status: ['lastTargetRevision', 'LastSourceRevision'],
  },
  applicationRevision: {
    spec: ['targetAppRevisionName', 'sourceAppRevisionName'],
    status: ['lastTargetAppRevision', 'LastSourceAppRevision'],
  },
  application: {
    spec: ['targetApplicationName', 'sourceApplicationName'],
    status: ['lastTargetApplicationName', 'LastSourceApplicationName'],
  },
} as const satisfies Record<OamNaming, Record<'spec' | 'status', readonly string[]>>;

/** Extracts what the rules need, cut to a bounded size; unexpected content counts as absent. Never throws. */
function parse(object: KubeObject, type: ResourceType, naming: OamNaming) {
  const { metadata } = object;
  const spec = object.spec ?? {};
  const read = parseOam(object);
  const [targetName = '', sourceName = ''] = NAMES[naming].spec;
  const [lastTarget, lastSource] = NAMES[naming].status;
  const status: OamRolloutStatus = {
    ...read.status,
    conditions: [],
    lastTarget: boundedName(object.status, lastTarget) ?? undefined,
    lastSource: boundedName(object.status, lastSource) ?? undefined,
  };
  const target = boundedName(spec, 'targetRef', 'name') ?? boundedName(spec, targetName);
  const component = componentOf(spec);
  const workload =
    naming === 'workload' || naming === 'componentRevision'
      ? workloadOf(object, status, target, component)
      : { resource: null, apiVersion: '', kind: 'Component', name: component ?? '' };
  const isInPlace = workload.resource !== null && workload.kind !== 'Deployment';
  const ofWorkloads = workload.resource === null || isInPlace ? NONE : workloadNames(read, status, naming);
  const plan = objectAt(spec, 'rolloutPlan');
  const [partition, lastBatch] = [plan?.batchPartition, plan?.lastBatchToRollout];
  const others = [...new Set([...ofWorkloads.sources, ...ofWorkloads.former])].filter(
    (name) => name !== workload.name,
  );
  const { resource } = workload;
  return {
    ...objectFacts(object, type.id),
    workload,
    others: resource === null ? [] : others.map((name) => ({ resource, name })),
    component: naming === 'componentRevision' ? component : null,
    naming,
    /** As the spec names it. */
    target,
    source: boundedName(spec, sourceName) ?? limitName(read.sources[0]),
    plan: boundedPlan(read.plan, valueAt(spec, 'revertOnDelete') === true),
    /** The name of the partition in the spec. */
    partitionMember:
      typeof lastBatch === 'number' && typeof partition !== 'number'
        ? 'lastBatchToRollout'
        : 'batchPartition',
    /** Both names exist and have different values. */
    hasTwoPartitions:
      typeof partition === 'number' && typeof lastBatch === 'number' && partition !== lastBatch,
    status,
    /** States as found; empty where there are none. */
    rolling: boundedName(object.status, 'rollingState') ?? '',
    batch: boundedName(object.status, 'batchRollingState') ?? '',
    /** Names of the workloads that pods are drained from. */
    sources: ofWorkloads.sources.filter((name) => name !== workload.name),
    /** Other workloads that it has moved. */
    former: ofWorkloads.former.filter(
      (name) => name !== workload.name && !ofWorkloads.sources.includes(name),
    ),
    /** Source and target are one workload, some of whose pods are new. */
    isInPlace,
    /** Assigned to Shiplog's own controller. */
    isOurs: metadata.labels?.[CONTROLLER_LABEL] === CONTROLLER_VALUE,
    /** "Application cart", where that renders it and reverts changes made here. */
    renderedBy: rendererOf(object),
    isHeldByFinalizer: (metadata.finalizers ?? []).length > 0,
  };
}

const NONE = { sources: [], former: [] };

function componentOf(spec: Json): string | null {
  const listed = valueAt(spec, 'componentList');
  const first = Array.isArray(listed) ? listed.find((name) => typeof name === 'string') : undefined;
  return boundedName(spec, 'componentName') ?? limitName(first);
}

/**
 * The workload of the status, or of the spec while there is no status. A Deployment has the name of its
 * revision, every other kind that of the component.
 */
function workloadOf(
  { metadata, spec }: KubeObject,
  { run, lastTarget }: OamRolloutStatus,
  target: string | null,
  component: string | null,
): WorkloadTarget {
  const reference = objectAt(spec, 'targetRef');
  const marked = kindIn(metadata.annotations?.[GVK]);
  const apiVersion = boundedName(reference, 'apiVersion') ?? marked?.apiVersion ?? 'apps/v1';
  const kind = boundedName(reference, 'kind') ?? marked?.kind ?? 'Deployment';
  const runKind = run === undefined ? undefined : RUN_KINDS[run.kind];
  const requestedName = reference === undefined && kind !== 'Deployment' ? component : (lastTarget ?? target);
  const markedName = reference === undefined ? metadata.annotations?.[WORKLOAD_NAME] : undefined;
  const isSame =
    runKind === undefined || (runKind.kind === kind && apiVersion.startsWith(`${runKind.group}/`));
  return {
    resource: workloadResource(isSame ? apiVersion : `${runKind.group}/`, runKind?.kind ?? kind),
    apiVersion: isSame ? apiVersion : runKind.group,
    kind: runKind?.kind ?? kind,
    name: limitName(run?.target) ?? limitName(markedName) ?? requestedName ?? '',
  };
}

/** Where KubeVela records what it has rendered. */
const GVK = 'trait.oam.dev/workload-gvk';
const WORKLOAD_NAME = 'trait.oam.dev/workload-name';

const RUN_KINDS = {
  Deployment: { group: 'apps', kind: 'Deployment' },
  CloneSet: { group: 'apps.kruise.io', kind: 'CloneSet' },
} as const;

function kindIn(text: string | undefined): { apiVersion: string; kind: string } | null {
  if (text === undefined || text.length > 1_000) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) return null;
  const [apiVersion, kind] = [boundedName(value, 'apiVersion'), boundedName(value, 'kind')];
  return apiVersion === null || kind === null ? null : { apiVersion, kind };
}

/** Deployments of one rollout: the one being drained, and others that it has moved. */
function workloadNames(
  { sources }: { sources: readonly string[] },
  { run, lastSource, lastTarget, origin = [] }: OamRolloutStatus,
  naming: OamNaming,
): { sources: string[]; former: string[] } {
  const drained = run?.sources.map(({ name }) => name);
  const known = lastSource === undefined ? [] : [lastSource];
  // No controller reads what a Rollout of revisions names as its source.
  const named = naming === 'workload' || lastTarget === undefined ? sources : known;
  const clean = (names: readonly string[]) =>
    [...new Set(names.flatMap((name) => limitName(name) ?? []))].slice(0, SOURCES_MAX);
  return {
    sources: clean(drained === undefined || drained.length === 0 ? named : drained),
    former: clean([...origin.map(({ name }) => name), ...known, ...sources]),
  };
}

function boundedPlan(plan: RolloutPlan, ofSpec: boolean): RolloutPlan {
  const checks = <T>(list: readonly T[]) => list.slice(0, CHECKS_MAX);
  const batchOf = (batch: Batch): Batch => ({
    ...batch,
    webhooks: checks(batch.webhooks),
    metrics: checks(batch.metrics),
  });
  return {
    ...plan,
    // As many steps as there are batches: a number alone must not create thousands of them.
    numBatches: plan.numBatches === undefined ? undefined : Math.min(plan.numBatches, BATCHES_MAX),
    batches: plan.batches.slice(0, BATCHES_MAX).map(batchOf),
    webhooks: checks(plan.webhooks),
    metrics: checks(plan.metrics),
    revertOnDelete: plan.revertOnDelete || ofSpec,
  };
}

const RENDERERS: readonly string[] = ['Application', 'ResourceTracker', 'ApplicationConfiguration'];

function rendererOf({ metadata: { labels = {}, ownerReferences = [] } }: KubeObject): string | null {
  const app = labels['app.oam.dev/name'];
  if (app !== undefined && app !== '') return `Application ${app.slice(0, 253)}`;
  const owner = ownerReferences.find(({ kind }) => RENDERERS.includes(kind));
  return owner === undefined ? null : `${owner.kind} ${owner.name}`;
}

function limitName(name: Json | undefined): string | null {
  return boundedName({ name: name ?? null }, 'name');
}
