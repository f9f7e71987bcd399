import type { ObjectMeta } from '@/lib/kube/object';

/**
 * The requested labels and annotations that an object has, labels first; undefined where it has none of them.
 */
export function pickPodMetadata(
  keys: ReadonlySet<string>,
  { labels = {}, annotations = {} }: Pick<ObjectMeta, 'labels' | 'annotations'>,
): Record<string, string> | undefined {
  let picked: Record<string, string> | undefined;
  for (const key of keys) {
    const value = Object.hasOwn(labels, key)
      ? labels[key]
      : Object.hasOwn(annotations, key)
        ? annotations[key]
        : undefined;
    if (value === undefined) continue;
    picked ??= {};
    picked[key] = value;
  }
  return picked;
}
