import 'server-only';
import { AppError } from '@/lib/errors';
import { formatList } from '@/lib/format/text';
import { deepEqual } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import { type RecordedObject } from '@/lib/workloads/kind';
import { finding, type Finding } from '@/lib/workloads/plan';
import { type Reference, type ReferenceKind, referencesOf } from '@/lib/workloads/references';
import { type CheckInput, readAs, uncheckedFinding } from '@/server/actions/checks/check';

/** Objects that a template may name by the hundred are looked up in part, a few at a time. */
const LOOKUPS_MAX = 30;
const PARALLEL = 6;

/** Names only: the data of a Secret must not even be requested. */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

const plurals: Readonly<Record<ReferenceKind, string>> = {
  ConfigMap: 'configmaps',
  Secret: 'secrets',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  ServiceAccount: 'serviceaccounts',
};

/** The effect of a missing object on a pod. */
const consequences: Readonly<Record<ReferenceKind, string>> = {
  ConfigMap: 'its pods will not start',
  Secret: 'its pods will not start',
  PersistentVolumeClaim: 'its pods will not be scheduled',
  ServiceAccount: 'none of its pods can be created',
};

type Lookup = { reference: Reference; found: boolean } | { reference: Reference; error: AppError };

/** Whether the objects that the template names still exist. */
export async function checkReferences(input: CheckInput): Promise<Finding[]> {
  const references = referencesOf(input.template);
  const lookups = await lookUpEach(references, (reference) => lookUp(input, reference));
  const findings = lookups.flatMap((lookup) =>
    'found' in lookup && !lookup.found ? [missingFinding(input, lookup)] : [],
  );
  const unread = Map.groupBy(
    lookups.flatMap((lookup) => ('error' in lookup ? [lookup] : [])),
    ({ reference }) => reference.kind,
  );
  for (const [kind, [first]] of unread) {
    if (first !== undefined)
      findings.push(uncheckedFinding('references', `Whether each ${kind} exists`, first.error));
  }
  if (references.length > LOOKUPS_MAX) {
    const message = `It refers to ${references.length} objects; only the first ${LOOKUPS_MAX} were looked up.`;
    findings.push(finding('info', 'references_unchecked', message));
  }
  const found = lookups.flatMap((lookup) => ('found' in lookup && lookup.found ? [lookup.reference] : []));
  if (findings.length === 0 && found.length > 0) findings.push(allFoundFinding(found));
  return findings;
}

async function lookUp(input: CheckInput, reference: Reference): Promise<Lookup> {
  const { namespace } = input.current.workload;
  const { kind, name } = reference;
  const type: ResourceType = { id: plurals[kind], group: '', versions: ['v1'], plural: plurals[kind], kind };
  try {
    await readAs(input, resourcePath(type, 'v1', namespace, name), { accept: METADATA_ONLY });
    return { reference, found: true };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'not_found' ? { reference, found: false } : { reference, error };
  }
}

function missingFinding({ called }: CheckInput, { reference }: { reference: Reference }): Finding {
  const { kind, name, use } = reference;
  switch (use) {
    case 'required':
      return finding(
        'warning',
        'missing_reference',
        `${kind} ${name}, which ${called} needs, does not exist: ${consequences[kind]}.`,
        `Create ${name} again first, or choose another revision.`,
      );
    case 'optional':
      return finding(
        'info',
        'missing_optional_reference',
        `${kind} ${name}, which ${called} reads where it exists, does not exist: its pods start without it.`,
      );
    case 'pull':
      return finding(
        'warning',
        'missing_pull_secret',
        `Secret ${name}, with which ${called} pulls its images, does not exist: private images cannot be pulled on nodes that lack them.`,
        `Create ${name} again first.`,
      );
  }
}

function allFoundFinding(found: readonly Reference[]): Finding {
  const names = formatList(found.map(({ kind, name }) => `${kind} ${name}`));
  return finding(
    'passed',
    'references_exist',
    found.length === 1 ? `${names}, which it refers to, exists.` : `What it refers to exists: ${names}.`,
  );
}

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
  if (changed.length > 0) findings.push(definitionChanged(input, changed));
  const missing = comparisons.filter(({ is }) => is === 'gone');
  if (missing.length > 0) findings.push(definitionMissing(input, missing));
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

function definitionChanged({ called }: CheckInput, changed: readonly ObjectComparison[]): Finding {
  const [is, them] = changed.length === 1 ? ['is', 'it'] : ['are', 'them'];
  return finding(
    'warning',
    'definition_changed',
    `${formatList(changed.map(nameOf))} ${is} not as ${called} recorded ${them}: what it makes now may differ from what it made then.`,
    'Look at the difference, and bring the definitions back first if they matter.',
  );
}

function definitionMissing({ called }: CheckInput, missing: readonly ObjectComparison[]): Finding {
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

/** Calls `lookUp` for the first {@link LOOKUPS_MAX}, in batches. */
async function lookUpEach<Item, Found>(
  items: readonly Item[],
  lookUp: (item: Item) => Promise<Found>,
): Promise<Found[]> {
  const found: Found[] = [];
  for (let start = 0; start < Math.min(items.length, LOOKUPS_MAX); start += PARALLEL) {
    const batch = items.slice(start, Math.min(start + PARALLEL, LOOKUPS_MAX));
    found.push(...(await Promise.all(batch.map(lookUp))));
  }
  return found;
}
