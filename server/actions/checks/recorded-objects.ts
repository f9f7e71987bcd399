import 'server-only';
import { AppError } from '@/lib/errors';
import { deepEqual } from '@/lib/kube/json';
import { type RecordedObject } from '@/lib/workloads/kind';
import { type Finding } from '@/lib/workloads/plan';
import { objectAt } from '@/lib/workloads/read';
import { resourcePath } from '@/lib/workloads/resource';
import { listed } from '@/lib/workloads/words';
import { type CheckInput, readAs, uncheckedFinding } from '@/server/actions/checks/check';

const LOOKUPS_MAX = 30;
const PARALLEL = 6;

type Look = { object: RecordedObject } & (
  { is: 'same' | 'other' | 'gone' } | { is: 'unread'; error: AppError }
);

/** Whether what the revision holds copies of, and a rollback does not bring back, is still as it was then. */
export async function checkRecordedObjects(input: CheckInput): Promise<Finding[]> {
  const { kind } = input.present;
  const objects = (kind.recordedObjects?.(input.template) ?? []).slice(0, LOOKUPS_MAX);
  const looks: Look[] = [];
  for (let start = 0; start < objects.length; start += PARALLEL) {
    const batch = objects.slice(start, start + PARALLEL);
    looks.push(...(await Promise.all(batch.map((object) => look(input, object)))));
  }
  if (looks.length === 0) return [];
  const found = [...tellOthers(input, looks), ...tellGone(input, looks), ...tellUnread(looks)];
  return found.length > 0 ? found : [same(input)];
}

async function look(input: CheckInput, object: RecordedObject): Promise<Look> {
  const { group, version, plural, kind, namespace, name, spec } = object;
  const type = { id: `${plural}.${group}`, group, versions: [version], plural, kind };
  try {
    const present = await readAs(input, resourcePath(type, version, namespace, name));
    return { object, is: deepEqual(objectAt(present, 'spec') ?? {}, spec) ? 'same' : 'other' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'not_found' ? { object, is: 'gone' } : { object, is: 'unread', error };
  }
}

function tellOthers({ called }: CheckInput, looks: readonly Look[]): Finding[] {
  const others = looks.filter(({ is }) => is === 'other');
  if (others.length === 0) return [];
  const names = listed(others.map(nameOf));
  return [
    {
      severity: 'warning',
      code: 'definition_changed',
      message: `${names} ${others.length === 1 ? 'is' : 'are'} not as ${called} recorded ${others.length === 1 ? 'it' : 'them'}: what it makes now may differ from what it made then.`,
      action: 'Look at the difference, and bring the definitions back first if they matter.',
    },
  ];
}

function tellGone({ called }: CheckInput, looks: readonly Look[]): Finding[] {
  const gone = looks.filter(({ is }) => is === 'gone');
  if (gone.length === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'definition_gone',
      message: `${listed(gone.map(nameOf))}, which ${called} was made with, ${gone.length === 1 ? 'is' : 'are'} not there any more.`,
      action: 'Create what is missing first, or choose another revision.',
    },
  ];
}

function tellUnread(looks: readonly Look[]): Finding[] {
  const [first] = looks.flatMap((each) => (each.is === 'unread' ? [each] : []));
  return first === undefined
    ? []
    : [uncheckedFinding('definitions', 'Whether the definitions are still the same', first.error)];
}

function same({ called }: CheckInput): Finding {
  const message = `The definitions are as ${called} recorded them.`;
  return { severity: 'passed', code: 'definitions_same', message, action: null };
}

function nameOf({ object: { kind, name } }: Look): string {
  return `${kind} ${name}`;
}
