import { type Change, type Concern, isPartKind, type Risk } from '@/lib/diff/change';
import { type Step } from '@/lib/diff/path';
import { riskOf } from '@/lib/diff/risk';
import { type Difference } from '@/lib/diff/walk';
import { fieldWords } from '@/lib/diff/words';
import { shortImage } from '@/lib/kube/image';
import { type Json, memberOf } from '@/lib/kube/json';

/** A part of an Application that a change belongs to, and how it is called. */
export type ApplicationPart = 'component' | 'policy' | 'step' | 'workflow' | 'definition' | 'object';

const PART_WORDS: Readonly<Record<ApplicationPart, string>> = {
  component: 'component',
  policy: 'policy',
  step: 'workflow step',
  workflow: 'workflow',
  definition: 'definition',
  object: 'object',
};

type Words = Pick<
  Change,
  'container' | 'containerKind' | 'label' | 'concern' | 'note' | 'restarts' | 'risk'
> &
  Partial<Pick<Change, 'beforeText' | 'afterText'>>;

interface Located {
  part: ApplicationPart;
  name: string;
  /** Below the part. */
  steps: readonly Step[];
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

/** Members that everything stands in, so that they tell nothing. */
const FRAME: ReadonlySet<string> = new Set(['properties', 'spec', 'schematic', 'cue', 'value']);

const REMOVED: Risk = { code: 'component_removed', reason: 'KubeVela deletes what it made of it' };

/** "component", "workflow step": a part as it is called. */
export function partWords(part: ApplicationPart): string {
  return PART_WORDS[part];
}

/** Components first; what is no part of an Application has no rank among others. */
export function rankOfPart(kind: Change['containerKind']): number {
  return kind === null ? -1 : Object.keys(PART_WORDS).indexOf(kind);
}

/** Whether the change is that the part comes, goes or moves as a whole. */
export function isWholePart({ containerKind, container, label }: Change): boolean {
  return isPartKind(containerKind) && label === calledPart(containerKind, container ?? '');
}

/**
 * How a change of an Application is told: which component, policy, step or definition it belongs to, and where in it.
 * `change` has what the general rules say. Whether pods restart only the definitions know.
 */
export function describeApplication(difference: Difference, change: Change): Words {
  const { part, name, steps } = locate(difference.steps);
  const isWhole = steps.length === 0;
  const label = isWhole
    ? calledPart(part, name)
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
    ...wholeTexts(difference, steps),
  };
}

function calledPart(part: ApplicationPart, name: string): string {
  return name === '' ? PART_WORDS[part] : `${PART_WORDS[part]} ${name}`;
}

function locate(steps: readonly Step[]): Located {
  const [root, list, entry, ...rest] = steps;
  if (root?.name === 'definitions')
    return {
      part: 'definition',
      name: [entry?.name, list && `(${fieldWords(list.name)})`].filter(Boolean).join(' '),
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
  if (list?.name === 'workflow') return inWorkflow(steps.slice(2));
  return { part: 'workflow', name: '', steps: steps.slice(1) };
}

function inWorkflow(steps: readonly Step[]): Located {
  const [list, entry, ...rest] = steps;
  if (list?.name === 'steps' && entry?.kind === 'entry')
    return { part: 'step', name: entry.name, steps: rest };
  return { part: 'workflow', name: '', steps };
}

/** "trait scaler replicas", "env LOG_LEVEL", "template". */
function labelOf(steps: readonly Step[]): string {
  const words = steps.filter(({ kind, name }) => kind !== 'field' || !FRAME.has(name));
  const shown = words.length === 0 ? steps.slice(-1) : words.length > 4 ? words.slice(-4) : words;
  return shown.map((step, index) => wordOf(step, shown[index + 1])).join(' ');
}

/** "trait scaler": a list is called by what one of it is. */
function wordOf({ kind, name }: Step, next: Step | undefined): string {
  if (kind !== 'field') return name;
  const words = fieldWords(name);
  return next?.kind === 'entry' ? words.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '') : words;
}

function concernOf(steps: readonly Step[]): Concern {
  const found = steps.map(({ name }) => CONCERNS[name]).find((concern) => concern !== undefined);
  return found ?? 'other';
}

/** Members of properties are called as those of containers wherever they mean the same. */
function riskIn(difference: Difference, { part, name, steps }: Located): Risk | null {
  const { kind, before, after } = difference;
  if (part !== 'component') return null;
  if (steps.length === 0) return kind === 'removed' ? REMOVED : null;
  if (steps[0]?.name !== 'properties' || steps.length === 1 || difference.part !== null) return null;
  const local = steps.slice(1);
  return riskOf({
    ...{ kind, before, after, container: name, containerKind: 'container' },
    fields: local.filter((step) => step.kind === 'field').map((step) => step.name),
    names: local.filter((step) => step.kind !== 'field').map((step) => step.name),
  });
}

/** What comes or goes as a whole is told by its type and its image. */
function wholeTexts(
  { kind, before, after, struct }: Difference,
  steps: readonly Step[],
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
  const said = [
    ...(typeof type === 'string' ? [type] : []),
    ...(typeof image === 'string' ? [shortImage(image)] : []),
  ].join(' ');
  return said === '' ? 'without a type' : said;
}
