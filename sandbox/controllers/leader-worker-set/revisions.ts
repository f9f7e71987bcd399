import type { JsonObject } from '@/lib/kube/json';
import { mapPodTemplates } from '@/lib/kube/pod-templates';
import { objectAt } from '@/lib/kube/read';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import {
  type GroupTemplate,
  type LeaderWorkerSet,
  type LeaderWorkerSetSpec,
  NAME,
  recordEvent,
  REVISION_KEY,
} from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import { controllerOf, controllerReference } from '@/sandbox/controllers/objects/owner';
import type { ControllerRevision, StatefulSet } from '@/sandbox/controllers/objects/workloads';
import { byRevision, dataText } from '@/sandbox/controllers/revisions/controller-revisions';
import { fnv1, goJson, safeEncode } from '@/sandbox/controllers/revisions/hash';

export interface ChosenRevision {
  /** The hash of its content, by which StatefulSets and pods name it. */
  readonly key: string;
  /** Its content has just changed. */
  readonly isNew: boolean;
}

/** The revisions of a LeaderWorkerSet in order. Several may have the same key. */
function listRevisions(manager: ControllerManager, set: LeaderWorkerSet): ControllerRevision[] {
  const { namespace, name, uid } = set.metadata;
  return manager.revisions.store
    .inNamespace(namespace)
    .filter(({ metadata }) => metadata.labels?.[NAME] === name)
    .filter((revision) => (controllerOf(revision)?.uid ?? uid) === uid)
    .sort(byRevision);
}

/**
 * The revision of the present spec. It is compared with the current one alone, never with earlier ones: a return to
 * earlier content creates another object with the same key.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (getOrCreateRevisionIfNonExist, getUpdatedRevision)
 */
export async function chooseRevision(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  leaders: StatefulSet | undefined,
): Promise<ChosenRevision> {
  const text = encode(set.spec);
  const own = safeEncode(String(fnv1(Buffer.from(text))));
  const known = leaders?.metadata.labels?.[REVISION_KEY] ?? own;
  const revisions = listRevisions(manager, set);
  const current = revisions.findLast((revision) => keyOf(revision) === known);
  if (current !== undefined && dataText(current.data) === text) return { key: known, isNew: false };
  const key = current === undefined ? known : own;
  const revision = (revisions.at(-1)?.revision ?? 0) + 1;
  const { namespace, name } = set.metadata;
  const metadata = {
    name: `${name}-${own}-${revision}`,
    labels: { [NAME]: name, [REVISION_KEY]: key },
    ownerReferences: [controllerReference(set)],
  };
  await manager.revisions.as('lws').createWithData(namespace, { metadata, revision }, text);
  recordEvent(manager, set, 'CreatingRevision', `Creating revision with key ${key}`);
  return { key, isNew: current !== undefined };
}

function keyOf({ metadata }: ControllerRevision): string | undefined {
  return metadata.labels?.[REVISION_KEY];
}

/** The group template that was recorded under a key. */
export function findTemplate(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  key: string,
): GroupTemplate | undefined {
  const revision = listRevisions(manager, set).findLast((each) => keyOf(each) === key);
  return objectAt(revision?.data, 'spec', 'leaderWorkerTemplate') as GroupTemplate | undefined;
}

/** When a rollout has completed, only revisions with its key stay. */
export async function truncate(manager: ControllerManager, set: LeaderWorkerSet, key: string): Promise<void> {
  for (const revision of listRevisions(manager, set))
    if (keyOf(revision) !== key) await manager.revisions.delete(revision);
}

/**
 * The content of a revision, as the bytes that are hashed and compared. The controller writes it from typed objects, so
 * members without omitempty are empty; a network without configuration counts as shared.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/utils/revision/revision_utils.go (getPatch)
 */
function encode({ leaderWorkerTemplate, networkConfig }: LeaderWorkerSetSpec): string {
  const replace = { $patch: 'replace' };
  const spec = {
    leaderWorkerTemplate: { ...replace, ...leaderWorkerTemplate },
    networkConfig: { ...replace, subdomainPolicy: 'Shared', ...networkConfig },
  };
  return goJson({ spec: mapPodTemplates(spec, withEmptyMembers) });
}

function withEmptyMembers({ metadata = {}, spec, ...rest }: JsonObject): JsonObject {
  const pod = { ...(spec as JsonObject) };
  for (const list of ['containers', 'initContainers']) {
    const containers = pod[list];
    if (Array.isArray(containers))
      pod[list] = containers.map((container) => ({ resources: {}, ...(container as JsonObject) }));
  }
  return { ...rest, metadata, spec: pod };
}
