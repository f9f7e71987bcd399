import { deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { Resource } from '@/sandbox/controllers/runtime/resource';
import {
  APP_NAME,
  type Application,
  type ApplicationRevision,
  type Chosen,
  chooseRevision,
  type Component,
  dropOldRevisions,
  type Installation,
  installationIn,
  type KubevelaKinds,
  pack,
  publishVersionOf,
  REVISION_HASH,
  type WorkflowStatus,
} from '@/sandbox/controllers/kubevela/revisions';
import { controllerOf } from '@/sandbox/controllers/objects/owner';
import { type Container, isDeleting } from '@/sandbox/controllers/objects/pod';
import { timeText } from '@/sandbox/controllers/objects/time';
import type { Deployment } from '@/sandbox/controllers/objects/workloads';

/** https://github.com/kubevela/kubevela/blob/master/pkg/oam/labels.go */
const APP_NAMESPACE = 'app.oam.dev/namespace';
const COMPONENT = 'app.oam.dev/component';
const APP_REVISION = 'app.oam.dev/appRevision';
const CONTROLLER_REQUIRED = 'app.oam.dev/controller-version-require';

/**
 * Simulates the Applications of KubeVela wherever they are served, as far as revisions, compressed ones too,
 * and Deployments require: with publishVersions, without workflows, policies and other clusters.
 * https://github.com/kubevela/kubevela/blob/master/pkg/controller/core.oam.dev/v1beta1/application/application_controller.go
 */
export function runKubevela(manager: ControllerManager): void {
  const kinds: KubevelaKinds = {
    applications: manager.follow('applications.core.oam.dev'),
    revisions: manager.follow('applicationrevisions.core.oam.dev'),
    componentDefinitions: manager.follow('componentdefinitions.core.oam.dev'),
    traitDefinitions: manager.follow('traitdefinitions.core.oam.dev'),
  };
  const work = manager.register((key) => sync(manager, kinds, key));
  const addNamed = (namespace = '', name: string | undefined) => {
    if (name !== undefined && kinds.applications.resource !== undefined) work.add(`${namespace}/${name}`);
  };
  kinds.applications.onChange(({ object, before }) => {
    const app = object ?? before;
    if (app !== undefined) work.add(keyOf(app));
  });
  kinds.revisions.onChange(({ object, before }) => {
    const revision = object ?? before;
    if (revision !== undefined) addNamed(revision.metadata.namespace, controllerOf(revision)?.name);
  });
  manager.deployments.store.onChange(({ object, before }) => {
    const { metadata } = object ?? before ?? {};
    addNamed(metadata?.namespace, metadata?.labels?.[APP_NAME]);
  });
}

async function sync(manager: ControllerManager, kinds: KubevelaKinds, key: ObjectKey): Promise<void> {
  const applications = kinds.applications.resource?.as('kubevela');
  const revisions = kinds.revisions.resource?.as('kubevela');
  if (applications === undefined || revisions === undefined) return;
  const app = applications.store.get(key);
  if (app === undefined || isDeleting(app)) {
    const [namespace, name = ''] = key.split('/');
    for (const each of deploymentsOf(manager, namespace, name)) await manager.deployments.delete(each);
    return;
  }
  if (app.metadata.annotations?.[CONTROLLER_REQUIRED] === 'Disabled') return;
  const installation = installationIn(manager);
  const chosen = await chooseRevision(kinds, revisions, app, installation);
  const services = await applyComponents(manager, app, chosen);
  const status = statusOf(app, chosen, services, manager.now());
  tellEnd(manager, app, status.workflow);
  if (!deepEqual(status, app.status)) await applications.replaceStatus({ ...app, status });
  await finish(revisions, chosen.revision, status.workflow, installation);
  await dropOldRevisions(revisions, app, chosen.revision, installation);
}

/** Records the result in the revision, which is then stored the way updates are. */
async function finish(
  revisions: Resource<ApplicationRevision>,
  revision: ApplicationRevision,
  workflow: WorkflowStatus,
  { compression }: Installation,
): Promise<void> {
  const status = { succeeded: workflow.finished, workflow };
  const noted = deepEqual(status, revision.status ?? {})
    ? revision
    : await revisions.replaceStatus({ ...revision, status });
  if (!workflow.finished || compression === undefined || noted.spec.compression !== undefined) return;
  await revisions.replace({ ...noted, spec: pack(noted.spec, compression) });
}

function tellEnd(manager: ControllerManager, app: Application, workflow: WorkflowStatus): void {
  const before = app.status.workflow;
  const isKnown = before?.appRevision === workflow.appRevision && before.finished;
  if (!workflow.finished || isKnown) return;
  const told = { reason: 'Deployed', message: 'Deployed successfully', source: { component: 'Application' } };
  manager.events.record({ about: app, type: 'Normal', ...told });
}

/** The health of a component. */
interface ComponentHealth {
  readonly component: Component;
  readonly isHealthy: boolean;
  readonly message: string;
}

/** The status of an Application while its components are applied, and when they are healthy. */
function statusOf(
  app: Application,
  { latest }: Chosen,
  services: readonly ComponentHealth[],
  nowMs: number,
): JsonObject & { workflow: WorkflowStatus } {
  const isHealthy = services.every((service) => service.isHealthy);
  const workflow = workflowOf(app, publishVersionOf(app) ?? latest.name, services, nowMs);
  const namespace = app.metadata.namespace ?? '';
  return {
    status: !workflow.finished ? 'runningWorkflow' : isHealthy ? 'running' : 'unhealthy',
    observedGeneration: app.metadata.generation ?? 0,
    latestRevision: latest,
    workflow,
    services: services.map(({ component: { name }, isHealthy: healthy, message }) => {
      return { name, namespace, healthy, message };
    }),
  };
}

/**
 * Without steps of its own there is one for each component. It restarts with another publishVersion, or
 * without one with another revision.
 */
function workflowOf(
  { status }: Application,
  appRevision: string,
  services: readonly ComponentHealth[],
  nowMs: number,
): WorkflowStatus {
  const before = status.workflow?.appRevision === appRevision ? status.workflow : undefined;
  if (before?.finished === true) return before;
  const finished = services.every(({ isHealthy }) => isHealthy);
  const workflow: WorkflowStatus = {
    appRevision,
    status: finished ? 'succeeded' : 'executing',
    finished,
    startTime: before?.startTime ?? timeText(nowMs),
    steps: services.map(({ component: { name }, isHealthy }) => {
      return { name, type: 'apply-component', phase: isHealthy ? 'succeeded' : 'running' };
    }),
  };
  if (finished) workflow.endTime = timeText(nowMs);
  return workflow;
}

/** Those that an Application created. */
function deploymentsOf(
  manager: ControllerManager,
  namespace: string | undefined,
  name: string,
): Deployment[] {
  return manager.deployments.store
    .inNamespace(namespace)
    .filter(
      ({ metadata }) => metadata.labels?.[APP_NAME] === name && metadata.labels[COMPONENT] === metadata.name,
    );
}

/**
 * Applies the Deployments of a revision, reverts changes of others to them, and deletes those that are not in
 * the revision. Components of other types than `webservice` and `worker` are not simulated.
 */
async function applyComponents(
  manager: ControllerManager,
  app: Application,
  chosen: Chosen,
): Promise<readonly ComponentHealth[]> {
  const { components } = chosen.spec;
  const services: ComponentHealth[] = [];
  for (const component of components) services.push(await apply(manager, app, chosen, component));
  for (const old of deploymentsOf(manager, app.metadata.namespace, app.metadata.name))
    if (!components.some(({ name }) => name === old.metadata.name)) await manager.deployments.delete(old);
  return services;
}

async function apply(
  manager: ControllerManager,
  app: Application,
  chosen: Chosen,
  component: Component,
): Promise<ComponentHealth> {
  const { namespace = '' } = app.metadata;
  const deployments = manager.deployments.as('kubevela');
  const desired = render(app, chosen, component);
  const live = deployments.store.get(`${namespace}/${component.name}`);
  if (live === undefined || isDeleting(live)) {
    if (live === undefined) await deployments.create(namespace, desired);
    return { component, isHealthy: false, message: 'Ready:0/1' };
  }
  const isApplied = covers(live.metadata.labels, desired.metadata.labels) && covers(live.spec, desired.spec);
  const { spec, metadata, status } = isApplied ? live : await deployments.replace(over(live, desired));
  const { readyReplicas = 0, updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status;
  const isObserved = (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  const counts = [readyReplicas, updatedReplicas, availableReplicas, replicas];
  return {
    component,
    isHealthy: isObserved && counts.every((count) => count === spec.replicas),
    message: `Ready:${readyReplicas}/${spec.replicas}`,
  };
}

function over(live: Deployment, { metadata, spec }: ReturnType<typeof render>): Deployment {
  const { replicas = live.spec.replicas, template } = spec;
  return {
    ...live,
    metadata: { ...live.metadata, labels: { ...live.metadata.labels, ...metadata.labels } },
    spec: {
      ...live.spec,
      replicas,
      // The annotation of a restart stays.
      template: { ...template, metadata: { ...live.spec.template.metadata, ...template.metadata } },
    },
  };
}

/** Whether the object has everything in `desired`; additions of the API server are ignored. */
function covers(live: unknown, desired: Json | undefined): boolean {
  if (Array.isArray(desired))
    return (
      Array.isArray(live) &&
      live.length === desired.length &&
      desired.every((item, index) => covers(live[index], item))
    );
  if (!isJsonObject(desired)) return desired === undefined || live === desired;
  const object = (live ?? {}) as JsonObject;
  return Object.entries(desired).every(([key, value]) => covers(object[key], value));
}

/**
 * As the definitions of these names do, as far as they are simulated.
 * https://kubevela.io/docs/end-user/components/references/
 */
function render({ metadata }: Application, { latest }: Chosen, component: Component) {
  const { name, type, traits = [] } = component;
  const labels = { [APP_NAME]: metadata.name, [COMPONENT]: name };
  return {
    metadata: {
      name,
      labels: {
        ...labels,
        [APP_NAMESPACE]: metadata.namespace ?? '',
        [APP_REVISION]: latest.name,
        [REVISION_HASH]: latest.revisionHash,
        'workload.oam.dev/type': type,
      },
    },
    spec: {
      replicas: numberAt(traits.find((trait) => trait.type === 'scaler')?.properties, 'replicas'),
      selector: { matchLabels: { [COMPONENT]: name } },
      template: { metadata: { labels }, spec: { containers: [containerOf(component)] } },
    },
  };
}

function containerOf({ name, properties = {} }: Component): Container {
  const { cpu, memory, cmd, env } = properties;
  const amounts = { cpu, memory };
  const ports = objectsAt(properties, 'ports').map((entry) => {
    const port = numberAt(entry, 'port') ?? 0;
    return { name: `port-${port}`, containerPort: port, protocol: 'TCP' };
  });
  return {
    name,
    image: textAt(properties, 'image') ?? '',
    command: cmd,
    env,
    ports: ports.length > 0 ? ports : undefined,
    resources: cpu === undefined && memory === undefined ? undefined : { limits: amounts, requests: amounts },
  } as Container;
}
