import { isJsonObject, type Json, type JsonObject, memberOf, setMember } from '@/lib/kube/json';
import { isRecordedData, recordedData, stateOf } from '@/lib/kube/recorded-data';
import { type Producer } from '@/lib/producers/producer';
import { withoutUnrecordedReplicas } from '@/lib/producers/replicas';
import { valueAt } from '@/lib/kube/read';
import { type TemplateLocation } from '@/lib/workloads/template-location';
import { type Template } from '@/lib/history/workload';

const NOT_DESIRED_STATE: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** What revisions of an owner may record: its complete desired state, since it is unknown which part of it they do. */
export const ownerTemplatePlace: TemplateLocation = {
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
export function comparableTemplate(
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
