import { type Json, type JsonObject } from '@/lib/kube/json';
import { type RestStrategy } from '@/sandbox/api/objects/resource-kind';
import { objectOrEmptyAt, type StoredObject } from '@/sandbox/api/objects/stored-object';

/** Members that are written even when they are empty. */
export const eventStrategy: RestStrategy = {
  complete(event) {
    const empty: JsonObject = {
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    };
    for (const [key, value] of Object.entries(empty)) event[key] ??= value;
  },
};

/** The same in the newer group, which renamed the fields. */
export const newEventStrategy: RestStrategy = {
  complete(event) {
    event.eventTime ??= null;
  },
};

/** By name in `events.k8s.io`, the name in the core group. https://kubernetes.io/docs/reference/kubernetes-api/core/event-v1/ */
const NAMES: Readonly<Record<string, string>> = {
  regarding: 'involvedObject',
  note: 'message',
  reportingController: 'reportingComponent',
  deprecatedSource: 'source',
  deprecatedFirstTimestamp: 'firstTimestamp',
  deprecatedLastTimestamp: 'lastTimestamp',
  deprecatedCount: 'count',
};
const CORE_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(NAMES).map(([name, core]) => [core, name]),
);

export function toCoreEvent(event: StoredObject): StoredObject {
  const core = renamed(event, NAMES) as StoredObject;
  eventStrategy.complete?.(core);

  return { ...core, apiVersion: 'v1' };
}

export function fromCoreEvent(event: StoredObject): StoredObject {
  const { reportingInstance, ...rest } = renamed(event, CORE_NAMES) as StoredObject;
  const { deprecatedSource } = rest;

  return {
    ...rest,
    ...(reportingInstance === '' ? {} : { reportingInstance }),
    ...(rest.reportingController === '' ? { reportingController: undefined } : {}),
    deprecatedSource: objectOrEmptyAt({ deprecatedSource }, 'deprecatedSource'),
    apiVersion: 'events.k8s.io/v1',
  };
}

function renamed(object: StoredObject, names: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]): [string, Json | undefined] => [names[key] ?? key, value]),
  );
}
