import { type JsonObject } from '@/lib/kube/json';
import { textAt } from '@/lib/kube/read';
import { configOf, labelsOf, secretOf } from '@/sandbox/seed/app-template';
import { flux } from '@/sandbox/seed/people';
import { argoCrds } from '@/sandbox/crds/argo';
import { canaryCrd, httpRouteCrd, leaderWorkerSetCrd, stormServiceCrd } from '@/sandbox/crds/single-kinds';
import { oamRolloutCrd } from '@/sandbox/crds/oam-rollout';
import { kubevelaCrds } from '@/sandbox/crds/kubevela';
import { kruiseCrds } from '@/sandbox/crds/kruise';
import { gitopsCrds } from '@/sandbox/crds/gitops';
import { ownersOf } from '@/sandbox/seed/owners';
import { trafficObjectsOf } from '@/sandbox/seed/progressive-rollouts';
import { type WorkloadSeed } from '@/sandbox/seed/workload-seed';
import { type SeedWrite } from '@/sandbox/seed/seed-writes';

/**
 * What must exist before the workloads: definitions of kinds, namespaces, ConfigMaps, Secrets, and traffic
 * objects, created at `at`; Kustomizations later, before `end`.
 */
export function supportingObjectsOf(fleet: readonly WorkloadSeed[], at: number, end: number): SeedWrite[] {
  const owners = ownersOf(fleet);
  const owned = owners.map(({ object }) => textAt(object, 'metadata', 'namespace') ?? '');
  const namespaces = [...new Set([...fleet.map(({ app }) => app.namespace), ...owned])].sort();
  const objects = [
    ...[...definitionsOf(fleet), ...gitopsCrds.filter((crd) => definesAny(crd, owners))].map((object) =>
      place(DEFINITIONS, object),
    ),
    ...namespaces.map((name) =>
      place('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
    ),
    ...configsOf(fleet),
    ...fleet.flatMap(trafficObjectsOf),
    ...fleet.flatMap(({ prerequisites = [] }) => prerequisites),
    ...owners,
    ...LIMITS,
  ];
  return objects.map((object) => {
    const isLate = object.object.kind === 'Kustomization';
    return { at: isLate ? end - RECONCILED_MS : at, by: flux, do: 'create', ...object };
  });
}

/** A Kustomization reconciles every few minutes, which would take longer than the rest of the month. */
const RECONCILED_MS = 3_600_000;

function definesAny(definition: JsonObject, objects: readonly Placed[]): boolean {
  return objects.some(({ object }) => object.kind === textAt(definition, 'spec', 'names', 'kind'));
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Placed {
  readonly collection: string;
  readonly object: JsonObject;
}

/**
 * Of OpenKruise, of the objects that it routes traffic with, of LeaderWorkerSets, Argo Rollouts, Flagger,
 * AIBrix, OAM and KubeVela; none that no workload needs.
 */
function definitionsOf(fleet: readonly WorkloadSeed[]): JsonObject[] {
  const hasRollouts = fleet.some(({ acts }) => acts.some((act) => act.do === 'startStepping'));
  const hasKinds = fleet.some(({ kind }) => kind === 'CloneSet' || kind.startsWith('Advanced'));
  const hasGroups = fleet.some(({ kind }) => kind === 'LeaderWorkerSet');
  const hasArgo = fleet.some(({ kind }) => kind === 'ArgoRollout');
  const hasObject = (kind: string, group = '') =>
    fleet.some(({ acts }) =>
      acts.some(
        (act) =>
          act.do === 'createObject' &&
          act.object.kind === kind &&
          (act.object.apiVersion as string).startsWith(group),
      ),
    );
  return [
    ...(hasRollouts || hasKinds ? [...kruiseCrds, httpRouteCrd] : []),
    ...(hasGroups ? [leaderWorkerSetCrd] : []),
    ...(hasArgo ? argoCrds : []),
    ...(hasObject('Canary') ? [canaryCrd] : []),
    ...(hasObject('StormService') ? [stormServiceCrd] : []),
    ...(hasObject('Rollout', 'standard.oam.dev/') ? [oamRolloutCrd()] : []),
    ...(hasObject('Application') ? kubevelaCrds : []),
  ];
}

/** Each once: versions of one component share theirs. */
function configsOf(fleet: readonly WorkloadSeed[]): Placed[] {
  const byPlace = fleet
    .flatMap(configsOfOne)
    .map((placed) => [`${placed.collection}/${textAt(placed.object, 'metadata', 'name')}`, placed] as const);
  return [...new Map(byPlace).values()];
}

function configsOfOne({ app }: WorkloadSeed): Placed[] {
  const { namespace } = app;
  const metadata = (name: string) => ({ name, namespace, labels: labelsOf(app) });
  const config = place(`/api/v1/namespaces/${namespace}/configmaps`, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(configOf(app)),
    data: { 'app.yaml': `name: ${app.component ?? app.name}\nshutdown: 20s\n` },
  });
  if (app.hasSecret !== true) return [config];
  const secret = place(`/api/v1/namespaces/${namespace}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: metadata(secretOf(app)),
    data: { password: Buffer.from(`not-a-real-password-of-${app.name}`).toString('base64') },
  });
  return [config, secret];
}

/** Besides the workloads: the objects that a rollback is checked against. */
const LIMITS: readonly Placed[] = [
  place('/api/v1/namespaces/shop/limitranges', {
    apiVersion: 'v1',
    kind: 'LimitRange',
    metadata: { name: 'defaults', namespace: 'shop' },
    spec: { limits: [{ type: 'Container', max: { cpu: '8', memory: '16Gi' } }] },
  }),
];

function place(collection: string, object: JsonObject): Placed {
  return { collection, object };
}
