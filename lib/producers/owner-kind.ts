import { readOwnerHistory } from '@/lib/producers/history';
import { describeProducer } from '@/lib/producers/producer-text';
import { producerOf } from '@/lib/producers/producers';
import { planOwnerRollback } from '@/lib/producers/rollback';
import type { WorkloadKind, StatusInput } from '@/lib/workloads/kind';
import { numberAt, valueAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { isActive } from '@/lib/history/assemble';
import { targetPods } from '@/lib/pods/by-revision';
import { plainFacts, type WorkloadFacts } from '@/lib/engine/facts';
import { formatCount } from '@/lib/format/text';
import type { Workload, Template } from '@/lib/history/workload';
import { isJsonObject, type Json, type JsonObject, memberOf, setMember } from '@/lib/kube/json';
import { isRecordedData, recordedData, stateOf } from '@/lib/kube/recorded-data';
import type { Producer } from '@/lib/producers/producer';
import { withoutUnrecordedReplicas } from '@/lib/producers/replicas';
import type { TemplateLocation } from '@/lib/workloads/template-location';

/**
 * The kind of a resource that owns ControllerRevisions and is no kind of Shiplog: its revisions by the
 * general rules of such objects, without anything specific to its controller. `resource` comes from
 * discovery; the caller gives `history` the sources of one group (`lib/producers/revision-group`), and as
 * `children` the workloads that the owner has generated, over any number of steps.
 */
export function ownerKind(resource: ResourceType): WorkloadKind {
  const producer = producerOf({
    apiVersion: `${resource.group}/${resource.versions[0] ?? ''}`,
    kind: resource.kind,
  });
  return {
    resource,
    source: controllerRevisions,
    template: {
      location: ownerTemplateLocation,
      comparable: (current, recorded) => comparableTemplate(producer, current, recorded),
    },
    pods: { owner: 'descendant' },
    history: readOwnerHistory,
    facts: (input) => readOwnerFacts(resource, input),
    settings: () => ({ desiredPods: 0, strategy: 'unknown' }),
    producer: describeProducer,
    writes: {
      rollback: (input) => planOwnerRollback(resource, producer, input),
      // A controller that does not report what it has observed is not waited for.
      isObserved: ({ workload: { status, generation } }) =>
        (numberAt(status, 'observedGeneration') ?? generation) >= generation,
    },
    previous: () => null,
  };
}

/**
 * What is known of an owner whose controller Shiplog does not know: only counts, without the progress of its
 * rollout. The existing pods count as the desired ones.
 */
function readOwnerFacts(
  { kind, group }: ResourceType,
  { workload, history, pods, now }: StatusInput,
): WorkloadFacts {
  const active = pods.filter(isActive);
  const desired = active.length;
  const ready = active.filter((pod) => pod.ready).length;
  const updated = targetPods(history, active).length;
  const podsText = desired === 0 ? null : `${ready} of ${formatCount(desired, 'pod')} ready`;
  return {
    ...plainFacts({ workload, history, pods: active, now }),
    isObserved: true,
    report: {
      says: 'unclear',
      message: messageOf(workload, podsText),
      sentence: sentenceOf(workload, kind, podsText),
      since: null,
    },
    counts: { desired, ready, updated, available: ready },
    progress: { updated, goal: desired, serving: ready, servingWord: 'ready', desired },
    kubectl: {
      text: `error: no status viewer has been implemented for ${kind}.${group}`,
      verdict: 'error',
    },
  };
}

function messageOf({ placeholder }: Workload, podsText: string | null): string {
  switch (placeholder?.state) {
    case 'gone':
      return 'owner deleted';
    case 'unreadable':
      return 'owner not readable';
    case 'unfollowed':
      return 'owner not watched';
    case 'none':
      return 'no controller';
    case 'component':
    case undefined:
      return podsText ?? 'rollout state unknown';
  }
}

function sentenceOf({ placeholder }: Workload, kind: string, podsText: string | null): string {
  const owner =
    placeholder?.owner == null ? 'The owner' : `${placeholder.owner.kind} ${placeholder.owner.name}`;
  switch (placeholder?.state) {
    case 'gone':
      return `${owner} of these revisions was deleted; Kubernetes deletes them too.`;
    case 'unreadable':
      return `You are not allowed to read ${owner}, so only its revisions are shown.`;
    case 'unfollowed':
      return `Shiplog does not watch the kind of ${owner}, because the number of kinds exceeds its limit. Only its revisions are shown.`;
    case 'none':
      return placeholder.component === null
        ? 'No controller owns these ControllerRevisions; they are read-only.'
        : `These revisions of component ${placeholder.component} have no controller; they are read-only.`;
    case 'component':
    case undefined: {
      const unknown = `Shiplog does not know how a ${kind} rolls out`;
      return podsText === null ? `${unknown}; it shows the recorded revisions.` : `${unknown}; ${podsText}.`;
    }
  }
}

const NOT_DESIRED_STATE: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** What revisions of an owner may record: its complete desired state, since it is unknown which part of it they do. */
const ownerTemplateLocation: TemplateLocation = {
  members: [],
  of: (spec) => recordedData({ spec }),
  ofObject: (object) => {
    const members = Object.entries(object as unknown as JsonObject);
    return recordedData(Object.fromEntries(members.filter(([member]) => !NOT_DESIRED_STATE.has(member))));
  },
  isWritten: (fields) =>
    Object.keys(fields).some((member) => member.startsWith('f:') && !NOT_DESIRED_STATE.has(member.slice(2))),
};

/**
 * The part of the current object that a revision records: of the spec the members that it has, and within
 * them only where a replace directive applies. Everything else is copied completely, so that no later
 * addition is missed.
 */
function comparableTemplate(
  producer: Pick<Producer, 'recordsSpec' | 'bareStateAt' | 'keepsReplicasOf'> | undefined,
  current: Template,
  recorded: Template,
): Template {
  if (!isRecordedData(current) || !isRecordedData(recorded)) return current;
  const state = stateOf(recorded);
  const currentData = current.data;
  if (producer?.bareStateAt !== undefined) {
    const bare = valueAt(currentData, 'spec', ...producer.bareStateAt);
    return bare === undefined ? current : recordedData({ data: bare });
  }
  if (!isJsonObject(currentData) || !isJsonObject(state) || producer?.recordsSpec === true) return current;
  const shared = project(currentData, state, isJsonObject(state.spec) ? 1 : 0);
  return recordedData(withoutUnrecordedReplicas(producer, shared, state));
}

/** `levels` more are entered whatever they hold. */
function project(currentData: JsonObject, recorded: JsonObject, levels: number): JsonObject {
  const result: JsonObject = {};
  for (const [key, recordedValue] of Object.entries(recorded)) {
    const value = memberOf(currentData, key);
    if (recordedValue === undefined || value === undefined) continue;
    const isEntered =
      isJsonObject(value) &&
      isJsonObject(recordedValue) &&
      recordedValue.$patch === undefined &&
      (levels > 0 || leadsToReplaced(recordedValue));
    setMember(result, key, isEntered ? project(value, recordedValue, levels - 1) : value);
  }
  return result;
}

/** Whether it only leads to replaced subtrees, and holds no value itself. */
function leadsToReplaced(recorded: JsonObject): boolean {
  const members = Object.values(recorded);
  return (
    members.length > 0 && members.every((member) => member !== undefined && isReplacedOrLeadsToIt(member))
  );
}

function isReplacedOrLeadsToIt(value: Json): boolean {
  if (Array.isArray(value)) return value.some((entry) => isJsonObject(entry) && entry.$patch !== undefined);
  return isJsonObject(value) && (value.$patch !== undefined || leadsToReplaced(value));
}
