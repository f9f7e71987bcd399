import { type ApiCore } from '@/sandbox/api/api-core';
import { type ApiRequest } from '@/sandbox/api/api-request';
import { type ApiStatus, badRequest, methodNotAllowed } from '@/sandbox/api/objects/api-status';
import { type ResourceTarget } from '@/sandbox/api/request-path';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { listOrEmptyAt, type StoredObject, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { readObject } from '@/sandbox/api/update-object';

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
  const pod = readObject(core, kind, namespace, name);
  const container = containerOf(pod, query.get('container') ?? '');
  const text = logs({ pod, container, previous: query.get('previous') === 'true' });
  if (text === undefined) throw withoutLog(pod, container);

  return cut(text, query);
}

function containerOf(pod: StoredObject, wanted: string): string {
  const names = [
    ...listOrEmptyAt(pod, 'spec', 'containers'),
    ...listOrEmptyAt(pod, 'spec', 'initContainers'),
  ].map((container) => textOrEmptyAt(container, 'name'));
  const { name } = pod.metadata;
  if (wanted !== '') {
    if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
    return wanted;
  }
  const [first = ''] = names;
  if (listOrEmptyAt(pod, 'spec', 'containers').length > 1)
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`,
    );

  return first;
}

function withoutLog(pod: StoredObject, container: string): ApiStatus {
  const statuses = listOrEmptyAt(pod, 'status', 'containerStatuses');
  const status = statuses.find((entry) => textOrEmptyAt(entry, 'name') === container);
  const waiting = textOrEmptyAt(status, 'state', 'waiting', 'reason');
  const why = waiting === '' ? 'is not available' : `is waiting to start: ${waiting}`;

  return badRequest(`container "${container}" in pod "${pod.metadata.name}" ${why}`);
}

function cut(text: string, query: URLSearchParams): string {
  const tail = query.get('tailLines');
  const limit = query.get('limitBytes');
  const lines = text.split('\n');
  const isTerminated = lines.at(-1) === '';
  if (isTerminated) lines.pop();
  const kept = tail === null ? lines : lines.slice(Math.max(0, lines.length - Number(tail)));
  const result = kept.length === 0 ? '' : `${kept.join('\n')}\n`;

  return limit === null ? result : Buffer.from(result).subarray(0, Number(limit)).toString('utf8');
}
