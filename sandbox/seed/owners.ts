import type { JsonObject } from '@/lib/kube/json';
import { groupOf } from '@/lib/kube/object';
import { argo, flux, helmController } from '@/sandbox/seed/story';
import {
  type App,
  manifest,
  type SeedActor,
  type SeedObject,
  type WorkloadSeed,
} from '@/sandbox/seed/workload';

/** What the tool that deploys a workload leaves on it. */
interface Marks {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

const ARGO_CD = 'argocd';
const FLUX = 'flux-system';

/** Automated without self-heal unless it is named here: a bad rollout and its rollback stay until the next commit. */
const SYNC_POLICIES: Readonly<Record<string, JsonObject>> = {
  'shop-sessions': { automated: { selfHeal: true } },
  'search-index': { automated: { selfHeal: true } },
  'search-query-api': {},
};
/** Its applications are generated. */
const GENERATED = 'payments';
/** Every day but for half an hour. */
const FREEZE = { kind: 'deny', schedule: '0 0 * * *', duration: '23h30m', applications: ['search-index'] };

export function marksOf({ by, app }: WorkloadSeed, type: { apiVersion: string; kind: string }): Marks {
  const { namespace, name, labels } = app;
  if (by === argo) {
    const id = `${applicationOf(app)}:${groupOf(type.apiVersion)}/${type.kind}:${namespace}/${name}`;
    return { annotations: { 'argocd.argoproj.io/tracking-id': id } };
  }
  if (by === flux) return { labels: fluxLabels('kustomize', namespace) };
  if (labels?.['helm.sh/chart'] === undefined) return {};
  const annotations = {
    'meta.helm.sh/release-name': labels['app.kubernetes.io/instance'] ?? '',
    'meta.helm.sh/release-namespace': namespace,
  };
  return { annotations, labels: by === helmController ? fluxLabels('helm', name) : {} };
}

function fluxLabels(controller: 'kustomize' | 'helm', name: string): Record<string, string> {
  const prefix = `${controller}.toolkit.fluxcd.io`;
  return { [`${prefix}/name`]: name, [`${prefix}/namespace`]: FLUX };
}

function applicationOf({ namespace, name }: Pick<App, 'namespace' | 'name'>): string {
  return name.startsWith(namespace) ? name : `${namespace}-${name}`;
}

/** The objects that the workloads name, with what belongs to them. */
export function ownersOf(fleet: readonly WorkloadSeed[]): SeedObject[] {
  const deployedBy = (tool: SeedActor) => fleet.filter(({ by }) => by === tool).map(({ app }) => app);
  const apps = deployedBy(argo);
  const generated = apps.filter(({ namespace }) => namespace === GENERATED);
  const projects = apps.length === 0 ? [] : [projectOf('default', []), projectOf('search', [FREEZE])];
  const namespaces = new Set(deployedBy(flux).map(({ namespace }) => namespace));
  return [
    ...projects,
    ...(generated.length === 0 ? [] : [applicationSetOf(generated)]),
    ...apps
      .filter((app) => !generated.includes(app))
      .map((app) => {
        const application = applicationOf(app);
        const spec = applicationSpec(app.namespace, app.name, SYNC_POLICIES[application]);
        return argoObject('Application', application, spec);
      }),
    ...[...namespaces].map((namespace) =>
      fluxObject('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', namespace, {
        path: `./prod/${namespace}`,
        prune: true,
        sourceRef: { kind: 'GitRepository', name: 'deploy' },
      }),
    ),
    ...deployedBy(helmController).map(({ namespace, name }) =>
      fluxObject('helm.toolkit.fluxcd.io/v2', 'HelmRelease', name, {
        targetNamespace: namespace,
        chartRef: { kind: 'OCIRepository', name },
      }),
    ),
  ];
}

function applicationSpec(
  namespace: string,
  name: string,
  syncPolicy: JsonObject = { automated: {} },
): JsonObject {
  return {
    project: namespace === 'search' ? 'search' : 'default',
    source: {
      repoURL: 'https://git.example.com/deploy.git',
      path: `prod/${namespace}/${name}`,
      targetRevision: 'main',
    },
    destination: { server: 'https://kubernetes.default.svc', namespace },
    syncPolicy,
  };
}

function applicationSetOf(apps: readonly App[]): SeedObject {
  const elements = apps.map((app) => ({ application: applicationOf(app), name: app.name }));
  return argoObject('ApplicationSet', GENERATED, {
    generators: [{ list: { elements } }],
    template: { metadata: { name: '{{application}}' }, spec: applicationSpec(GENERATED, '{{name}}') },
  });
}

function projectOf(name: string, syncWindows: JsonObject[]): SeedObject {
  const spec = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }], syncWindows };
  return argoObject('AppProject', name, spec);
}

function argoObject(kind: string, name: string, spec: JsonObject): SeedObject {
  return manifest('argoproj.io/v1alpha1', kind, `${ARGO_CD}/${name}`, { spec });
}

function fluxObject(apiVersion: string, kind: string, name: string, spec: JsonObject): SeedObject {
  return manifest(apiVersion, kind, `${FLUX}/${name}`, { spec: { interval: '10m', ...spec } });
}
