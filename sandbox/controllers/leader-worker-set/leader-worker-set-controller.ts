import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { REPLICAS, REVISION_KEY } from '@/lib/workloads/leader-worker-set/metadata';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type ObjectChange } from '@/sandbox/controllers/engine/informer';
import { type Resource, errorText } from '@/sandbox/controllers/engine/resource';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { observeGroups } from '@/sandbox/controllers/leader-worker-set/groups';
import {
  type LeaderWorkerSet,
  setKeyOf,
  strategyOf,
  recordEvent,
  withDefaults,
} from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import {
  asLws,
  type ChosenRevision,
  chooseRevision,
  truncate,
} from '@/sandbox/controllers/leader-worker-set/revisions';
import { type NextState, nextState } from '@/sandbox/controllers/leader-worker-set/rollout';
import { leadersDraft } from '@/sandbox/controllers/leader-worker-set/stateful-sets';
import { assessStatus } from '@/sandbox/controllers/leader-worker-set/status';
import { keepWorkers } from '@/sandbox/controllers/leader-worker-set/workers';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, type Pod } from '@/sandbox/controllers/objects/pod';
import { type StatefulSet } from '@/sandbox/controllers/objects/workloads';

const ENDING_RETRY_MS = 5_000;

/**
 * Maintains the groups of LeaderWorkerSets through StatefulSets, once the kind is served.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go
 */
export function runLeaderWorkerSets(manager: ControllerManager): void {
  const kind = manager.follow<LeaderWorkerSet>('leaderworkersets.leaderworkerset.x-k8s.io');
  const work = manager.register(async (key) => {
    if (kind.resource !== undefined) await sync(manager, kind.resource, work, key);
  });
  kind.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  const onMember = ({ object, before }: ObjectChange<Pod> | ObjectChange<StatefulSet>) => {
    const state = object ?? before;
    const key = state === undefined ? undefined : setKeyOf(state);
    if (key !== undefined) work.add(key);
  };
  manager.pods.store.onChange(onMember);
  manager.statefulSets.store.onChange(onMember);
}

async function sync(
  manager: ControllerManager,
  sets: Resource<LeaderWorkerSet>,
  work: Worklist,
  key: ObjectKey,
): Promise<void> {
  const stored = sets.store.get(key);
  if (stored === undefined || isDeleting(stored)) return;
  const set = withDefaults(stored);
  const before = leadersOf(manager, set);
  if (before !== undefined && isDeleting(before)) {
    work.addAfter(key, ENDING_RETRY_MS);
    return;
  }
  const chosen = await chooseRevision(manager, set, before);
  const leaders = await applyLeaders(manager, set, before, chosen);
  const waitMs = await keepWorkers(manager, set, leaders);
  if (waitMs !== undefined) work.addAfter(key, waitMs);
  await report(manager, sets, set, chosen.key);
}

/** Ignores another owner's StatefulSet of this name; the API server rejects a second one. */
function leadersOf(
  manager: ControllerManager,
  { metadata, ...rest }: LeaderWorkerSet,
): StatefulSet | undefined {
  const found = manager.statefulSets.store.get(keyOf({ metadata, ...rest }));
  return found !== undefined && isControlledBy(found, { metadata, ...rest }) ? found : undefined;
}

async function applyLeaders(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  before: StatefulSet | undefined,
  { key, isNew }: ChosenRevision,
): Promise<StatefulSet> {
  const { name, namespace } = set.metadata;
  const strategy = strategyOf(set);
  const groups = observeGroups(manager, set, before, key);
  const next = nextState(before && stateOf(before), {
    wanted: set.spec.replicas,
    strategy,
    groups,
    isNew,
  });
  const draft = leadersDraft(set, key, next);
  if (before === undefined) {
    try {
      const made = await asLws(manager.statefulSets).create(namespace, draft);
      recordEvent(manager, set, 'GroupsProgressing', `Created leader statefulset ${name}`);
      return made;
    } catch (error) {
      recordEvent(
        manager,
        set,
        'FailedCreate',
        `Failed to create leader statefulset ${name}: ${errorText(error)}`,
        'Warning',
      );
      throw error;
    }
  }
  if (isApplied(before, draft, next)) return before;
  const after = await write(manager, set, before, draft);
  tellMove(manager, set, before, next);
  return after;
}

function stateOf({ metadata, spec }: StatefulSet) {
  const wanted = Number(metadata.annotations?.[REPLICAS] ?? spec.replicas);
  return { replicas: spec.replicas, partition: partitionOf(spec), wanted };
}

function partitionOf({ updateStrategy }: StatefulSet['spec']): number {
  return updateStrategy.rollingUpdate?.partition ?? 0;
}

/** The template follows from the key, so only the other fields are compared. */
function isApplied({ metadata, spec }: StatefulSet, draft: JsonObject, next: NextState): boolean {
  const { labels = {}, annotations = {} } = draft.metadata as {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  const has = (own: Record<string, string> | undefined, wanted: Record<string, string>) =>
    Object.entries(wanted).every(([name, value]) => own?.[name] === value);
  return (
    has(metadata.labels, labels) &&
    has(metadata.annotations, annotations) &&
    spec.replicas === next.replicas &&
    partitionOf(spec) === next.partition
  );
}

async function write(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  before: StatefulSet,
  { metadata, spec }: JsonObject & { metadata: JsonObject },
): Promise<StatefulSet> {
  const wanted = { ...(metadata as object) } as Pick<StatefulSet['metadata'], 'labels' | 'annotations'>;
  const isSameTemplate = before.metadata.labels?.[REVISION_KEY] === wanted.labels?.[REVISION_KEY];
  const own = spec as object as StatefulSet['spec'];
  try {
    return await asLws(manager.statefulSets).replace({
      ...before,
      metadata: {
        ...before.metadata,
        labels: { ...before.metadata.labels, ...wanted.labels },
        annotations: { ...before.metadata.annotations, ...wanted.annotations },
      },
      spec: {
        ...before.spec,
        replicas: own.replicas,
        updateStrategy: own.updateStrategy,
        ...(!isSameTemplate && {
          template: own.template,
          ...(own.volumeClaimTemplates && { volumeClaimTemplates: own.volumeClaimTemplates }),
        }),
      },
    });
  } catch (error) {
    const message = `Failed to update leader statefulset ${before.metadata.name}: ${errorText(error)}`;
    recordEvent(manager, set, 'FailedUpdate', message, 'Warning');
    throw error;
  }
}

function tellMove(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  before: StatefulSet,
  next: NextState,
): void {
  const partition = partitionOf(before.spec);
  const { name, replicas } = { name: before.metadata.name, replicas: before.spec.replicas };
  if (next.partition !== partition) {
    const last = partition - 1;
    recordEvent(
      manager,
      set,
      'GroupsUpdating',
      next.partition === last
        ? `Updating replica ${last}`
        : `Updating replicas ${next.partition} to ${last} (inclusive)`,
    );
  }
  if (next.replicas < replicas && replicas > set.spec.replicas) {
    const [first, last] = [next.replicas, replicas - 1];
    recordEvent(
      manager,
      set,
      'GroupsProgressing',
      first === last
        ? `deleting surge replica ${name}-${last}`
        : `deleting surge replicas from ${name}-${first} to ${name}-${last}`,
    );
  }
}

async function report(
  manager: ControllerManager,
  sets: Resource<LeaderWorkerSet>,
  set: LeaderWorkerSet,
  key: string,
): Promise<void> {
  const leaders = leadersOf(manager, set);
  const { status, news, isDone } = assessStatus(
    set,
    leaders,
    observeGroups(manager, set, leaders, key),
    manager.now(),
  );
  for (const { reason, message } of news) recordEvent(manager, set, reason, message);
  if (!deepEqual(status as object as JsonObject, set.status as object as JsonObject))
    await sets.as('lws').replaceStatus({ ...set, status });
  if (isDone) await truncate(manager, set, key);
}
