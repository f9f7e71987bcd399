import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { REPLICAS, REVISION_KEY } from '@/lib/workloads/leader-worker-set/marks';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type ObjectChange } from '@/server/sandbox/controllers/engine/object-store';
import { type Resource, wordsOf } from '@/server/sandbox/controllers/engine/resource';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type World } from '@/server/sandbox/controllers/engine/world';
import { seeGroups } from '@/server/sandbox/controllers/leader-worker-set/groups';
import {
  type LeaderWorkerSet,
  setKeyOf,
  strategyOf,
  tell,
  withDefaults,
} from '@/server/sandbox/controllers/leader-worker-set/leader-worker-set';
import {
  asLws,
  type ChosenRevision,
  chooseRevision,
  truncate,
} from '@/server/sandbox/controllers/leader-worker-set/revisions';
import { type NextState, nextState } from '@/server/sandbox/controllers/leader-worker-set/rollout';
import { leadersDraft } from '@/server/sandbox/controllers/leader-worker-set/stateful-sets';
import { judge } from '@/server/sandbox/controllers/leader-worker-set/status';
import { keepWorkers } from '@/server/sandbox/controllers/leader-worker-set/workers';
import { isControlledBy } from '@/server/sandbox/controllers/objects/owner';
import { isDeleting, type Pod } from '@/server/sandbox/controllers/objects/pod';
import { type StatefulSet } from '@/server/sandbox/controllers/objects/workloads';

const ENDING_RETRY_MS = 5_000;

/**
 * Keeps the groups of LeaderWorkerSets on top of StatefulSets, once the kind is served.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go
 */
export function runLeaderWorkerSets(world: World): void {
  const kind = world.follow<LeaderWorkerSet>('leaderworkersets.leaderworkerset.x-k8s.io');
  const work = world.register(async (key) => {
    if (kind.resource !== undefined) await sync(world, kind.resource, work, key);
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
  world.pods.store.onChange(onMember);
  world.statefulSets.store.onChange(onMember);
}

async function sync(
  world: World,
  sets: Resource<LeaderWorkerSet>,
  work: Worklist,
  key: ObjectKey,
): Promise<void> {
  const stored = sets.store.get(key);
  if (stored === undefined || isDeleting(stored)) return;
  const set = withDefaults(stored);
  const before = leadersOf(world, set);
  if (before !== undefined && isDeleting(before)) {
    work.addAfter(key, ENDING_RETRY_MS);
    return;
  }
  const chosen = await chooseRevision(world, set, before);
  const leaders = await applyLeaders(world, set, before, chosen);
  const waitMs = await keepWorkers(world, set, leaders);
  if (waitMs !== undefined) work.addAfter(key, waitMs);
  await report(world, sets, set, chosen.key);
}

/** Of another owner's StatefulSet of this name nothing is taken; the API server refuses a second one. */
function leadersOf(world: World, { metadata, ...rest }: LeaderWorkerSet): StatefulSet | undefined {
  const found = world.statefulSets.store.get(keyOf({ metadata, ...rest }));
  return found !== undefined && isControlledBy(found, { metadata, ...rest }) ? found : undefined;
}

async function applyLeaders(
  world: World,
  set: LeaderWorkerSet,
  before: StatefulSet | undefined,
  { key, isNew }: ChosenRevision,
): Promise<StatefulSet> {
  const { name, namespace } = set.metadata;
  const strategy = strategyOf(set);
  const groups = seeGroups(world, set, before, key);
  const next = nextState(before && stateOf(before), {
    wanted: set.spec.replicas,
    strategy,
    groups,
    isNew,
  });
  const draft = leadersDraft(set, key, next);
  if (before === undefined) {
    try {
      const made = await asLws(world.statefulSets).create(namespace, draft);
      tell(world, set, 'GroupsProgressing', `Created leader statefulset ${name}`);
      return made;
    } catch (error) {
      tell(
        world,
        set,
        'FailedCreate',
        `Failed to create leader statefulset ${name}: ${wordsOf(error)}`,
        'Warning',
      );
      throw error;
    }
  }
  if (isApplied(before, draft, next)) return before;
  const after = await write(world, set, before, draft);
  tellMove(world, set, before, next);
  return after;
}

function stateOf({ metadata, spec }: StatefulSet) {
  const wanted = Number(metadata.annotations?.[REPLICAS] ?? spec.replicas);
  return { replicas: spec.replicas, partition: partitionOf(spec), wanted };
}

function partitionOf({ updateStrategy }: StatefulSet['spec']): number {
  return updateStrategy.rollingUpdate?.partition ?? 0;
}

/** The template follows from the key, so what is compared is what may differ beside it. */
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
  world: World,
  set: LeaderWorkerSet,
  before: StatefulSet,
  { metadata, spec }: JsonObject & { metadata: JsonObject },
): Promise<StatefulSet> {
  const wanted = { ...(metadata as object) } as Pick<StatefulSet['metadata'], 'labels' | 'annotations'>;
  const isSameTemplate = before.metadata.labels?.[REVISION_KEY] === wanted.labels?.[REVISION_KEY];
  const own = spec as object as StatefulSet['spec'];
  try {
    return await asLws(world.statefulSets).replace({
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
    const message = `Failed to update leader statefulset ${before.metadata.name}: ${wordsOf(error)}`;
    tell(world, set, 'FailedUpdate', message, 'Warning');
    throw error;
  }
}

function tellMove(world: World, set: LeaderWorkerSet, before: StatefulSet, next: NextState): void {
  const partition = partitionOf(before.spec);
  const { name, replicas } = { name: before.metadata.name, replicas: before.spec.replicas };
  if (next.partition !== partition) {
    const last = partition - 1;
    tell(
      world,
      set,
      'GroupsUpdating',
      next.partition === last
        ? `Updating replica ${last}`
        : `Updating replicas ${next.partition} to ${last} (inclusive)`,
    );
  }
  if (next.replicas < replicas && replicas > set.spec.replicas) {
    const [first, last] = [next.replicas, replicas - 1];
    tell(
      world,
      set,
      'GroupsProgressing',
      first === last
        ? `deleting surge replica ${name}-${last}`
        : `deleting surge replicas from ${name}-${first} to ${name}-${last}`,
    );
  }
}

async function report(
  world: World,
  sets: Resource<LeaderWorkerSet>,
  set: LeaderWorkerSet,
  key: string,
): Promise<void> {
  const leaders = leadersOf(world, set);
  const { status, news, isDone } = judge(set, leaders, seeGroups(world, set, leaders, key), world.now());
  for (const { reason, message } of news) tell(world, set, reason, message);
  if (!deepEqual(status as object as JsonObject, set.status as object as JsonObject))
    await sets.as('lws').replaceStatus({ ...set, status });
  if (isDone) await truncate(world, set, key);
}
