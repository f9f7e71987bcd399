import { type Change, type ChangeKind, type Concern, type Noise, type TemplateDiff } from '@/lib/diff/change';
import { rankOfPart } from '@/lib/diff/application-words';
import { describeDifference, ofRole } from '@/lib/diff/describe';
import { findNoise } from '@/lib/diff/noise';
import { normaliseTemplate, withoutRecordMarks } from '@/lib/diff/normalise';
import { isRestartOnly, summarise } from '@/lib/diff/summary';
import { findDifferences } from '@/lib/diff/walk';
import { plural } from '@/lib/diff/words';
import { isApplicationBody } from '@/lib/kube/application-body';
import { deepEqual, isJsonObject, type JsonObject, memberOf } from '@/lib/kube/json';
import { isRecordedData } from '@/lib/kube/recorded-data';
import { isGroupTemplate, templateParts } from '@/lib/kube/template-parts';

/** Order of the concerns on screen. */
const CONCERNS: readonly Concern[] = [
  'image',
  'env',
  'resources',
  'probes',
  'volumes',
  'security',
  'scheduling',
  'other',
  'metadata',
];

const KINDS: readonly ChangeKind[] = ['removed', 'added', 'changed', 'moved'];

/** How many differences without meaning an explanation names. */
const NOISE_NAMED_MAX = 3;

/**
 * What differs between two pod templates (`spec.template` of a workload, or what a revision recorded), in the terms of
 * the workload. Neither is changed. Both verdicts are told, since controllers differ in how they compare.
 */
export function diffTemplates(before: JsonObject, after: JsonObject): TemplateDiff {
  const [storedBefore, storedAfter] = [withoutRecordMarks(before), withoutRecordMarks(after)];
  if (deepEqual(storedBefore, storedAfter)) return noDiff();
  const normalised = { before: normaliseTemplate(before), after: normaliseTemplate(after) };
  const namesRoles = hasRoles(before) || hasRoles(after);
  const isApplication = isApplicationBody(after);
  const changes = sortChanges(
    findDifferences(normalised.before, normalised.after).map((difference) =>
      describeDifference(difference, { namesRoles, isApplication }),
    ),
    before,
    after,
  );
  const noise = findNoise(storedBefore, storedAfter, normalised);
  const equal = changes.length === 0;
  return {
    equal,
    rawEqual: false,
    summary: summarise(changes, before, after),
    changes,
    restartOnly: isRestartOnly(changes),
    noise,
    explanation: equal ? explain(noise, after) : null,
  };
}

function noDiff(): TemplateDiff {
  return {
    equal: true,
    rawEqual: true,
    summary: 'no change',
    changes: [],
    restartOnly: false,
    noise: [],
    explanation: null,
  };
}

/** Container by container as they stand in the pod, then the pod itself; within each by concern. */
function sortChanges(changes: readonly Change[], before: JsonObject, after: JsonObject): Change[] {
  const containers = [...containerNames(after), ...containerNames(before)];
  const place = (change: Change): number =>
    change.container === null ? containers.length : containers.indexOf(change.container);
  return [...changes].sort(
    (a, b) =>
      rankOfPart(a.containerKind) - rankOfPart(b.containerKind) ||
      place(a) - place(b) ||
      CONCERNS.indexOf(a.concern) - CONCERNS.indexOf(b.concern) ||
      KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind),
  );
}

function hasRoles(template: JsonObject): boolean {
  return templateParts(template).length > 1;
}

function containerNames(template: JsonObject): (string | undefined)[] {
  if (isApplicationBody(template)) {
    const { components } = template.application;
    return Array.isArray(components)
      ? components.map((component) => {
          const name = memberOf(component, 'name');
          return typeof name === 'string' ? name : undefined;
        })
      : [];
  }
  return templateParts(template).flatMap(({ role, template: { spec } }) => {
    const { containers, initContainers, ephemeralContainers } = isJsonObject(spec) ? spec : {};
    return [containers, initContainers, ephemeralContainers].flatMap((list) =>
      Array.isArray(list)
        ? list.map((container) => {
            const name = isJsonObject(container) ? container.name : undefined;
            return typeof name === 'string' ? ofRole(role, name) : undefined;
          })
        : [],
    );
  });
}

/** Why nothing differs and yet the stored bytes do. */
function explain(noise: readonly Noise[], after: JsonObject): string {
  const reasons = [...new Set(noise.map((entry) => entry.reason))];
  const named = reasons.slice(0, NOISE_NAMED_MAX).join(', ');
  const rest =
    reasons.length > NOISE_NAMED_MAX ? ` and ${plural(reasons.length - NOISE_NAMED_MAX, 'other')}` : '';
  return `No effective change, only defaults and spellings: ${named}${rest}. ${controllersView(after)}`;
}

function controllersView(template: JsonObject): string {
  if (isRecordedData(template)) return 'How its controller compares them is not known.';
  if (isApplicationBody(template)) return 'KubeVela compares what was stored, and made a revision for this.';
  if (isGroupTemplate(template)) {
    return 'Releases of LeaderWorkerSet before 0.9 compare what was stored, so groups may have been replaced for this.';
  }
  return (
    'A Deployment takes the two for one revision; a StatefulSet or DaemonSet compares what was stored, ' +
    'so it may have replaced pods for this.'
  );
}
