import { type JsonObject } from '@/lib/kube/json';
import { groupOf } from '@/lib/kube/object';
import { type App } from '@/sandbox/seed/app-template';
import { argo, flux, helmController } from '@/sandbox/seed/people';
import { type SeedActor, type WorkloadSeed } from '@/sandbox/seed/workload-seed';

/** What the tool that deploys a workload leaves on it. */
interface Marks {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
}

interface Placed {
  readonly collection: string;
  readonly object: JsonObject;
}

const ARGO_CD = 'argocd';
const FLUX = 'flux-system';
const REPOSITORY = 'https://git.example.com/deploy.git';

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
  const { namespace, name } = app;
  if (by === argo) {
    const id = `${applicationOf(app)}:${groupOf(type.apiVersion)}/${type.kind}:${namespace}/${name}`;
    return { annotations: { 'argocd.argoproj.io/tracking-id': id } };
  }
  if (by === flux) return { labels: fluxLabels('kustomize', namespace) };
  if (by === helmController) return { labels: fluxLabels('helm', name) };
  return {};
}

/** The objects that the workloads name, with what belongs to them. */
export function ownersOf(fleet: readonly WorkloadSeed[]): Placed[] {
  const apps = deployedBy(argo, fleet);
  const isGenerated = ({ namespace }: App) => namespace === GENERATED;
  const generated = apps.filter(isGenerated);
  const namespaces = new Set(deployedBy(flux, fleet).map(({ namespace }) => namespace));
  return [
    ...(apps.length === 0 ? [] : [projectOf('default', []), projectOf('search', [FREEZE])]),
    ...(generated.length === 0 ? [] : [applicationSetOf(generated)]),
    ...apps
      .filter((app) => !isGenerated(app))
      .map(({ namespace, name }) => {
        const application = applicationOf({ namespace, name });
        const spec = applicationSpec(namespace, name, SYNC_POLICIES[application]);
        return argoObject('Application', application, spec);
      }),
    ...[...namespaces].map((namespace) =>
      place('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', FLUX, namespace, {
        interval: '10m',
        path: `./prod/${namespace}`,
        prune: true,
        sourceRef: { kind: 'GitRepository', name: 'deploy' },
      }),
    ),
    ...deployedBy(helmController, fleet).map(({ namespace, name }) =>
      place('helm.toolkit.fluxcd.io/v2', 'HelmRelease', FLUX, name, {
        interval: '10m',
        targetNamespace: namespace,
        chartRef: { kind: 'OCIRepository', name },
      }),
    ),
  ];
}

function applicationOf({ namespace, name }: Pick<App, 'namespace' | 'name'>): string {
  return name.startsWith(namespace) ? name : `${namespace}-${name}`;
}

function applicationSpec(
  namespace: string,
  name: string,
  syncPolicy: JsonObject = { automated: {} },
): JsonObject {
  return {
    project: namespace === 'search' ? 'search' : 'default',
    source: { repoURL: REPOSITORY, path: `prod/${namespace}/${name}`, targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace },
    syncPolicy,
  };
}

function applicationSetOf(apps: readonly App[]): Placed {
  const elements = apps.map((app) => ({ application: applicationOf(app), name: app.name }));
  return argoObject('ApplicationSet', GENERATED, {
    generators: [{ list: { elements } }],
    template: { metadata: { name: '{{application}}' }, spec: applicationSpec(GENERATED, '{{name}}') },
  });
}

function projectOf(name: string, syncWindows: JsonObject[]): Placed {
  const spec = { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }], syncWindows };
  return argoObject('AppProject', name, spec);
}

function argoObject(kind: string, name: string, spec: JsonObject): Placed {
  return place('argoproj.io/v1alpha1', kind, ARGO_CD, name, spec);
}

function place(apiVersion: string, kind: string, namespace: string, name: string, spec: JsonObject): Placed {
  return {
    collection: `/apis/${apiVersion}/namespaces/${namespace}/${kind.toLowerCase()}s`,
    object: { apiVersion, kind, metadata: { name, namespace }, spec },
  };
}

function fluxLabels(controller: 'kustomize' | 'helm', name: string): Record<string, string> {
  const prefix = `${controller}.toolkit.fluxcd.io`;
  return { [`${prefix}/name`]: name, [`${prefix}/namespace`]: FLUX };
}

function deployedBy(tool: SeedActor, fleet: readonly WorkloadSeed[]): App[] {
  return fleet.filter(({ by }) => by === tool).map(({ app }) => app);
}
