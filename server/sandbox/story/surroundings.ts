import { type JsonObject } from '@/lib/kube/json';
import { textAt } from '@/lib/workloads/read';
import { configOf, labelsOf, secretOf } from '@/server/sandbox/story/app';
import { flux } from '@/server/sandbox/story/actors';
import { argoCrds } from '@/server/sandbox/crds/argo';
import { canaryCrd } from '@/server/sandbox/crds/canary';
import { httpRouteCrd } from '@/server/sandbox/crds/http-route';
import { leaderWorkerSetCrd } from '@/server/sandbox/crds/leader-worker-set';
import { oamRolloutCrd } from '@/server/sandbox/crds/oam-rollout';
import { stormServiceCrd } from '@/server/sandbox/crds/storm-service';
import { kubevelaCrds } from '@/server/sandbox/crds/kubevela';
import { kruiseCrds } from '@/server/sandbox/crds/kruise';
import { entrancesOf } from '@/server/sandbox/story/stepping';
import { type WorkloadStory } from '@/server/sandbox/story/story';
import { type Write } from '@/server/sandbox/story/writes';

/** What has to be there before the workloads are: definitions of kinds, namespaces, ConfigMaps, Secrets,
 * and what leads to the pods, created at `at`. */
export function surroundingsOf(fleet: readonly WorkloadStory[], at: number): Write[] {
  const namespaces = [...new Set(fleet.map(({ app }) => app.namespace))].sort();
  const objects = [
    ...definitionsOf(fleet).map((object) => place(DEFINITIONS, object)),
    ...namespaces.map((name) =>
      place('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }),
    ),
    ...configsOf(fleet),
    ...fleet.flatMap(entrancesOf),
    ...fleet.flatMap(({ beside = [] }) => beside),
    ...LIMITS,
  ];
  return objects.map((object) => ({ at, by: flux, do: 'create', ...object }));
}

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Placed {
  readonly collection: string;
  readonly object: JsonObject;
}

/** Of OpenKruise, of what it sends traffic by, of LeaderWorkerSets, Argo Rollouts, Flagger, AIBrix, OAM and KubeVela; none where nobody has them. */
function definitionsOf(fleet: readonly WorkloadStory[]): JsonObject[] {
  const hasRollouts = fleet.some(({ acts }) => acts.some((act) => act.do === 'startStepping'));
  const hasKinds = fleet.some(({ kind }) => kind === 'CloneSet' || kind.startsWith('Advanced'));
  const hasGroups = fleet.some(({ kind }) => kind === 'LeaderWorkerSet');
  const hasArgo = fleet.some(({ kind }) => kind === 'ArgoRollout');
  const isBeside = (kind: string, group = '') =>
    fleet.some(({ acts }) =>
      acts.some(
        (act) =>
          act.do === 'createBeside' &&
          act.object.kind === kind &&
          (act.object.apiVersion as string).startsWith(group),
      ),
    );
  return [
    ...(hasRollouts || hasKinds ? [...kruiseCrds, httpRouteCrd] : []),
    ...(hasGroups ? [leaderWorkerSetCrd] : []),
    ...(hasArgo ? argoCrds : []),
    ...(isBeside('Canary') ? [canaryCrd] : []),
    ...(isBeside('StormService') ? [stormServiceCrd] : []),
    ...(isBeside('Rollout', 'standard.oam.dev/') ? [oamRolloutCrd()] : []),
    ...(isBeside('Application') ? kubevelaCrds : []),
  ];
}

/** Each once: versions of one component share theirs. */
function configsOf(fleet: readonly WorkloadStory[]): Placed[] {
  const byPlace = fleet
    .flatMap(configsOfOne)
    .map((placed) => [`${placed.collection}/${textAt(placed.object, 'metadata', 'name')}`, placed] as const);
  return [...new Map(byPlace).values()];
}

function configsOfOne({ app }: WorkloadStory): Placed[] {
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

/** Beside the workloads: what a rollback is checked against. */
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
