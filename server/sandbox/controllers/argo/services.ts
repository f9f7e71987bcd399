import { AppError } from '@/lib/errors';
import { isJsonObject, type JsonObject, stringifyGo } from '@/lib/kube/json';
import { textAt } from '@/lib/workloads/read';
import { pathTo } from '@/server/cluster/request-guard';
import { COMPONENT, HASH_LABEL, MANAGED_BY } from '@/server/sandbox/controllers/argo/argo-rollout';
import { availableOf } from '@/server/sandbox/controllers/argo/replica-sets';
import { hashOf, type Turn } from '@/server/sandbox/controllers/argo/turn';
import { type ReplicaSet } from '@/server/sandbox/controllers/objects/workloads';

/** A Service as it was when it was read. */
export interface Service {
  name: string;
  /** Hash of the ReplicaSet that it leads to; undefined while it leads to all pods. */
  hash: string | undefined;
  isManaged: boolean;
}

/** Undefined where there is none. */
export async function readService(turn: Turn, name: string): Promise<Service | undefined> {
  try {
    const object = await turn.world.transport.json({ method: 'GET', path: pathOf(turn, name) });
    if (!isJsonObject(object)) return undefined;
    return {
      name,
      hash: textAt(object, 'spec', 'selector', HASH_LABEL),
      isManaged: textAt(object, 'metadata', 'annotations', MANAGED_BY) !== undefined,
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Has the Service lead to the pods of that hash alone. */
export async function aim(turn: Turn, service: Service, hash: string): Promise<Service> {
  if (service.hash === hash && service.isManaged) return service;
  const { name } = turn.rollout.metadata;
  const body: JsonObject = {
    ...(!service.isManaged && { metadata: { annotations: { [MANAGED_BY]: name } } }),
    spec: { selector: { [HASH_LABEL]: hash } },
  };
  await turn.world.transport.json({
    method: 'PATCH',
    path: pathOf(turn, service.name),
    query: { fieldManager: COMPONENT },
    contentType: 'application/merge-patch+json',
    body: stringifyGo(body),
  });
  const message = `Switched selector for service '${service.name}' from '${service.hash ?? ''}' to '${hash}'`;
  turn.record('Normal', 'SwitchService', message);
  return { ...service, hash, isManaged: true };
}

/** The Services of a canary lead to its two sides, once pods are there that can answer. */
export async function aimCanaryServices(turn: Turn): Promise<void> {
  const { stableService, canaryService } = turn.rollout.spec.strategy.canary ?? {};
  await aimAt(turn, stableService, turn.stable);
  await aimAt(turn, canaryService, turn.isAborted ? turn.stable : turn.fresh);
}

async function aimAt(turn: Turn, name: string | undefined, set: ReplicaSet | undefined): Promise<void> {
  if (name === undefined || set === undefined) return;
  const service = await readService(turn, name);
  if (service === undefined || service.hash === hashOf(set)) return;
  const enough = service.isManaged ? 1 : set.spec.replicas;
  if (availableOf(set) > 0 && availableOf(set) >= enough) await aim(turn, service, hashOf(set));
}

function pathOf({ rollout }: Turn, name: string): string {
  return pathTo('api', 'v1', 'namespaces', rollout.metadata.namespace ?? 'default', 'services', name);
}
