import { type KubeClient } from '@/e2e/controlplane/kube-client';
import { waitFor } from '@/e2e/controlplane/wait';
import { textAt } from '@/lib/kube/read';
import { argoCrds } from '@/sandbox/crds/crds';

/** Installs the definitions of Argo Rollouts and returns when every kind is served. */
export async function installArgo(client: KubeClient): Promise<void> {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  await Promise.all(argoCrds.map((definition) => client.create(definitions, definition)));
  for (const { spec } of argoCrds) {
    const path = `/apis/argoproj.io/v1alpha1/${textAt(spec, 'names', 'plural') ?? ''}`;
    await waitFor(() => client.list(path), { what: `${path} is served` });
  }
}
