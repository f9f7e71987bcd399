import 'server-only';
import { AppError } from '@/lib/errors';
import { isJsonObject, type Json, type JsonObject, stringifyGo } from '@/lib/kube/json';
import { OWN_LABEL } from '@/lib/ledger/rollout-history';
import { objectAt, textAt } from '@/lib/workloads/read';
import { resourcePath, type ResourceType } from '@/lib/workloads/resource';
import { FIELD_MANAGER } from '@/server/actions/write';
import { type Transport } from '@/server/cluster/transport';

/** What is known of a RolloutHistory that Shiplog wrote. */
export interface HistoryObject {
  namespace: string;
  name: string;
  uid: string;
  workloadUid: string;
  /** Which Shiplog wrote it; empty where a version wrote it that did not say. */
  writer: string;
  /** When its rollout was over, else when it was written. */
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
/** Of several Shiplogs with archives of their own, each takes away only what it wrote. */
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

  /** False where an object of that name is there already. */
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

  /** A subresource of its own: what `create` sends of it is ignored. */
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

const selector = Object.entries(OWN_LABEL)
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
