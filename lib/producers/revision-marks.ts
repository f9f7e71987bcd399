/** Kept under names of their own, or said of pods whose controller Shiplog knows. */
const KNOWN: ReadonlySet<string> = new Set(['controller-revision-hash', 'pod-template-hash']);

const TELLS_REVISION = /(?:hash|revision)$/i;

/**
 * Values of the labels that tell by their key of a revision or a hash. On a revision they are names that others may call
 * it by; on a pod, and on what makes pods, they say what it was made from.
 */
export function revisionValues(labels: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(labels).flatMap(([key, value]) =>
    TELLS_REVISION.test(key) && value !== '' ? [value] : [],
  );
}

/** Of a pod, those that its summary does not have already; most pods have none. */
export function revisionMarksOf(labels: Readonly<Record<string, string>> = {}): readonly string[] {
  let marks: string[] | undefined;
  for (const key in labels) {
    const value = labels[key];
    if (value === undefined || value === '' || KNOWN.has(key) || !TELLS_REVISION.test(key)) continue;
    marks ??= [];
    marks.push(value);
  }
  return marks ?? NONE;
}

const NONE: readonly string[] = [];
