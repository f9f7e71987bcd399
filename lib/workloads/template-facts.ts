import { imagesOfApplication, isApplicationBody } from '@/lib/kube/application-body';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { fieldsIn, isOwnEntry } from '@/lib/kube/managed-fields';
import type { ManagedFieldsEntry } from '@/lib/kube/object';
import { mapPodTemplates, podTemplatesOf } from '@/lib/kube/pod-templates';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import type { ContainerImage, Template, FieldWrite } from '@/lib/history/workload';

export const CHANGE_CAUSE = 'kubernetes.io/change-cause';
export const RESTARTED_AT = 'kubectl.kubernetes.io/restartedAt';
/** As `kubectl-kruise rollout restart` writes it. */
export const KRUISE_RESTARTED_AT = 'kubectl.kruise.io/restartedAt';
const RESTART_ANNOTATIONS: readonly string[] = [RESTARTED_AT, KRUISE_RESTARTED_AT];
const TEMPLATE_HASH = 'pod-template-hash';
/** In a spec, as managedFields name them. */
const TEMPLATE_MEMBERS = ['f:template', 'f:leaderWorkerTemplate', 'f:networkConfig'];

/**
 * The template without what controllers add when they record it: the directive `$patch` of
 * ControllerRevisions and the label `pod-template-hash` of ReplicaSets. The argument is not changed; other
 * members are shared.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go
 * (EqualIgnoreHash)
 */
export function cleanTemplate(raw: JsonObject): Template {
  const { $patch: _directive, ...template } = raw;
  const metadata = objectAt(template, 'metadata');
  const labels = objectAt(metadata, 'labels');
  if (metadata === undefined || labels === undefined || !Object.hasOwn(labels, TEMPLATE_HASH))
    return template;
  const { [TEMPLATE_HASH]: _hash, ...keptLabels } = labels;
  return { ...template, metadata: { ...metadata, labels: keptLabels } };
}

/**
 * Containers first, then init containers, each in the order of the template. Leaders and workers with
 * containers of one name and different images are told apart.
 */
export function imagesOf(template: Template): ContainerImage[] {
  if (isApplicationBody(template))
    return imagesOfApplication(template).map((image) => ({ ...image, init: false }));
  const parts = podTemplatesOf(template).map((podTemplate) => ({
    ...podTemplate,
    images: imagesOfPodTemplate(podTemplate.template),
  }));
  const [first, second] = parts;
  if (first === undefined || second === undefined) return first?.images ?? [];
  const clashing = new Set(
    first.images.flatMap(({ container, image }) =>
      second.images.some((other) => other.container === container && other.image !== image)
        ? [container]
        : [],
    ),
  );
  const known = new Set(first.images.map(({ container }) => container));
  return parts.flatMap(({ role, images }) =>
    images.flatMap((entry) => {
      if (clashing.has(entry.container)) return [{ ...entry, container: `${role}/${entry.container}` }];
      return role === 'worker' && known.has(entry.container) ? [] : [entry];
    }),
  );
}

function imagesOfPodTemplate(template: JsonObject): ContainerImage[] {
  const read = (list: string, init: boolean) =>
    objectsAt(template, 'spec', list).map((container) => ({
      container: textAt(container, 'name') ?? '',
      image: textAt(container, 'image') ?? '',
      init,
    }));
  return [...read('containers', false), ...read('initContainers', true)];
}

/** When a restart last wrote this template, by its annotations; the later one of two; null when none did. */
export function restartedAtOf(template: Template): string | null {
  const times = podTemplatesOf(template).flatMap((podTemplate) =>
    RESTART_ANNOTATIONS.flatMap((key) => textAt(podTemplate.template, 'metadata', 'annotations', key) ?? []),
  );
  return times.sort().at(-1) ?? null;
}

export function templateCauseOf(template: Template): string | null {
  return textAt(template, 'metadata', 'annotations', CHANGE_CAUSE) ?? null;
}

/**
 * The template without its restart annotation. Two templates that are equal without it differ by a restart
 * alone. The argument is not changed.
 */
export function withoutRestart(template: Template): Template {
  return mapPodTemplates(template, podTemplateWithoutRestart);
}

function podTemplateWithoutRestart(template: JsonObject): JsonObject {
  const metadata = objectAt(template, 'metadata');
  const annotations = objectAt(metadata, 'annotations');
  if (metadata === undefined || annotations === undefined) return template;
  if (!RESTART_ANNOTATIONS.some((key) => Object.hasOwn(annotations, key))) return template;
  const { [RESTARTED_AT]: _restart, [KRUISE_RESTARTED_AT]: _kruise, ...others } = annotations;
  if (Object.keys(others).length > 0) return { ...template, metadata: { ...metadata, annotations: others } };
  const { annotations: _empty, ...rest } = metadata;
  return { ...template, metadata: rest };
}

/**
 * managedFields reduced to who wrote the template or the number, and when. Entries that own neither are left
 * out. `ownsNumber` and `ownsTemplate` get the `fieldsV1` of an entry; see `SourceKind` and
 * `TemplateLocation`.
 */
export function fieldWritesOf(
  managedFields: readonly ManagedFieldsEntry[],
  ownsNumber: (fields: JsonObject) => boolean,
  ownsTemplate: (fields: JsonObject) => boolean = ownsPodTemplate,
): FieldWrite[] {
  const writes: FieldWrite[] = [];
  for (const entry of managedFields) {
    const fields = entry.fieldsV1;
    if (!isJsonObject(fields)) continue;
    const template = ownsTemplate(fields);
    const revision = ownsNumber(fields);
    if (!template && !revision) continue;
    const write: FieldWrite = {
      manager: entry.manager,
      operation: entry.operation,
      time: entry.time ?? null,
      subresource: entry.subresource ?? null,
      template,
      revision,
    };
    if (isOwnEntry(entry) && ownsTemplateOnly(fields)) write.templateOnly = true;
    writes.push(write);
  }
  // Every cached object has such a list, and one that has grown has room for sixteen more.
  return writes.slice();
}

/** Whether the owner of a source was written by another client than its content. */
export function isClaimed(managedFields: readonly ManagedFieldsEntry[]): boolean {
  const fields = managedFields.flatMap(({ fieldsV1 }) => (isJsonObject(fieldsV1) ? [fieldsV1] : []));
  const owners = fields.filter(ownsOwner);
  return owners.length > 0 && fields.some(ownsContent) && !owners.some(ownsContent);
}

function ownsOwner(fields: JsonObject): boolean {
  return objectAt(fields, 'f:metadata', 'f:ownerReferences') !== undefined;
}

/** The template of a ReplicaSet, the data of a ControllerRevision. */
function ownsContent(fields: JsonObject): boolean {
  return fields['f:data'] !== undefined || ownsPodTemplate(fields);
}

/** What a rollback writes, and nothing else. */
function ownsTemplateOnly(fields: JsonObject): boolean {
  return fieldsIn(fields).every(([root, member, name]) =>
    root === 'f:spec'
      ? TEMPLATE_MEMBERS.includes(member ?? '')
      : member === 'f:annotations' && ['.', `f:${CHANGE_CAUSE}`].includes(name ?? ''),
  );
}

function ownsPodTemplate(fields: JsonObject): boolean {
  return TEMPLATE_MEMBERS.some((member) => objectAt(fields, 'f:spec', member) !== undefined);
}
