import { createHash } from 'node:crypto';
import { canonicalJson, deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { groupOf, type KubeObject } from '@/lib/kube/object';
import { objectAt, objectIn, objectsAt, textAt } from '@/lib/kube/read';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { ObjectChange } from '@/sandbox/controllers/runtime/informer';
import type { Manager, Resource } from '@/sandbox/controllers/runtime/resource';
import { objectPath } from '@/sandbox/controllers/runtime/resource-type';

/** A tool that deploys workloads from Git. */
interface GitTool {
  /** `{plural}.{group}` of the objects that describe what it deploys. */
  readonly kind: string;
  readonly manager: Manager;
  /** The key of the object that a workload names as its owner. */
  ownerKeyOf(workload: KubeObject): ObjectKey | undefined;
  /** Returns after how many milliseconds to come back; undefined: after the next change. */
  reconcile(state: GitState): Promise<number | undefined>;
}

export interface Deployed {
  readonly resource: Resource<KubeObject>;
  readonly object: KubeObject;
}

/** An owner with its workloads, and what of them differs from Git. */
export interface GitState {
  readonly owners: Resource<KubeObject>;
  readonly owner: KubeObject;
  readonly workloads: readonly Deployed[];
  readonly drifted: readonly Deployed[];
  /** The commit, as 40 hexadecimal digits. */
  readonly revision: string;
  /** To be kept in the owner. */
  readonly annotations: Record<string, string>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Writes the templates of Git, as the tool does. */
  putBack(workloads: readonly Deployed[]): Promise<void>;
}

/** There is no repository: the templates in Git, by workload, are in this annotation of the owner. */
const IN_GIT = 'sandbox.shiplog.dev/in-git';

/** Reconciles an owner after each change of it, and of the spec of one of its workloads. */
export function runGitTool(manager: ControllerManager, tool: GitTool): void {
  const owners = manager.follow<KubeObject>(tool.kind);
  const rollouts = manager.follow<KubeObject>('rollouts.argoproj.io');
  const { deployments, statefulSets, daemonSets } = manager;
  const builtIn = [deployments, statefulSets, daemonSets] as unknown as readonly Resource<KubeObject>[];
  const work = manager.register(async (key) => {
    const resource = owners.resource?.as(tool.manager);
    const owner = resource?.store.get(key);
    const workloads = [...builtIn, ...(rollouts.resource === undefined ? [] : [rollouts.resource])].flatMap(
      (each) => deployedBy(each, (workload) => tool.ownerKeyOf(workload) === key),
    );
    if (resource === undefined || owner === undefined || workloads.length === 0) return;
    const againInMs = await tool.reconcile(await compare(manager, tool.manager, resource, owner, workloads));
    if (againInMs !== undefined) work.addAfter(key, againInMs);
  });
  const onWorkload = ({ object, before }: ObjectChange<KubeObject>) => {
    if (object === undefined || object.metadata.generation === before?.metadata.generation) return;
    const key = tool.ownerKeyOf(object);
    if (key !== undefined) work.add(key);
  };
  for (const { store } of builtIn) store.onChange(onWorkload);
  rollouts.onChange(onWorkload);
  owners.onChange(({ object }) => {
    if (object !== undefined) work.add(keyOf(object));
  });
}

/** `<group>/<Kind>:<namespace>/<name>`, as in the tracking ids of Argo CD. */
export function idOf({ apiVersion, kind, metadata: { namespace = '', name } }: KubeObject): string {
  return `${groupOf(apiVersion)}/${kind}:${namespace}/${name}`;
}

function deployedBy(
  resource: Resource<KubeObject>,
  isOwn: (workload: KubeObject) => boolean,
): readonly Deployed[] {
  return resource.store
    .all()
    .filter(isOwn)
    .map((object) => ({ resource, object }));
}

/**
 * The newest templates that the tool wrote are in Git, however they came there; where it has not written one, the first
 * that was found.
 */
async function compare(
  manager: ControllerManager,
  writer: Manager,
  owners: Resource<KubeObject>,
  owner: KubeObject,
  workloads: readonly Deployed[],
): Promise<GitState> {
  const known = objectIn(owner.metadata.annotations?.[IN_GIT]) ?? {};
  const inGit: JsonObject = {};
  for (const each of workloads) {
    const [id, template] = [idOf(each.object), templateOf(each.object)];
    const before = objectAt(known, id);
    const isCommit =
      before === undefined || (!deepEqual(before, template) && (await wroteLast(manager, writer, each)));
    inGit[id] = isCommit ? template : before;
  }
  const restored = (object: KubeObject) => over(templateOf(object), inGit[idOf(object)] ?? {});
  const text = canonicalJson(inGit);
  return {
    owners,
    owner,
    workloads,
    drifted: workloads.filter(({ object }) => !deepEqual(restored(object), templateOf(object))),
    revision: createHash('sha1').update(text).digest('hex'),
    annotations: { [IN_GIT]: text },
    now: manager.now(),
    putBack: async (drifted) => {
      for (const { resource, object } of drifted)
        await resource
          .as(writer)
          .replace({ ...object, spec: { ...object.spec, template: restored(object) } });
    },
  };
}

/** Whether this manager was the last to write the template. The stores have no field managers. */
async function wroteLast(
  manager: ControllerManager,
  writer: Manager,
  { resource, object }: Deployed,
): Promise<boolean> {
  const { namespace, name } = object.metadata;
  const path = objectPath(resource.type, namespace, name);
  const answer = await manager.transport.json({ method: 'GET', path });
  const writes = objectsAt(answer, 'metadata', 'managedFields')
    .filter((entry) => objectAt(entry, 'fieldsV1', 'f:spec', 'f:template') !== undefined)
    .map((entry) => ({ by: textAt(entry, 'manager'), time: textAt(entry, 'time') ?? '' }));
  const own = writes.find(({ by }) => by === writer);
  return own !== undefined && writes.every((write) => write === own || write.time < own.time);
}

function templateOf({ spec }: KubeObject): JsonObject {
  return objectAt(spec, 'template') ?? {};
}

/** Members that others added stay, such as the annotation of a restart: neither tool owns them. Lists are put back whole. */
function over(live: Json | undefined, desired: Json): Json {
  if (!isJsonObject(live) || !isJsonObject(desired)) return desired;
  const own = Object.entries(desired).map(([key, value]) => [key, over(live[key], value ?? null)]);
  return { ...live, ...(Object.fromEntries(own) as JsonObject) };
}
