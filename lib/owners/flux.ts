import { HOUR } from '@/lib/format/duration';
import { isoTime } from '@/lib/format/time';
import type { JsonObject } from '@/lib/kube/json';
import { conditionAt, objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { parseGoDuration } from '@/lib/owners/go-duration';
import { coversTemplate, isSelected, textsAt } from '@/lib/owners/ignored-paths';
import type { Marked } from '@/lib/owners/owner';
import type { Verdict } from '@/lib/owners/verdict';

const REQUESTED_AT = 'reconcile.fluxcd.io/requestedAt';
const RESOURCE_SET = 'fluxcd.controlplane.io';
const RESOURCE_SET_INTERVAL_MS = HOUR;

/**
 * Nothing watches the objects of a Kustomization: it applies them at its next reconciliation.
 * https://fluxcd.io/flux/components/kustomize/kustomizations/
 */
export function whatKustomizationUndoes(object: JsonObject, marked: Marked, nowMs: number): Verdict {
  if (valueAt(object, 'spec', 'suspend') === true) return { when: 'suspended' };
  const ignores = ignoresTemplate(objectsAt(object, 'spec', 'ignore'), marked);
  if (ignores === null) return { when: 'unknown', because: 'rule' };
  if (ignores) return { when: 'excluded', by: 'spec.ignore' };
  return nextReconciliation(object, intervalOf(object), nowMs);
}

/** Only with drift detection it corrects anything but by an upgrade. https://fluxcd.io/flux/components/helm/helmreleases/ */
export function whatHelmReleaseUndoes(object: JsonObject, marked: Marked, nowMs: number): Verdict {
  if (valueAt(object, 'spec', 'suspend') === true) return { when: 'suspended' };
  const detection = objectAt(object, 'spec', 'driftDetection');
  if (textAt(detection, 'mode') !== 'enabled') return { when: 'nextUpgrade' };
  const ignores = ignoresTemplate(objectsAt(detection, 'ignore'), marked);
  if (ignores === null) return { when: 'unknown', because: 'rule' };
  return ignores ? { when: 'nextUpgrade' } : nextReconciliation(object, intervalOf(object), nowMs);
}

/** https://fluxoperator.dev/docs/crd/resourceset/ */
export function whatResourceSetUndoes(object: JsonObject, nowMs: number): Verdict {
  const annotation = (name: string) => textAt(object, 'metadata', 'annotations', `${RESOURCE_SET}/${name}`);
  if (annotation('reconcile')?.toLowerCase() === 'disabled') return { when: 'suspended' };
  const intervalMs = parseGoDuration(annotation('reconcileEvery') ?? '') ?? RESOURCE_SET_INTERVAL_MS;
  return nextReconciliation(object, intervalMs, nowMs);
}

/** Null where a rule may cover the template and only its expressions tell. */
function ignoresTemplate(rules: readonly JsonObject[], marked: Marked): boolean | null {
  const selected = rules
    .filter((rule) => coversTemplate(textsAt(rule, 'paths')))
    .map((rule) => isSelected(objectAt(rule, 'target'), marked));
  if (selected.includes(true)) return true;
  return selected.includes(null) ? null : false;
}

/** After a failure it tries again sooner, where it says so. */
function intervalOf(object: JsonObject): number | null {
  const isFailed = textAt(conditionAt(object.status, 'Ready'), 'status') === 'False';
  const retry = isFailed ? parseGoDuration(textAt(object, 'spec', 'retryInterval') ?? '') : null;
  return retry ?? parseGoDuration(textAt(object, 'spec', 'interval') ?? '');
}

/** At the latest: a new revision of its source, or a request, comes first. */
function nextReconciliation(object: JsonObject, intervalMs: number | null, nowMs: number): Verdict {
  const requested = textAt(object, 'metadata', 'annotations', REQUESTED_AT);
  const isRequested =
    requested !== undefined && requested !== textAt(object, 'status', 'lastHandledReconcileAt');
  if (isRequested) return { when: 'at', time: isoTime(nowMs), intervalMs };
  const known = [
    textAt(conditionAt(object.status, 'Ready'), 'lastTransitionTime'),
    textAt(objectsAt(object.status, 'history')[0], 'lastReconciled'),
  ].flatMap((time) => {
    const ms = Date.parse(time ?? '');
    return Number.isNaN(ms) ? [] : [ms];
  });
  const dueMs = Math.max(...known) + (intervalMs ?? NaN);
  // Not every success leaves a time: a later one than the last known is due within the interval.
  return { when: 'at', time: dueMs >= nowMs ? isoTime(dueMs) : null, intervalMs };
}
