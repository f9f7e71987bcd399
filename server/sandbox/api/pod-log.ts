import { type ApiCore } from '@/server/sandbox/api/api-core';
import { type ApiRequest } from '@/server/sandbox/api/api-request';
import {
  type ApiStatus,
  badRequest,
  methodNotAllowed,
  notImplemented,
} from '@/server/sandbox/api/api-status';
import { type ResourceTarget } from '@/server/sandbox/api/request-path';
import { type ResourceKind } from '@/server/sandbox/api/resource-kind';
import { listAt, type StoredObject, textAt } from '@/server/sandbox/api/stored-object';
import { readObject } from '@/server/sandbox/api/update-object';

/** What a container has said, line by line. */
export interface LogRequest {
  readonly pod: StoredObject;
  readonly container: string;
  /** Of the run before the present one. */
  readonly previous: boolean;
}

/** Undefined when there is nothing to show. */
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
  if (query.get('follow') === 'true') throw notImplemented('logs that are followed');
  const pod = readObject(core, kind, namespace, name);
  const container = containerOf(pod, query.get('container') ?? '');
  const text = logs({ pod, container, previous: query.get('previous') === 'true' });
  if (text === undefined) throw withoutLog(pod, container);

  return cut(text, query);
}

function containerOf(pod: StoredObject, wanted: string): string {
  const names = [...listAt(pod, 'spec', 'containers'), ...listAt(pod, 'spec', 'initContainers')].map(
    (container) => textAt(container, 'name'),
  );
  const { name } = pod.metadata;
  if (wanted !== '') {
    if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
    return wanted;
  }
  const [first = ''] = names;
  if (listAt(pod, 'spec', 'containers').length > 1)
    throw badRequest(
      `a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]`,
    );

  return first;
}

function withoutLog(pod: StoredObject, container: string): ApiStatus {
  const statuses = listAt(pod, 'status', 'containerStatuses');
  const status = statuses.find((entry) => textAt(entry, 'name') === container);
  const waiting = textAt(status, 'state', 'waiting', 'reason');
  const why = waiting === '' ? 'is not available' : waitingText(waiting);

  return badRequest(`container "${container}" in pod "${pod.metadata.name}" ${why}`);
}

function waitingText(reason: string): string {
  return reason === 'ImagePullBackOff' || reason === 'ErrImagePull'
    ? 'is waiting to start: trying and failing to pull image'
    : `is waiting to start: ${reason}`;
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
