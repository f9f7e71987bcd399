/** Stored separately, or on pods whose controller Shiplog knows. */
const SUMMARIZED_LABELS: ReadonlySet<string> = new Set(['controller-revision-hash', 'pod-template-hash']);

const REVISION_LABEL = /(?:hash|revision)$/i;

/**
 * Values of the labels whose key names a revision or a hash. On a revision they are names that others may use
 * for it; on a pod, and on what creates pods, they identify its source.
 */
export function revisionLabelValues(labels: Readonly<Record<string, string>> = {}): string[] {
  return Object.entries(labels).flatMap(([key, value]) =>
    REVISION_LABEL.test(key) && value !== '' ? [value] : [],
  );
}

/** Of a pod, those that its summary does not have already; most pods have none. */
export function otherRevisionLabelValues(labels: Readonly<Record<string, string>> = {}): readonly string[] {
  let values: string[] | undefined;
  for (const key in labels) {
    const value = labels[key];
    if (value === undefined || value === '' || SUMMARIZED_LABELS.has(key) || !REVISION_LABEL.test(key))
      continue;
    values ??= [];
    values.push(value);
  }
  return values ?? NONE;
}

const NONE: readonly string[] = [];
