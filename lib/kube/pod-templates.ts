import { isApplicationBody } from '@/lib/kube/application-body';
import { isJsonObject, type JsonObject, memberOf, setMember } from '@/lib/kube/json';
import { isRecordedData } from '@/lib/kube/recorded-data';
import { findRecordedPodTemplates } from '@/lib/kube/recorded-pod-templates';

/** A pod template inside of what a revision records. */
interface NestedPodTemplate {
  /** The role of its pods in their group; null where all pods are alike, or the role is unknown. */
  role: string | null;
  /** Names of the members that lead to it; empty for a body that is a pod template itself. */
  path: readonly string[];
  template: JsonObject;
}

const GROUP = 'leaderWorkerTemplate';
const ROLES = { leaderTemplate: 'leader', workerTemplate: 'worker' } as const;

/**
 * Whether a revision records the template of groups of pods, and not of single ones. Its members decide, so
 * the body alone shows its type; no pod template has such a member.
 * https://lws.sigs.k8s.io/docs/reference/leaderworkerset.v1/
 */
export function isGroupTemplate(template: JsonObject): boolean {
  return isJsonObject(memberOf(template, GROUP));
}

/**
 * The pod templates, leaders first. Without one of their own, leaders run that of the workers. Of recorded
 * data, everything in the form of one; an Application has none except those that its definitions create from
 * its components.
 */
export function podTemplatesOf(template: JsonObject): NestedPodTemplate[] {
  if (isRecordedData(template)) {
    const parts = findRecordedPodTemplates(template);
    return parts.length === 1 ? parts.map((part) => ({ ...part, role: null })) : parts;
  }
  if (isApplicationBody(template)) return [];
  const group = memberOf(template, GROUP);
  if (!isJsonObject(group)) return [{ role: null, path: [], template }];
  const found = Object.entries(ROLES).flatMap(([member, role]): NestedPodTemplate[] => {
    const part = memberOf(group, member);
    return isJsonObject(part) ? [{ role, path: [GROUP, member], template: part }] : [];
  });
  return found.length === 1 ? found.map((part) => ({ ...part, role: null })) : found;
}

/**
 * A copy with each pod template replaced by the result of `change`. Recorded data and Applications stay as
 * they are.
 */
export function mapPodTemplates(template: JsonObject, change: (part: JsonObject) => JsonObject): JsonObject {
  if (isRecordedData(template) || isApplicationBody(template)) return template;
  const group = memberOf(template, GROUP);
  if (!isJsonObject(group)) return change(template);
  const copy: JsonObject = { ...group };
  for (const member of Object.keys(ROLES)) {
    const part = memberOf(group, member);
    if (isJsonObject(part)) setMember(copy, member, change(part));
  }
  return { ...template, [GROUP]: copy };
}

/** The part of a path in a template that lies in one of its pod templates; all of it where it lies in none. */
export function withinPodTemplate<Step>(
  steps: readonly Step[],
  nameOf: (step: Step) => unknown,
): readonly Step[] {
  const [first, second] = steps;
  if (first === undefined || second === undefined || nameOf(first) !== GROUP) return steps;
  return Object.hasOwn(ROLES, String(nameOf(second))) && steps.length > 2 ? steps.slice(2) : steps;
}

/** The role of the pods that a path in a template concerns; null where it lies in none of its pod templates. */
export function roleAt(pointer: readonly (string | number)[]): 'leader' | 'worker' | null {
  const [first, second] = pointer;
  if (first !== GROUP || pointer.length < 3) return null;
  return second === 'leaderTemplate' ? 'leader' : second === 'workerTemplate' ? 'worker' : null;
}

/** Whether a path in a template concerns the group itself, and none of its pod templates. */
export function isGroupPointer(pointer: readonly (string | number)[]): boolean {
  return (pointer[0] === GROUP || pointer[0] === 'networkConfig') && roleAt(pointer) === null;
}
