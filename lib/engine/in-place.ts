import { normalizeTemplate } from '@/lib/diff/normalize';
import { deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { objectsAt, textAt } from '@/lib/kube/read';

/**
 * The difference of two templates for a pod that is updated in place: nothing, labels and annotations alone
 * (no container restarts), images of containers too (those containers restart), or more, which only a new pod
 * can apply.
 * https://github.com/openkruise/kruise/blob/master/pkg/util/inplaceupdate/inplace_update_defaults.go
 */
export type TemplateDifference =
  | { kind: 'none' }
  | { kind: 'metadata' }
  | { kind: 'images'; containers: readonly string[] }
  | { kind: 'more' };

export function templateDifference(from: JsonObject, to: JsonObject): TemplateDifference {
  const [before, after] = [normalizeTemplate(from), normalizeTemplate(to)];
  if (!deepEqual(withoutImages(before), withoutImages(after)) || !samePolicies(from, to))
    return { kind: 'more' };
  const images = new Map(containersOf(before, 'image'));
  const containers = containersOf(after, 'image').flatMap(([name, image]) =>
    images.get(name) === image ? [] : [name],
  );
  if (containers.length > 0) return { kind: 'images', containers };
  return deepEqual(before, after) ? { kind: 'none' } : { kind: 'metadata' };
}

function containersOf(template: JsonObject, member: string): [name: string, value: string | undefined][] {
  return objectsAt(template, 'spec', 'containers').map((container) => [
    textAt(container, 'name') ?? '',
    textAt(container, member),
  ]);
}

/** The spec of the pod; images of init containers remain, since they run once. */
function withoutImages({ spec }: JsonObject): Json {
  if (!isJsonObject(spec) || !Array.isArray(spec.containers)) return spec ?? null;
  const containers = spec.containers.map((container) => {
    if (!isJsonObject(container)) return container;
    const { image: _image, imagePullPolicy: _policy, ...rest } = container;
    return rest;
  });
  return { ...spec, containers };
}

/** The default of a pull policy follows the image; only one that both sides specify is a change. */
function samePolicies(from: JsonObject, to: JsonObject): boolean {
  const before = new Map(containersOf(from, 'imagePullPolicy'));
  return containersOf(to, 'imagePullPolicy').every(([name, policy]) => {
    const was = before.get(name);
    return was === undefined || policy === undefined || was === policy;
  });
}
