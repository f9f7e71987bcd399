import { NAME, REVISION_KEY } from '@/lib/workloads/leader-worker-set/metadata';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type LeaderWorkerSet, recordEvent } from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import {
  revisionKey,
  revisionName,
  revisionText,
  textOfRevision,
} from '@/sandbox/controllers/leader-worker-set/revision-data';
import { controllerOf, controllerReference } from '@/sandbox/controllers/objects/owner';
import { type ControllerRevision, type StatefulSet } from '@/sandbox/controllers/objects/workloads';
import { dataText } from '@/sandbox/controllers/revisions/data';
import { byRevision } from '@/sandbox/controllers/revisions/order';

export interface ChosenRevision {
  revision: ControllerRevision;
  key: string;
  /** It was recorded in this reconcile. */
  isNew: boolean;
}

function keyOf({ metadata }: ControllerRevision): string {
  return metadata.labels?.[REVISION_KEY] ?? '';
}

/** By label, of this owner or of none, in order. */
export function listRevisions(manager: ControllerManager, set: LeaderWorkerSet): ControllerRevision[] {
  const { namespace, name, uid } = set.metadata;
  return manager.revisions.store
    .inNamespace(namespace)
    .filter(({ metadata }) => metadata.labels?.[NAME] === name)
    .filter((revision) => (controllerOf(revision)?.uid ?? uid) === uid)
    .sort(byRevision);
}

/** The newest one with the key, as several may have it. */
export function revisionOf(
  revisions: readonly ControllerRevision[],
  key: string,
): ControllerRevision | undefined {
  return revisions.findLast((revision) => keyOf(revision) === key);
}

/**
 * The revision of the current spec. It is compared with the current one alone, never with earlier ones: a
 * return to earlier content creates another object with the same key.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (getOrCreateRevisionIfNonExist, getUpdatedRevision)
 */
export async function chooseRevision(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  leaders: StatefulSet | undefined,
): Promise<ChosenRevision> {
  const text = revisionText(set.spec);
  const own = revisionKey(text);
  const known = leaders?.metadata.labels?.[REVISION_KEY];
  const current = revisionOf(listRevisions(manager, set), known ?? own);
  if (current === undefined) {
    const key = known ?? own;
    const revision = await create(manager, set, text, key);
    recordEvent(
      manager,
      set,
      'CreatingRevision',
      leaders === undefined
        ? `Creating revision with key ${key} for a newly created LeaderWorkerSet`
        : `Creating missing revision with key ${key} for existing LeaderWorkerSet`,
    );
    return { revision, key, isNew: false };
  }
  if (isEqual(current, text)) return { revision: current, key: keyOf(current), isNew: false };
  const revision = await create(manager, set, text, own);
  recordEvent(manager, set, 'CreatingRevision', `Creating revision with key ${own} for updated LWS`);
  return { revision, key: own, isNew: true };
}

/** From 0.9 on also when they only differ by an older encoding. */
function isEqual({ data }: ControllerRevision, text: string): boolean {
  return dataText(data) === text || textOfRevision(data) === text;
}

function create(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  text: string,
  key: string,
): Promise<ControllerRevision> {
  const { namespace, name } = set.metadata;
  const revision = (listRevisions(manager, set).at(-1)?.revision ?? 0) + 1;
  const metadata = {
    name: revisionName(name, text, revision),
    labels: { [NAME]: name, [REVISION_KEY]: key },
    ownerReferences: [controllerReference(set)],
  };
  return asLws(manager.revisions).createWithData(namespace, { metadata, revision }, text);
}

/** When a rollout has completed, only revisions with its key stay. */
export async function truncate(manager: ControllerManager, set: LeaderWorkerSet, key: string): Promise<void> {
  for (const revision of listRevisions(manager, set))
    if (keyOf(revision) !== key) await manager.revisions.delete(revision);
}

/** Signed as the real controller signs. */
export function asLws<T extends ControllerRevision | StatefulSet>(resource: Resource<T>): Resource<T> {
  return resource.as('lws');
}
