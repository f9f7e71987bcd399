import { describeApplication } from '@/lib/diff/application-text';
import type { Change } from '@/lib/diff/change';
import { entryName } from '@/lib/diff/entry';
import { describeGroupSetting } from '@/lib/diff/group-settings';
import { scopeLabel } from '@/lib/diff/scope-label';
import { pathOf } from '@/lib/diff/path';
import { orderOf, placeKeyOf } from '@/lib/diff/place-key';
import { riskOf } from '@/lib/diff/risk';
import { concernOf, type Scope, scopeOf } from '@/lib/diff/scope';
import { imageTexts, pairOfTexts, singleText, valueText } from '@/lib/diff/value-text';
import { CONTAINER_TYPE, type Difference } from '@/lib/diff/walk';
import { ordinal, stepText } from '@/lib/diff/field-name-text';
import { isPinned, parseImage } from '@/lib/kube/image';
import type { Json } from '@/lib/kube/json';
import { isDataPointer } from '@/lib/kube/recorded-data';
import { textAt } from '@/lib/kube/read';
import { roleOf } from '@/lib/kube/recorded-pod-templates';
import { isGroupPointer, roleAt, withinPodTemplate } from '@/lib/kube/pod-templates';
import type { Concern } from '@/lib/api/diff-values';

/** Members that contain everything, so that their names add no information. */
const CONTAINER_MEMBERS: ReadonlySet<string> = new Set(['data', 'spec', 'template']);

/** The concern of a member, by names that most APIs share. */
const DATA_CONCERNS: Readonly<Record<string, Concern>> = {
  image: 'image',
  images: 'image',
  env: 'env',
  resources: 'resources',
  replicas: 'resources',
  volumes: 'volumes',
  volumeClaimTemplates: 'volumes',
  storage: 'volumes',
  affinity: 'scheduling',
  tolerations: 'scheduling',
  nodeSelector: 'scheduling',
  labels: 'metadata',
  annotations: 'metadata',
};

/**
 * Describes a change with unknown effects: its place, by its own member names. "role prefill replicas",
 * "preset name".
 */
function describeData({ steps }: Pick<Difference, 'steps'>): Pick<Change, 'label' | 'concern' | 'risk'> {
  const terms = steps.filter(({ kind, name }) => kind !== 'field' || !CONTAINER_MEMBERS.has(name));
  const entry = terms.findLastIndex(({ kind }) => kind === 'entry');
  // An entry has a name; without one two members are needed to identify the place.
  const shown =
    entry < 0
      ? terms.slice(-2)
      : [...terms.slice(Math.max(0, entry - 1), entry + 1), ...terms.slice(entry + 1).slice(-2)];
  const concern = steps.map(({ name }) => DATA_CONCERNS[name]).find((found) => found !== undefined);
  return {
    label: shown.map((step, index) => stepText(step, shown[index + 1])).join(' ') || 'all of it',
    concern: concern ?? 'other',
    risk: null,
  };
}

/** Lists whose order has an effect, and which. */
const ORDER_NOTES: Readonly<Record<string, string>> = {
  initContainers: 'order matters: init containers run one after another',
  env: 'order matters: values can refer to earlier ones',
  envFrom: 'order matters: later sources win',
  containers: 'order is a hint for the start',
};

/**
 * Describes one difference. `namesRoles`: leaders and workers have templates of their own, so the text names
 * the role of the container. `isApplication`: of an Application, which has parts instead of containers.
 */
export function describeDifference(
  difference: Difference,
  { namesRoles = false, isApplication = false }: { namesRoles?: boolean; isApplication?: boolean } = {},
): Change {
  const { steps, pointer, vanishes, kind, before, after, part } = difference;
  const scope = scopeOf(part === null ? withinPodTemplate(steps, ({ name }) => name) : steps.slice(part));
  // A move of a container belongs to the pod's list.
  const isOwn = scope.container !== null && !(scope.fields.length === 0 && kind === 'moved');
  const role = namesRoles ? roleOfDifference(difference) : null;
  const change: Change = {
    path: pathOf(steps),
    pointer,
    vanishes,
    place: placeKeyOf(difference),
    order: orderOf(difference),
    kind,
    before,
    after,
    concern: concernOf(scope),
    container: isOwn ? withRole(role, scope.container ?? '') : null,
    containerKind: isOwn ? scope.containerKind : null,
    label: labelOf(difference, scope, isOwn ? null : role),
    ...textsOf(difference),
    note: noteOf(difference),
    restarts: true,
    risk: riskOf({ kind, before, after, ...scope }),
  };
  if (isApplication) return { ...change, ...describeApplication(difference, change) };
  if (part === null && isDataPointer(pointer)) return { ...change, ...describeData(difference) };
  return isGroupPointer(pointer) ? { ...change, ...describeGroupSetting(difference, change) } : change;
}

function labelOf({ struct }: Difference, scope: Scope, role: string | null): string {
  if (struct === CONTAINER_TYPE) return 'type';
  return role === null ? scopeLabel(scope) : `${role} ${scopeLabel(scope)}`;
}

/** The name of a container where leaders and workers may each have one of that name. */
export function withRole(role: string | null, container: string): string {
  return role === null ? container : `${role}/${container}`;
}

function roleOfDifference({ steps, pointer, part }: Difference): string | null {
  if (part === null) return roleAt(pointer);
  return roleOf(steps.slice(0, part).map(({ kind, name }) => ({ name, isEntry: kind === 'entry' })));
}

/** The displayed value on either side. */
function textsOf(difference: Difference): { beforeText: string | null; afterText: string | null } {
  const { kind, before, after, struct, lists } = difference;
  if (kind === 'moved' && lists !== null) {
    const beforeText = positionText(before, lists.before.length);
    const afterText = positionText(after, lists.after.length);
    return {
      beforeText,
      afterText: beforeText === afterText ? `${afterText}, reordered` : afterText,
    };
  }
  const field = difference.steps.findLast((step) => step.kind === 'field')?.name ?? '';
  const text = (value: Json): string => valueText(struct, field, value);
  if (before === undefined || after === undefined) {
    return {
      beforeText: before === undefined ? null : singleText(text(before)),
      afterText: after === undefined ? null : singleText(text(after)),
    };
  }
  const texts = field === 'image' ? imageTexts(before, after) : undefined;
  const [beforeText, afterText] = pairOfTexts(...(texts ?? [text(before), text(after)]), [before, after]);
  return { beforeText, afterText };
}

function positionText(position: Json | undefined, size: number): string {
  return `${ordinal(Number(position) + 1)} of ${size}`;
}

/** Notes: where an entry moved and what order means there; that an image is the same under another name, or no longer pinned. */
function noteOf(difference: Difference): string | null {
  const field = difference.steps.findLast((step) => step.kind === 'field')?.name ?? '';
  if (difference.kind === 'moved') return moveNote(difference, field);
  const [before, after] = [difference.before, difference.after];
  if (difference.struct === CONTAINER_TYPE)
    return textAt(after, 'list') === 'containers'
      ? 'starts and stops with the other containers'
      : 'starts before the containers and stops after them';
  if (field !== 'image' || typeof before !== 'string' || typeof after !== 'string') return null;
  const digest = parseImage(before)?.digest;
  if (isPinned(before) !== isPinned(after))
    return isPinned(after)
      ? 'now pinned by digest: the tag no longer decides what runs'
      : 'no longer pinned by digest: the tag decides what runs, and can be moved';
  return digest !== undefined && digest === parseImage(after)?.digest ? 'same digest: same image' : null;
}

function moveNote({ after, lists, struct }: Difference, list: string): string | null {
  if (lists === null || typeof after !== 'number') return null;
  const isLast = after === lists.after.length - 1;
  const neighbor = lists.after[isLast ? after - 1 : after + 1];
  const name = neighbor === undefined ? undefined : entryName(struct, neighbor);
  const place = name === undefined ? [] : [`now ${isLast ? 'after' : 'before'} ${name}`];
  return [...place, ORDER_NOTES[list] ?? 'order is part of the template'].join('; ');
}
