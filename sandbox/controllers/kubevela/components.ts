import { type Json, type JsonObject, isJsonObject, stringifyGo } from '@/lib/kube/json';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  APP_NAME,
  APP_NAMESPACE,
  APP_REVISION,
  type Application,
  type Component,
  COMPONENT,
  REVISION_HASH,
} from '@/sandbox/controllers/kubevela/application';
import { type Chosen } from '@/sandbox/controllers/kubevela/revisions';
import { type Container, isDeleting } from '@/sandbox/controllers/objects/pod';
import { type Deployment } from '@/sandbox/controllers/objects/workloads';

const LAST_APPLIED = 'app.oam.dev/last-applied-configuration';

/** The health of a component. */
export interface ComponentHealth {
  readonly component: Component;
  readonly isHealthy: boolean;
  readonly message: string;
}

/**
 * Applies the Deployments of a revision, reverts changes of others to them, and deletes those that are not in
 * the revision. Components of other types than `webservice` and `worker` are not simulated.
 */
export async function applyComponents(
  manager: ControllerManager,
  app: Application,
  chosen: Chosen,
): Promise<readonly ComponentHealth[]> {
  const services: ComponentHealth[] = [];
  for (const component of chosen.spec.components)
    services.push(await applyComponent(manager, app, chosen, component));
  const names = chosen.spec.components.map(({ name }) => name);
  for (const old of deploymentsOf(manager, app.metadata))
    if (!names.includes(old.metadata.name)) await manager.deployments.delete(old);
  return services;
}

/** Those that an Application created. */
export function deploymentsOf(
  manager: ControllerManager,
  { namespace, name }: { namespace?: string | undefined; name: string },
): Deployment[] {
  return manager.deployments.store
    .inNamespace(namespace)
    .filter(
      ({ metadata }) => metadata.labels?.[APP_NAME] === name && metadata.labels[COMPONENT] === metadata.name,
    );
}

async function applyComponent(
  manager: ControllerManager,
  app: Application,
  chosen: Chosen,
  component: Component,
): Promise<ComponentHealth> {
  const { namespace = '' } = app.metadata;
  const deployments = manager.deployments.as('kubevela');
  const wanted = render(app, chosen, component);
  const live = deployments.store.get(`${namespace}/${component.name}`);
  if (live === undefined || isDeleting(live)) {
    if (live === undefined) await deployments.create(namespace, wanted);
    return { component, isHealthy: false, message: 'Ready:0/1' };
  }
  const isApplied = live.metadata.annotations?.[LAST_APPLIED] === wanted.metadata.annotations[LAST_APPLIED];
  const present = isApplied && covers(live.spec, wanted.spec) ? live : await update(manager, live, wanted);
  return serviceOf(component, present);
}

type Wanted = ReturnType<typeof render>;

async function update(
  manager: ControllerManager,
  live: Deployment,
  { metadata, spec }: Wanted,
): Promise<Deployment> {
  const { replicas = live.spec.replicas, template } = spec;
  const changed = {
    ...live,
    metadata: {
      ...live.metadata,
      labels: { ...live.metadata.labels, ...metadata.labels },
      annotations: { ...live.metadata.annotations, ...metadata.annotations },
    },
    spec: {
      ...live.spec,
      replicas,
      // The annotation of a restart stays.
      template: { ...template, metadata: { ...live.spec.template.metadata, ...template.metadata } },
    },
  };
  return manager.deployments.as('kubevela').replace(changed);
}

function serviceOf(component: Component, { metadata, spec, status }: Deployment): ComponentHealth {
  const { readyReplicas = 0, updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status;
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const counts = [readyReplicas, updatedReplicas, availableReplicas, replicas];
  return {
    component,
    isHealthy: isObserved && counts.every((count) => count === spec.replicas),
    message: `Ready:${readyReplicas}/${spec.replicas}`,
  };
}

/**
 * As the definitions of these names do, as far as they are simulated.
 * https://kubevela.io/docs/end-user/components/references/
 */
function render(
  { metadata: { name: appName, namespace = '' } }: Application,
  chosen: Chosen,
  component: Component,
) {
  const { name, type, traits = [] } = component;
  const replicas = numberAt(traits.find((trait) => trait.type === 'scaler')?.properties, 'replicas');
  const labels = { [APP_NAME]: appName, [COMPONENT]: name };
  const spec = {
    ...(replicas !== undefined && { replicas }),
    selector: { matchLabels: { [COMPONENT]: name } },
    template: { metadata: { labels }, spec: { containers: [containerOf(component)] } },
  };
  return {
    metadata: {
      name,
      labels: {
        ...labels,
        [APP_NAMESPACE]: namespace,
        [APP_REVISION]: chosen.latest.name,
        [REVISION_HASH]: chosen.latest.revisionHash,
        'workload.oam.dev/type': type,
      },
      annotations: { [LAST_APPLIED]: stringifyGo({ name, revision: chosen.latest.name, spec }) },
    },
    spec,
  };
}

function containerOf({ name, properties = {} }: Component): Container {
  const resources = Object.fromEntries(
    ['cpu', 'memory'].flatMap((name) => {
      const amount = textAt(properties, name);
      return amount === undefined ? [] : [[name, amount] as const];
    }),
  );
  const ports = objectsAt(properties, 'ports').flatMap((entry) => {
    const port = numberAt(entry, 'port');
    return port === undefined ? [] : [{ name: `port-${port}`, containerPort: port, protocol: 'TCP' }];
  });
  const container = {
    name,
    image: textAt(properties, 'image') ?? '',
    ...(properties.cmd !== undefined && { command: properties.cmd }),
    ...(properties.env !== undefined && { env: properties.env }),
    ...(ports.length > 0 && { ports }),
    ...(Object.keys(resources).length > 0 && { resources: { limits: resources, requests: resources } }),
  };
  return container;
}

/** Whether the object has everything in `wanted`; additions of the API server are ignored. */
function covers(live: unknown, wanted: Json | undefined): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(live) &&
      live.length === wanted.length &&
      wanted.every((item, index) => covers(live[index], item))
    );
  if (!isJsonObject(wanted)) return live === wanted;
  const object = (live ?? {}) as JsonObject;
  return Object.entries(wanted).every(([key, value]) => covers(object[key], value));
}
