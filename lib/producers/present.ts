import { isJsonObject, type Json, type JsonObject, memberOf, setMember } from '@/lib/kube/json';
import { isRecordedData, recordedData, stateIn } from '@/lib/kube/recorded-data';
import { type Producer } from '@/lib/producers/producer';
import { withoutUnrecordedReplicas } from '@/lib/producers/replicas';
import { valueAt } from '@/lib/workloads/read';
import { type TemplatePlace } from '@/lib/workloads/template-place';
import { type Template } from '@/lib/workloads/workload';

const NOT_ASKED_FOR: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** What revisions of an owner may record: all that its object asks for, since nobody knows which part of it they do. */
export const ownerPlace: TemplatePlace = {
  members: [],
  of: (spec) => recordedData({ spec }),
  ofObject: (object) => {
    const members = Object.entries(object as unknown as JsonObject);
    return recordedData(Object.fromEntries(members.filter(([member]) => !NOT_ASKED_FOR.has(member))));
  },
  isWritten: (fields) =>
    Object.keys(fields).some((member) => member.startsWith('f:') && !NOT_ASKED_FOR.has(member.slice(2))),
};

/**
 * As much of the present object as a revision speaks of: of the spec the members that it has, and within them only where
 * it marks a part as replacing what is there. Everything else is taken whole, so that nothing that came since is missed.
 */
export function presentFor(
  producer: Pick<Producer, 'recordsSpec' | 'bareStateAt' | 'keepsReplicasOf'> | undefined,
  present: Template,
  recorded: Template,
): Template {
  if (!isRecordedData(present) || !isRecordedData(recorded)) return present;
  const state = stateIn(recorded);
  const now = present.data;
  if (producer?.bareStateAt !== undefined) {
    const bare = valueAt(now, 'spec', ...producer.bareStateAt);
    return bare === undefined ? present : recordedData({ data: bare });
  }
  if (!isJsonObject(now) || !isJsonObject(state) || producer?.recordsSpec === true) return present;
  const shared = project(now, state, isJsonObject(state.spec) ? 1 : 0);
  return recordedData(withoutUnrecordedReplicas(producer, shared, state));
}

/** `levels` more are entered whatever they hold. */
function project(now: JsonObject, recorded: JsonObject, levels: number): JsonObject {
  const result: JsonObject = {};
  for (const [key, then] of Object.entries(recorded)) {
    const value = memberOf(now, key);
    if (then === undefined || value === undefined) continue;
    const isEntered =
      isJsonObject(value) &&
      isJsonObject(then) &&
      then.$patch === undefined &&
      (levels > 0 || isOnTheWay(then));
    setMember(result, key, isEntered ? project(value, then, levels - 1) : value);
  }
  return result;
}

/** Whether it only leads to what is marked, and says nothing itself. */
function isOnTheWay(recorded: JsonObject): boolean {
  const members = Object.values(recorded);
  return members.length > 0 && members.every((member) => member !== undefined && isMarkedOrOnTheWay(member));
}

function isMarkedOrOnTheWay(value: Json): boolean {
  if (Array.isArray(value)) return value.some((entry) => isJsonObject(entry) && entry.$patch !== undefined);
  return isJsonObject(value) && (value.$patch !== undefined || isOnTheWay(value));
}
