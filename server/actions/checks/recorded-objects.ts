import 'server-only';
import { AppError } from '@/lib/errors';
import { deepEqual } from '@/lib/kube/json';
import { type RecordedObject } from '@/lib/workloads/kind';
import { type Finding } from '@/lib/workloads/plan';
import { objectAt } from '@/lib/kube/read';
import { resourcePath } from '@/lib/kube/resource';
import { formatList } from '@/lib/format/text';
import { type CheckInput, readAs, uncheckedFinding } from '@/server/actions/checks/check';

const LOOKUPS_MAX = 30;
const PARALLEL = 6;

type ObjectComparison = { object: RecordedObject } & (
  { is: 'same' | 'other' | 'gone' } | { is: 'unread'; error: AppError }
);

/**
 * Whether the objects that the revision holds copies of, and a rollback does not restore, still equal their
 * copies.
 */
export async function checkRecordedObjects(input: CheckInput): Promise<Finding[]> {
  const { kind } = input.current;
  const objects = (kind.recordedObjects?.(input.template) ?? []).slice(0, LOOKUPS_MAX);
  const comparisons: ObjectComparison[] = [];
  for (let start = 0; start < objects.length; start += PARALLEL) {
    const batch = objects.slice(start, start + PARALLEL);
    comparisons.push(...(await Promise.all(batch.map((object) => compareObject(input, object)))));
  }
  if (comparisons.length === 0) return [];
  const found = [
    ...changedFindings(input, comparisons),
    ...missingFindings(input, comparisons),
    ...uncheckedFindings(comparisons),
  ];
  return found.length > 0 ? found : [unchangedFinding(input)];
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

function changedFindings({ called }: CheckInput, comparisons: readonly ObjectComparison[]): Finding[] {
  const changed = comparisons.filter(({ is }) => is === 'other');
  if (changed.length === 0) return [];
  const names = formatList(changed.map(nameOf));
  return [
    {
      severity: 'warning',
      code: 'definition_changed',
      message: `${names} ${changed.length === 1 ? 'is' : 'are'} not as ${called} recorded ${changed.length === 1 ? 'it' : 'them'}: what it makes now may differ from what it made then.`,
      action: 'Look at the difference, and bring the definitions back first if they matter.',
    },
  ];
}

function missingFindings({ called }: CheckInput, comparisons: readonly ObjectComparison[]): Finding[] {
  const missing = comparisons.filter(({ is }) => is === 'gone');
  if (missing.length === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'definition_gone',
      message: `${formatList(missing.map(nameOf))}, which ${called} was made with, ${missing.length === 1 ? 'is' : 'are'} not there any more.`,
      action: 'Create what is missing first, or choose another revision.',
    },
  ];
}

function uncheckedFindings(comparisons: readonly ObjectComparison[]): Finding[] {
  const [first] = comparisons.flatMap((each) => (each.is === 'unread' ? [each] : []));
  return first === undefined
    ? []
    : [uncheckedFinding('definitions', 'Whether the definitions are still the same', first.error)];
}

function unchangedFinding({ called }: CheckInput): Finding {
  const message = `The definitions are as ${called} recorded them.`;
  return { severity: 'passed', code: 'definitions_same', message, action: null };
}

function nameOf({ object: { kind, name } }: ObjectComparison): string {
  return `${kind} ${name}`;
}
