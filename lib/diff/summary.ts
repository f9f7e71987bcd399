import { isWholePart, partLabel } from '@/lib/diff/application-text';
import type { Change } from '@/lib/diff/change';
import { isApplicationPartKind } from '@/lib/api/diff-values';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { isDataPointer } from '@/lib/kube/recorded-data';
import { podTemplatesOf, withinPodTemplate } from '@/lib/kube/pod-templates';
import { changedImages, imageVersion, parseImage } from '@/lib/kube/image';

const SHOWN_MAX = 4;
const CONTAINERS: ReadonlySet<unknown> = new Set(['containers', 'initContainers', 'ephemeralContainers']);
/** A longer value is omitted from a sentence. */
const VALUE_LENGTH_MAX = 32;
const RESTARTED_AT = new Set(['kubectl.kubernetes.io/restartedAt', 'kubectl.kruise.io/restartedAt']);

/** Whether nothing differs but the annotation that `kubectl rollout restart` writes, once for each pod template. */
export function isRestartOnly(changes: readonly Change[]): boolean {
  return (changes.length === 1 || changes.length === 2) && changes.every(isRestartAnnotation);
}

/** Whether it is that annotation alone. */
export function isRestartAnnotation({ pointer }: Pick<Change, 'pointer'>): boolean {
  const local = localOf(pointer);
  const [metadata, annotations, key] = local;
  if (local.length !== 3 || metadata !== 'metadata' || annotations !== 'annotations') return false;
  return typeof key === 'string' && RESTARTED_AT.has(key);
}

/** One fragment of a sentence, most important first: `image 1.4.1 → 1.4.2; env LOG_LEVEL removed; 3 more`. */
export function summarizeChanges(changes: readonly Change[], before: JsonObject, after: JsonObject): string {
  if (changes.length === 0) return 'no change';
  if (isRestartOnly(changes)) return 'restart only';
  const isSingle = countContainers(before) <= 1 && countContainers(after) <= 1;
  const ranked = changes
    .map((change, index) => ({ change, rank: rankOf(change), index }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index);
  const shown = ranked.slice(0, SHOWN_MAX).map(({ change }) => fragmentOf(change, isSingle));
  const rest = changes.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join('; ');
}

function rankOf(change: Change): number {
  if (change.concern === 'image' && change.pointer.at(-1) === 'image') return 0;
  if (change.risk !== null) return 1;
  if (change.kind === 'moved') return 5;
  switch (change.concern) {
    case 'resources':
      return 2;
    case 'metadata':
      return 6;
    case 'image':
    case 'env':
    case 'probes':
    case 'volumes':
    case 'security':
    case 'scheduling':
      return 3;
    case 'other':
      // An added or removed container matters more than one of its settings.
      return change.container !== null &&
        typeof change.pointer.at(-1) === 'number' &&
        localOf(change.pointer).length === 3
        ? 2
        : 4;
    default:
      return change.concern satisfies never;
  }
}

function fragmentOf(change: Change, isSingle: boolean): string {
  const isWholeObject = isApplicationPartKind(change.containerKind)
    ? isWholePart(change)
    : change.kind !== 'changed' && localOf(change.pointer).length === 3;
  const needsName =
    change.container !== null && !isWholeObject && !(isSingle && change.containerKind === 'container');
  const label = needsName ? `${nameOf(change)} ${change.label}` : change.label;
  if (change.kind !== 'changed') return `${label} ${change.kind}`;
  const [before, after] = valuesOf(change);
  const isShort = before.length <= VALUE_LENGTH_MAX && after.length <= VALUE_LENGTH_MAX;
  return isShort && !after.includes('[masked]') && !after.endsWith('(masked)')
    ? `${label} ${before} → ${after}`
    : `${label} changed`;
}

/** A component by its name alone, as a container; other parts of an Application with their kind. */
function nameOf({ container, containerKind }: Change): string {
  const isOther = isApplicationPartKind(containerKind) && containerKind !== 'component';
  return isOther ? `${partLabel(containerKind)} ${container ?? ''}`.trimEnd() : (container ?? '');
}

/** Of an image in the same place only the version. */
function valuesOf({ pointer, before, after, beforeText, afterText }: Change): [string, string] {
  const texts: [string, string] = [beforeText ?? '', afterText ?? ''];
  if (pointer.at(-1) !== 'image' || typeof before !== 'string' || typeof after !== 'string') return texts;
  const [a, b] = [parseImage(before), parseImage(after)];
  const isSamePlace = a !== undefined && a.registry === b?.registry && a.repository === b?.repository;
  const [was, is] = changedImages(before, after);
  const versions: [string, string] = [imageVersion(was), imageVersion(is)];
  return isSamePlace && versions[0] !== '' && versions[1] !== '' && versions[0] !== versions[1]
    ? versions
    : texts;
}

function countContainers(template: JsonObject): number {
  return podTemplatesOf(template).reduce((sum, { template: { spec } }) => {
    const containers = isJsonObject(spec) ? spec.containers : undefined;
    return sum + (Array.isArray(containers) ? containers.length : 0);
  }, 0);
}

/** The part of a pointer that lies in a pod template. */
function localOf(pointer: Change['pointer']): readonly (string | number)[] {
  if (isDataPointer(pointer)) {
    const list = pointer.findLastIndex(
      (name, index) => pointer[index - 1] === 'spec' && CONTAINERS.has(name),
    );
    return list < 0 ? pointer : pointer.slice(list - 1);
  }
  return withinPodTemplate(pointer, (part) => part);
}
