import type { JsonObject } from '@/lib/kube/json';
import { boundedName } from '@/lib/rollout/bounded';
import { numberAt, objectAt, objectsAt } from '@/lib/kube/read';
import { formatDuration } from '@/lib/format/duration';
import { formatCount, formatList } from '@/lib/format/text';

const RULES_MAX = 16;
const NAMES_MAX = 20;

/** One step of a canary, as in its plan. */
export type ArgoStep =
  | { kind: 'setWeight'; weight: number }
  /** `seconds` null: until it is promoted. */
  | { kind: 'pause'; seconds: number | null }
  | { kind: 'setCanaryScale'; replicas: number | null; weight: number | null }
  | { kind: 'setHeaderRoute'; name: string; rules: readonly string[] }
  | { kind: 'setMirrorRoute'; name: string; percent: number | null; rules: readonly string[] }
  | { kind: 'analysis'; templates: readonly string[] }
  | { kind: 'experiment'; templates: readonly string[] }
  | { kind: 'plugin'; name: string }
  /** Of a blue-green rollout, which has no steps in its plan. */
  | { kind: 'preview' }
  | { kind: 'unknown'; name: string };

/** Never throws; a step of an unknown kind keeps its name. */
export function stepOf(step: JsonObject): ArgoStep {
  const weight = numberAt(step, 'setWeight');
  if (weight !== undefined) return { kind: 'setWeight', weight };
  const pause = objectAt(step, 'pause');
  if (pause !== undefined) return { kind: 'pause', seconds: durationSeconds(pause.duration) };
  const scale = objectAt(step, 'setCanaryScale');
  if (scale !== undefined)
    return {
      kind: 'setCanaryScale',
      replicas: numberAt(scale, 'replicas') ?? null,
      weight: numberAt(scale, 'weight') ?? null,
    };
  const header = objectAt(step, 'setHeaderRoute');
  if (header !== undefined)
    return {
      kind: 'setHeaderRoute',
      name: boundedName(header, 'name') ?? '',
      rules: objectsAt(header, 'match').slice(0, RULES_MAX).map(headerRule),
    };
  const mirror = objectAt(step, 'setMirrorRoute');
  if (mirror !== undefined)
    return {
      kind: 'setMirrorRoute',
      name: boundedName(mirror, 'name') ?? '',
      percent: numberAt(mirror, 'percentage') ?? null,
      rules: objectsAt(mirror, 'match').slice(0, RULES_MAX).map(mirrorRule),
    };
  const analysis = objectAt(step, 'analysis');
  if (analysis !== undefined) return { kind: 'analysis', templates: namesOf(analysis, 'templateName') };
  const experiment = objectAt(step, 'experiment');
  if (experiment !== undefined) return { kind: 'experiment', templates: namesOf(experiment, 'name') };
  const plugin = objectAt(step, 'plugin');
  if (plugin !== undefined) return { kind: 'plugin', name: boundedName(plugin, 'name') ?? '' };
  return { kind: 'unknown', name: Object.keys(step)[0]?.slice(0, 100) ?? '' };
}

/** What the step does, as a label. `max`: the weight of all traffic. */
export function describeStep(step: ArgoStep, max: number): string {
  switch (step.kind) {
    case 'setWeight':
      return `Set weight to ${percentOf(step.weight, max)}%`;
    case 'pause':
      return step.seconds === null
        ? 'Pause until promoted'
        : `Pause for ${formatDuration(step.seconds * 1_000)}`;
    case 'setCanaryScale':
      if (step.replicas !== null) return `Scale canary to ${formatCount(step.replicas, 'pod')}`;
      return step.weight === null
        ? 'Canary scale follows the traffic weight'
        : `Scale canary to ${step.weight}% of the pods`;
    case 'setHeaderRoute':
      return step.rules.length === 0
        ? `Remove header route ${step.name}`
        : `Route requests with ${formatList(step.rules)} to the canary`;
    case 'setMirrorRoute':
      return step.percent === null && step.rules.length === 0
        ? `Remove mirror route ${step.name}`
        : `Mirror ${step.percent ?? 100}% of requests${step.rules.length === 0 ? '' : ` with ${formatList(step.rules)}`} to the canary`;
    case 'analysis':
      return step.templates.length === 0 ? 'Analysis' : `Analysis: ${formatList(step.templates)}`;
    case 'experiment':
      return step.templates.length === 0 ? 'Experiment' : `Experiment: ${formatList(step.templates)}`;
    case 'plugin':
      return `Plugin ${step.name}`;
    case 'preview':
      return 'Preview until promoted';
    case 'unknown':
      return step.name === '' ? 'Unknown step type' : `Unknown step type: ${step.name}`;
  }
}

export function percentOf(weight: number, max: number): number {
  return Math.round((weight * 100) / max);
}

function namesOf(step: JsonObject, member: string): string[] {
  return objectsAt(step, 'templates')
    .slice(0, NAMES_MAX)
    .map((template) => boundedName(template, member) ?? '');
}

function headerRule(match: JsonObject): string {
  return `header ${boundedName(match, 'headerName') ?? ''} ${matchText(objectAt(match, 'headerValue'))}`;
}

function mirrorRule(match: JsonObject): string {
  const parts = [
    ...(['method', 'path'] as const).flatMap((member) => {
      const condition = objectAt(match, member);
      return condition === undefined ? [] : [`${member} ${matchText(condition)}`];
    }),
    ...Object.entries(objectAt(match, 'headers') ?? {})
      .slice(0, RULES_MAX)
      .map(([name]) => `header ${name} ${matchText(objectAt(match, 'headers', name))}`),
  ];
  return parts.join(' and ').slice(0, 1_000);
}

function matchText(condition: JsonObject | undefined): string {
  const exact = boundedName(condition, 'exact');
  if (exact !== null) return `= ${exact}`;
  const prefix = boundedName(condition, 'prefix');
  if (prefix !== null) return `^ ${prefix}`;
  const regex = boundedName(condition, 'regex');
  return regex === null ? 'with any value' : `~ ${regex}`;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = {
  h: 3_600,
  m: 60,
  s: 1,
  ms: 1e-3,
  us: 1e-6,
  µs: 1e-6,
  ns: 1e-9,
};

/**
 * Seconds of a pause as a plan writes it: a number, the text of one, or a Go duration (`1h30m`). Null where
 * it is none of them.
 * https://github.com/argoproj/argo-rollouts/blob/master/pkg/apis/rollouts/v1alpha1/types.go (DurationSeconds)
 */
export function durationSeconds(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  if (/^\d+$/.test(value)) return Number(value);
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us|µs|ns))+$/.test(value)) return null;
  let seconds = 0;
  for (const [, amount = '', unit = ''] of value.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|ns)/g))
    seconds += Number(amount) * (UNIT_SECONDS[unit] ?? 0);
  return Math.floor(seconds);
}
