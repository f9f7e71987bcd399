import type { Change } from '@/lib/diff/change';
import type { Risk } from '@/lib/api/diff';
import { type Concern, isApplicationPartKind } from '@/lib/api/diff-values';
import type { PathStep } from '@/lib/diff/path';
import { riskOf } from '@/lib/diff/risk';
import type { Difference } from '@/lib/diff/walk';
import { fieldLabel, stepText } from '@/lib/diff/field-name-text';
import { shortImage } from '@/lib/kube/image';
import { type Json, memberOf } from '@/lib/kube/json';

/** The part of an Application that a change belongs to, and its name. */
type ApplicationPart = 'component' | 'policy' | 'step' | 'workflow' | 'definition' | 'object';

const PART_LABELS: Readonly<Record<ApplicationPart, string>> = {
  component: 'component',
  policy: 'policy',
  step: 'workflow step',
  workflow: 'workflow',
  definition: 'definition',
  object: 'object',
};

type ChangeText = Pick<
  Change,
  'container' | 'containerKind' | 'label' | 'concern' | 'note' | 'restarts' | 'risk'
> &
  Partial<Pick<Change, 'beforeText' | 'afterText'>>;

interface PartLocation {
  part: ApplicationPart;
  name: string;
  /** Below the part. */
  steps: readonly PathStep[];
}

const CONCERNS: Readonly<Record<string, Concern>> = {
  image: 'image',
  imagePullPolicy: 'image',
  imagePullSecrets: 'image',
  env: 'env',
  envFromSec: 'env',
  cpu: 'resources',
  memory: 'resources',
  limit: 'resources',
  replicas: 'resources',
  resources: 'resources',
  livenessProbe: 'probes',
  readinessProbe: 'probes',
  volumes: 'volumes',
  volumeMounts: 'volumes',
  storage: 'volumes',
  labels: 'metadata',
  annotations: 'metadata',
};

/** Members that contain everything, so that their names add no information. */
const CONTAINER_MEMBERS: ReadonlySet<string> = new Set(['properties', 'spec', 'schematic', 'cue', 'value']);

const COMPONENT_REMOVED: Risk = { code: 'component_removed', reason: 'KubeVela deletes its objects' };

/** "component", "workflow step": the name of a kind of part. */
export function partLabel(part: ApplicationPart): string {
  return PART_LABELS[part];
}

/** Components first; what is no part of an Application has no rank. */
export function rankOfPart(kind: Change['containerKind']): number {
  return kind === null ? -1 : Object.keys(PART_LABELS).indexOf(kind);
}

/** Whether the change adds, removes or moves the entire part. */
export function isWholePart({ containerKind, container, label }: Change): boolean {
  return isApplicationPartKind(containerKind) && label === partTitle(containerKind, container ?? '');
}

/**
 * Describes a change of an Application: its component, policy, step or definition, and the place in it.
 * `change` has the result of the general rules. Whether pods restart depends on the definitions.
 */
export function describeApplication(difference: Difference, change: Change): ChangeText {
  const { part, name, steps } = locate(difference.steps);
  const isWhole = steps.length === 0;
  const label = isWhole
    ? partTitle(part, name)
    : difference.part !== null && change.container !== null
      ? `${change.container} ${change.label}`
      : labelOf(steps);
  return {
    container: name,
    containerKind: part,
    label,
    concern: concernOf(steps),
    note: change.note,
    restarts: false,
    risk: riskIn(difference, { part, name, steps }),
    ...entryTexts(difference, steps),
  };
}

function partTitle(part: ApplicationPart, name: string): string {
  return name === '' ? PART_LABELS[part] : `${PART_LABELS[part]} ${name}`;
}

function locate(steps: readonly PathStep[]): PartLocation {
  const [root, list, entry, ...rest] = steps;
  if (root?.name === 'definitions')
    return {
      part: 'definition',
      name: [entry?.name, list && `(${fieldLabel(list.name)})`].filter(Boolean).join(' '),
      steps: rest,
    };
  if (root?.name === 'policies' || root?.name === 'policyVersions')
    return { part: 'policy', name: list?.name ?? '', steps: steps.slice(2) };
  if (root?.name === 'referred') return { part: 'object', name: list?.name ?? '', steps: steps.slice(2) };
  if (root?.name === 'workflow') return { part: 'workflow', name: '', steps: steps.slice(1) };
  if (list?.name === 'components' && entry?.kind === 'entry')
    return { part: 'component', name: entry.name, steps: rest };
  if (list?.name === 'policies' && entry?.kind === 'entry')
    return { part: 'policy', name: entry.name, steps: rest };
  if (list?.name === 'workflow') return locateInWorkflow(steps.slice(2));
  return { part: 'workflow', name: '', steps: steps.slice(1) };
}

function locateInWorkflow(steps: readonly PathStep[]): PartLocation {
  const [list, entry, ...rest] = steps;
  if (list?.name === 'steps' && entry?.kind === 'entry')
    return { part: 'step', name: entry.name, steps: rest };
  return { part: 'workflow', name: '', steps };
}

/** "trait scaler replicas", "env LOG_LEVEL", "template". */
function labelOf(steps: readonly PathStep[]): string {
  const terms = steps.filter(({ kind, name }) => kind !== 'field' || !CONTAINER_MEMBERS.has(name));
  const shown = terms.length === 0 ? steps.slice(-1) : terms.length > 4 ? terms.slice(-4) : terms;
  return shown.map((step, index) => stepText(step, shown[index + 1])).join(' ');
}

function concernOf(steps: readonly PathStep[]): Concern {
  const found = steps.map(({ name }) => CONCERNS[name]).find((concern) => concern !== undefined);
  return found ?? 'other';
}

/** Members of properties have the labels of those of containers wherever they mean the same. */
function riskIn(difference: Difference, { part, name, steps }: PartLocation): Risk | null {
  const { kind, before, after } = difference;
  if (part !== 'component') return null;
  if (steps.length === 0) return kind === 'removed' ? COMPONENT_REMOVED : null;
  if (steps[0]?.name !== 'properties' || steps.length === 1 || difference.part !== null) return null;
  const local = steps.slice(1);
  return riskOf({
    ...{ kind, before, after, container: name, containerKind: 'container' },
    fields: local.filter((step) => step.kind === 'field').map((step) => step.name),
    names: local.filter((step) => step.kind !== 'field').map((step) => step.name),
  });
}

/** An added or removed part is described by its type and its image. */
function entryTexts(
  { kind, before, after, struct }: Difference,
  steps: readonly PathStep[],
): Partial<Pick<Change, 'beforeText' | 'afterText'>> {
  if (kind === 'moved' || struct?.startsWith('Oam') !== true) return {};
  if (steps.length > 0 && steps.at(-1)?.kind !== 'entry') return {};
  return {
    beforeText: before === undefined ? null : typeText(before),
    afterText: after === undefined ? null : typeText(after),
  };
}

function typeText(value: Json): string {
  const [type, image] = [memberOf(value, 'type'), memberOf(memberOf(value, 'properties'), 'image')];
  const text = [
    ...(typeof type === 'string' ? [type] : []),
    ...(typeof image === 'string' ? [shortImage(image)] : []),
  ].join(' ');
  return text === '' ? 'without a type' : text;
}
