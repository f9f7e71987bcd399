import type { ApiCore } from '@/sandbox/api/api-core';
import type { ApiRequest, ResourceTarget } from '@/sandbox/api/api-request';
import { badRequest, methodNotAllowed } from '@/sandbox/api/objects/api-status';
import type { ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { listOrEmptyAt, type StoredObject, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { readObject } from '@/sandbox/api/write-object';

/** What a container has logged, line by line. */
export interface LogRequest {
  readonly pod: StoredObject;
  readonly container: string;
  /** Of the previous run. */
  readonly previous: boolean;
}

/** Undefined when there is no log. */
export type LogSource = (request: LogRequest) => string | undefined;

/** The log of one container. Throws ApiStatus. https://kubernetes.io/docs/reference/kubernetes-api/core/pod-v1/#get-read-log-of-the-specified-pod */
export function answerLog(
  core: ApiCore,
  logs: LogSource,
  kind: ResourceKind,
  { namespace, name }: ResourceTarget,
  { query, verb }: ApiRequest,
): string {
  if (verb !== 'get') throw methodNotAllowed();
  const pod = readObject(core, { kind, namespace, name });
  const container = containerOf(pod, query.get('container') ?? '');
  const text = logs({ pod, container, previous: query.get('previous') === 'true' });
  if (text !== undefined) return cut(text, query);
  const statuses = listOrEmptyAt(pod, 'status', 'containerStatuses');
  const status = statuses.find((entry) => textOrEmptyAt(entry, 'name') === container);
  const waiting = textOrEmptyAt(status, 'state', 'waiting', 'reason');
  const why = waiting === '' ? 'is not available' : `is waiting to start: ${waiting}`;
  throw badRequest(`container "${container}" in pod "${name}" ${why}`);
}

function containerOf(pod: StoredObject, wanted: string): string {
  const containers = listOrEmptyAt(pod, 'spec', 'containers');
  const names = [...containers, ...listOrEmptyAt(pod, 'spec', 'initContainers')].map((container) =>
    textOrEmptyAt(container, 'name'),
  );
  const { name } = pod.metadata;
  if (wanted !== '' && !names.includes(wanted))
    throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  if (wanted === '' && containers.length > 1)
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`,
    );
  return wanted || (names[0] ?? '');
}

function cut(text: string, query: URLSearchParams): string {
  const lines = text.split(/(?<=\n)/);
  const tail = Number(query.get('tailLines') ?? Infinity);
  const result = lines.slice(Math.max(0, lines.length - tail)).join('');
  const limit = Number(query.get('limitBytes') ?? Infinity);
  return Buffer.from(result).subarray(0, limit).toString('utf8');
}
