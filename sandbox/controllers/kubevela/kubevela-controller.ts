import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  APP_NAME,
  type Application,
  type ApplicationRevision,
  CONTROLLER_REQUIRED,
  followKubevela,
  type KubevelaKinds,
} from '@/sandbox/controllers/kubevela/application';
import { applyComponents, deploymentsOf } from '@/sandbox/controllers/kubevela/components';
import { pack } from '@/sandbox/controllers/kubevela/compression';
import { type Installation, installationIn } from '@/sandbox/controllers/kubevela/installation';
import { type Chosen, chooseRevision, dropOldRevisions } from '@/sandbox/controllers/kubevela/revisions';
import { statusOf } from '@/sandbox/controllers/kubevela/status';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

/**
 * Simulates the Applications of KubeVela wherever they are served, as far as revisions, compressed ones too,
 * and Deployments require: with publishVersions, without workflows, policies and other clusters.
 * https://github.com/kubevela/kubevela/blob/master/pkg/controller/core.oam.dev/v1beta1/application/application_controller.go
 */
export function runKubevela(manager: ControllerManager): void {
  const kinds = followKubevela(manager);
  const work = manager.register((key) => sync(manager, kinds, key));
  kinds.applications.onChange(({ object, before }) => {
    const app = object ?? before;
    if (app !== undefined) work.add(keyOf(app));
  });
  kinds.revisions.onChange(({ object, before }) => {
    const { metadata } = object ?? before ?? {};
    const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
    if (owner !== undefined) work.add(`${metadata?.namespace ?? ''}/${owner.name}`);
  });
  manager.deployments.store.onChange(({ object, before }) => {
    const { metadata } = object ?? before ?? {};
    const name = metadata?.labels?.[APP_NAME];
    if (name !== undefined && kinds.applications.resource !== undefined)
      work.add(`${metadata?.namespace ?? ''}/${name}`);
  });
}

async function sync(manager: ControllerManager, kinds: KubevelaKinds, key: ObjectKey): Promise<void> {
  const applications = kinds.applications.resource?.as('kubevela');
  const revisions = kinds.revisions.resource?.as('kubevela');
  if (applications === undefined || revisions === undefined) return;
  const app = applications.store.get(key);
  if (app === undefined || isDeleting(app)) return remove(manager, key);
  if (app.metadata.annotations?.[CONTROLLER_REQUIRED] === 'Disabled') return;
  const installation = installationIn(manager);
  const chosen = await chooseRevision(kinds, revisions, app, installation);
  const services = await applyComponents(manager, app, chosen);
  const status = statusOf(app, chosen, services, manager.now());
  tell(manager, app, status);
  if (!deepEqual(json(status), json(app.status))) await applications.replaceStatus({ ...app, status });
  await finish(revisions, chosen, status.workflow, installation);
  await dropOldRevisions(revisions, app, chosen.revision, installation);
}

/** Records the result in the revision, which is then stored the way updates are. */
async function finish(
  revisions: Resource<ApplicationRevision>,
  { revision }: Chosen,
  workflow: ApplicationRevision['status']['workflow'],
  { compression }: Installation,
): Promise<void> {
  const succeeded = workflow?.status === 'succeeded';
  const status = { succeeded, ...(workflow !== undefined && { workflow }) };
  const noted = deepEqual(json(status), json(revision.status))
    ? revision
    : await revisions.replaceStatus({ ...revision, status });
  if (!succeeded || compression === undefined || noted.spec.compression !== undefined) return;
  await revisions.replace({ ...noted, spec: pack(noted.spec, compression) });
}

async function remove(manager: ControllerManager, key: ObjectKey): Promise<void> {
  const [namespace, name = ''] = key.split('/');
  for (const deployment of deploymentsOf(manager, { namespace, name }))
    await manager.deployments.delete(deployment);
}

const BEGINNING = ['Parsed', 'Revisioned', 'Rendered'];
const END = ['Applied', 'Deployed'];

function tell(manager: ControllerManager, app: Application, { workflow }: Application['status']): void {
  const before = app.status.workflow;
  const hasBegun = workflow?.appRevision !== before?.appRevision;
  const hasEnded = workflow?.finished === true && (hasBegun || before?.finished !== true);
  for (const reason of [...(hasBegun ? BEGINNING : []), ...(hasEnded ? END : [])])
    manager.events.record({
      about: app,
      type: 'Normal',
      reason,
      message: `${reason} successfully`,
      source: { component: 'Application' },
    });
}

/** Interfaces have no index signature. */
function json(value: object): JsonObject {
  return value as JsonObject;
}
