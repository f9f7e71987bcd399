import { type ObjectMeta } from '@/lib/kube/object';

/** Of the wanted labels and annotations those that an object has, labels first; undefined where it has none of them. */
export function marksOf(
  wanted: ReadonlySet<string>,
  { labels = {}, annotations = {} }: Pick<ObjectMeta, 'labels' | 'annotations'>,
): Record<string, string> | undefined {
  let marks: Record<string, string> | undefined;
  for (const key of wanted) {
    const value = Object.hasOwn(labels, key)
      ? labels[key]
      : Object.hasOwn(annotations, key)
        ? annotations[key]
        : undefined;
    if (value === undefined) continue;
    marks ??= {};
    marks[key] = value;
  }
  return marks;
}
