import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { type PodMetadata } from '@/sandbox/controllers/argo/argo-rollout';
import { ephemeralOf, metadataOf, withEphemeral } from '@/sandbox/controllers/argo/ephemeral-metadata';
import { type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';

/**
 * Adds the ephemeral metadata of their role, canary or stable, to pods and to the templates of their
 * ReplicaSets, and removes that of a former role.
 * https://argo-rollouts.readthedocs.io/en/stable/features/ephemeral-metadata/
 */
export async function labelPods(reconcile: ArgoReconcile): Promise<void> {
  const { fresh, stable } = reconcile;
  for (const set of reconcile.sets) {
    const role = set === stable || (stable === undefined && set === fresh) ? 'stable' : 'fresh';
    const wanted = set === fresh || set === stable ? metadataOf(reconcile, role) : undefined;
    const before = ephemeralOf(set);
    if (deepEqual(jsonOf(before), jsonOf(wanted))) continue;
    await reconcile.write(withEphemeral(set, wanted));
    for (const pod of reconcile.podsOf(set))
      await reconcile.manager.pods.as('rollouts-controller').merge(pod, patchOf(before, wanted));
  }
}

function patchOf(before: PodMetadata | undefined, wanted: PodMetadata | undefined): JsonObject {
  const change = (part: keyof PodMetadata) => ({
    ...Object.fromEntries(Object.keys(before?.[part] ?? {}).map((name) => [name, null])),
    ...wanted?.[part],
  });
  return { metadata: { labels: change('labels'), annotations: change('annotations') } };
}

function jsonOf(metadata: PodMetadata | undefined): JsonObject {
  return { labels: metadata?.labels ?? {}, annotations: metadata?.annotations ?? {} };
}
