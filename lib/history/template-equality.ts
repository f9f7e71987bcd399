import type { TemplateFacts } from '@/lib/history/workload';

/**
 * Semantic equality of two templates. The semantic hash may be computed on first use, so cheap checks come
 * first: equal bytes decide, and templates whose images differ cannot be equal.
 * https://github.com/kubernetes/apimachinery/blob/master/pkg/api/equality/semantic.go
 */
export function isEqualTemplate(a: TemplateFacts, b: TemplateFacts): boolean {
  if (a.bodyId === b.bodyId) return true;
  return imageKey(a) === imageKey(b) && a.semanticId === b.semanticId;
}

/** Equal for all templates that can be equal: container names and images in order. */
export function imageKey(facts: TemplateFacts): string {
  return JSON.stringify(facts.images.map(({ container, image, init }) => [container, image, init]));
}

/** The id of the oldest source with the same template, for each source that has an older one. */
export function findDuplicates<Source extends TemplateFacts & { uid: string }>(
  oldestFirst: readonly Source[],
): Map<string, string> {
  const byImages = new Map<string, Source[]>();
  const duplicates = new Map<string, string>();
  for (const source of oldestFirst) {
    const key = imageKey(source);
    const originals = byImages.get(key) ?? [];
    const original = originals.find((earlier) => isEqualTemplate(earlier, source));
    if (original !== undefined) duplicates.set(source.uid, original.uid);
    else byImages.set(key, [...originals, source]);
  }
  return duplicates;
}
