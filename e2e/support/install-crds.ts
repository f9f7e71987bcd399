import type { KubeClient } from '@/e2e/controlplane/kube-client';
import { waitFor } from '@/e2e/controlplane/wait';
import type { JsonObject } from '@/lib/kube/json';
import { objectsAt, textAt } from '@/lib/kube/read';
import { argoCrds, kruiseCrds } from '@/sandbox/crds/crds';

/** Installs the definitions of Argo Rollouts and returns when every kind is served. */
export function installArgo(client: KubeClient): Promise<void> {
  return install(client, argoCrds);
}

/** Installs the definitions of OpenKruise and returns when every version of every kind is served. */
export function installKruise(client: KubeClient): Promise<void> {
  return install(client, kruiseCrds);
}

async function install(client: KubeClient, crds: readonly JsonObject[]): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await Promise.all(crds.map((definition) => client.create(definitions, definition)));
  for (const path of crds.flatMap(collectionsOf))
    await waitFor(() => client.list(path), { what: `${path} is served` });
}

function collectionsOf({ spec }: JsonObject): string[] {
  const [group = '', plural = ''] = [textAt(spec, 'group'), textAt(spec, 'names', 'plural')];
  return objectsAt(spec, 'versions').map(
    (version) => `/apis/${group}/${textAt(version, 'name') ?? ''}/${plural}`,
  );
}
