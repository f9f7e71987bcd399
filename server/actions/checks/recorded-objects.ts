import 'server-only';
import { AppError } from '@/lib/errors';
import { deepEqual } from '@/lib/kube/json';
import { type RecordedObject } from '@/lib/workloads/kind';
import { finding, type Finding } from '@/lib/workloads/plan';
import { objectAt } from '@/lib/kube/read';
import { resourcePath } from '@/lib/kube/resource';
import { formatList } from '@/lib/format/text';
import { type CheckInput, lookUpEach, readAs, uncheckedFinding } from '@/server/actions/checks/check';

type ObjectComparison = { object: RecordedObject } & (
  { is: 'same' | 'other' | 'gone' } | { is: 'unread'; error: AppError }
);

/**
 * Whether the objects that the revision holds copies of, and a rollback does not restore, still equal their
 * copies.
 */
export async function checkRecordedObjects(input: CheckInput): Promise<Finding[]> {
  const { kind } = input.current;
  const objects = kind.recordedObjects?.(input.template) ?? [];
  const comparisons = await lookUpEach(objects, (object) => compareObject(input, object));
  if (comparisons.length === 0) return [];
  const findings: Finding[] = [];
  const changed = comparisons.filter(({ is }) => is === 'other');
  if (changed.length > 0) findings.push(changedFinding(input, changed));
  const missing = comparisons.filter(({ is }) => is === 'gone');
  if (missing.length > 0) findings.push(missingFinding(input, missing));
  const unread = comparisons.find((each) => each.is === 'unread');
  if (unread !== undefined)
    findings.push(
      uncheckedFinding('definitions', 'Whether the definitions are still the same', unread.error),
    );
  if (findings.length > 0) return findings;
  return [finding('passed', 'definitions_same', `The definitions are as ${input.called} recorded them.`)];
}

async function compareObject(input: CheckInput, object: RecordedObject): Promise<ObjectComparison> {
  const { group, version, plural, kind, namespace, name, spec } = object;
  const type = { id: `${plural}.${group}`, group, versions: [version], plural, kind };
  try {
    const current = await readAs(input, resourcePath(type, version, namespace, name));
    return { object, is: deepEqual(objectAt(current, 'spec') ?? {}, spec) ? 'same' : 'other' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'not_found' ? { object, is: 'gone' } : { object, is: 'unread', error };
  }
}

function changedFinding({ called }: CheckInput, changed: readonly ObjectComparison[]): Finding {
  const [is, them] = changed.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return finding(
    'warning',
    'definition_changed',
    `${formatList(changed.map(nameOf))} ${is} not as ${called} recorded ${them}: what it makes now may differ from what it made then.`,
    'Look at the difference, and bring the definitions back first if they matter.',
  );
}

function missingFinding({ called }: CheckInput, missing: readonly ObjectComparison[]): Finding {
  return finding(
    'warning',
    'definition_gone',
    `${formatList(missing.map(nameOf))}, which ${called} was made with, ${missing.length === 1 ? 'is' : 'are'} not there any more.`,
    'Create what is missing first, or choose another revision.',
  );
}

function nameOf({ object: { kind, name } }: ObjectComparison): string {
  return `${kind} ${name}`;
}
