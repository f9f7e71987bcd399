import 'server-only';
import { FIELD_MANAGER } from '@/lib/kube/managed-fields';
import { AppError } from '@/lib/errors';
import { isJsonObject, type Json, type JsonObject, stringifyGo } from '@/lib/kube/json';
import { MANAGED_BY_SHIPLOG } from '@/lib/rollout/openkruise/resources';
import { objectAt, textAt } from '@/lib/kube/read';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import type { Transport } from '@/server/cluster/transport';

/** The facts of a RolloutHistory that Shiplog wrote. */
export interface HistoryObject {
  namespace: string;
  name: string;
  uid: string;
  workloadUid: string;
  /** Which instance of Shiplog wrote it; empty for a version that did not write that. */
  writer: string;
  /** When its rollout ended, else when it was written. */
  endedAt: string;
  isCompleted: boolean;
}

const type: ResourceType = {
  id: 'rollouthistories.rollouts.kruise.io',
  group: 'rollouts.kruise.io',
  versions: ['v1alpha1'],
  plural: 'rollouthistories',
  kind: 'RolloutHistory',
};
const VERSION = 'v1alpha1';
/** Of several instances with archives of their own, each deletes only its own objects. */
const WRITER_LABEL = 'shiplog.dev/archive';
const PAGE_SIZE = 250;

/** The RolloutHistories that Shiplog wrote into one cluster, read and written as the process. */
export class HistoryObjects {
  readonly #transport: Pick<Transport, 'json'>;

  constructor(transport: Pick<Transport, 'json'>) {
    this.#transport = transport;
  }

  /** Throws AppError `not_found` where the cluster does not serve the kind. */
  async list(namespace: string | undefined): Promise<HistoryObject[]> {
    const found: HistoryObject[] = [];
    let token: string | undefined;
    do {
      const answer = await this.#transport.json({
        method: 'GET',
        path: resourcePath(type, VERSION, namespace),
        query: { labelSelector: selector, limit: String(PAGE_SIZE), continue: token },
      });
      const list = isJsonObject(answer) ? answer : {};
      found.push(...itemsOf(list));
      token = textAt(list, 'metadata', 'continue');
    } while (token !== undefined && token !== '');
    return found;
  }

  /** False where an object of that name already exists. */
  async create(object: JsonObject, writer: string): Promise<boolean> {
    const { status: _status, ...rest } = object;
    const metadata = objectAt(rest, 'metadata') ?? {};
    const labels = { ...objectAt(metadata, 'labels'), [WRITER_LABEL]: writer };
    const body = { ...rest, metadata: { ...metadata, labels } };
    try {
      await this.#transport.json({
        method: 'POST',
        path: resourcePath(type, VERSION, textAt(object, 'metadata', 'namespace')),
        query: { fieldManager: FIELD_MANAGER },
        body: stringifyGo(body),
      });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.details.status === 409) return false;
      throw error;
    }
  }

  /** A subresource of its own: the API server ignores the status in a `create`. */
  async complete(object: JsonObject): Promise<void> {
    const [namespace, name] = [textAt(object, 'metadata', 'namespace'), textAt(object, 'metadata', 'name')];
    await this.#transport.json({
      method: 'PATCH',
      path: `${resourcePath(type, VERSION, namespace, name)}/status`,
      query: { fieldManager: FIELD_MANAGER },
      body: stringifyGo({ status: object.status }),
      contentType: 'application/merge-patch+json',
    });
  }

  async remove({ namespace, name, uid }: HistoryObject): Promise<void> {
    await this.#transport.json({
      method: 'DELETE',
      path: resourcePath(type, VERSION, namespace, name),
      body: JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid } }),
    });
  }
}

const selector = Object.entries(MANAGED_BY_SHIPLOG)
  .map(([key, value]) => `${key}=${value}`)
  .join(',');

function itemsOf(list: JsonObject): HistoryObject[] {
  const items: Json[] = Array.isArray(list.items) ? list.items : [];
  return items.flatMap((item) => {
    const metadata = isJsonObject(item) ? objectAt(item, 'metadata') : undefined;
    if (!isJsonObject(item) || metadata === undefined) return [];
    return [
      {
        namespace: textAt(metadata, 'namespace') ?? '',
        name: textAt(metadata, 'name') ?? '',
        uid: textAt(metadata, 'uid') ?? '',
        workloadUid: textAt(metadata, 'labels', 'shiplog.dev/workload-uid') ?? '',
        writer: textAt(metadata, 'labels', WRITER_LABEL) ?? '',
        endedAt:
          textAt(metadata, 'annotations', 'shiplog.dev/ended-at') ??
          textAt(metadata, 'creationTimestamp') ??
          '',
        isCompleted: textAt(item, 'status', 'phase') === 'completed',
      },
    ];
  });
}
