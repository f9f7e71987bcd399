import 'server-only';
import { AppError } from '@/lib/errors';
import { formatList } from '@/lib/format/text';
import { deepEqual } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import { resourcePath } from '@/lib/kube/resource';
import { finding, type Finding } from '@/lib/workloads/plan';
import { type Reference, type ReferenceKind, referencesOf } from '@/lib/workloads/references';
import { type CheckInput, readAs, type ReadOptions, uncheckedFinding } from '@/server/actions/checks/check';

/** Objects that a template may name by the hundred are looked up in part, a few at a time. */
const LOOKUPS_MAX = 30;
const PARALLEL = 6;

/**
 * Only the columns that `kubectl get` prints. The metadata of a Secret may hold its data, in the annotation that `kubectl
 * apply` writes.
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
 */
const columnsOnly: ReadOptions = {
  accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
  query: { includeObject: 'None' },
};

/** The effect of a missing object on a pod. */
const consequences: Readonly<Record<ReferenceKind, string>> = {
  ConfigMap: 'pods will not start',
  Secret: 'pods will not start',
  PersistentVolumeClaim: 'pods will not be scheduled',
  ServiceAccount: 'pods cannot be created',
};

/** Whether the objects that the template names still exist. */
export async function checkReferences(input: CheckInput): Promise<Finding[]> {
  const references = referencesOf(input.template);
  const { namespace } = input.current.workload;
  const { found, missing, unread } = await lookUpEach(
    input,
    references,
    ({ kind, name }) => resourcePath({ group: '', plural: `${kind.toLowerCase()}s` }, 'v1', namespace, name),
    columnsOnly,
  );
  const findings = missing.map((reference) => missingFinding(input, reference));
  for (const [kind, [first]] of Map.groupBy(unread, ({ item }) => item.kind)) {
    if (first !== undefined)
      findings.push(uncheckedFinding('references', `References to ${kind}s`, first.error));
  }
  if (references.length > LOOKUPS_MAX) {
    const message = `The template references ${references.length} objects; only the first ${LOOKUPS_MAX} were checked.`;
    findings.push(finding('info', 'references_unchecked', message));
  }
  if (findings.length > 0 || found.length === 0) return findings;
  const names = namesOf(found.map(({ item }) => item));
  const message =
    found.length === 1 ? `Referenced object exists: ${names}.` : `Referenced objects exist: ${names}.`;
  return [finding('passed', 'references_exist', message)];
}

function missingFinding({ called }: CheckInput, { kind, name, use }: Reference): Finding {
  switch (use) {
    case 'required':
      return finding(
        'warning',
        'missing_reference',
        `${kind} ${name}, required by ${called}, does not exist: ${consequences[kind]}.`,
        `Recreate ${name} first, or choose another revision.`,
      );
    case 'optional':
      return finding(
        'info',
        'missing_optional_reference',
        `${kind} ${name}, optional in ${called}, does not exist: pods start without it.`,
      );
    case 'pull':
      return finding(
        'warning',
        'missing_pull_secret',
        `Image pull Secret ${name} of ${called} does not exist: nodes cannot pull private images that they do not have yet.`,
        `Recreate ${name} first.`,
      );
  }
}

/**
 * Whether the objects that the revision holds copies of, and a rollback does not restore, still equal their
 * copies.
 */
export async function checkRecordedObjects(input: CheckInput): Promise<Finding[]> {
  const { called, current, template } = input;
  const recorded = current.kind.recordedObjects?.(template) ?? [];
  if (recorded.length === 0) return [];
  const { found, missing, unread } = await lookUpEach(input, recorded, (object) =>
    resourcePath(object, object.version, object.namespace, object.name),
  );
  const changed = found.filter(({ item, object }) => !deepEqual(objectAt(object, 'spec') ?? {}, item.spec));
  const findings: Finding[] = [];
  if (changed.length > 0) {
    findings.push(
      finding(
        'warning',
        'definition_changed',
        `${namesOf(changed.map(({ item }) => item))} changed since ${called}: the result may differ.`,
        'Compare the definitions, and restore them first if needed.',
      ),
    );
  }
  if (missing.length > 0)
    findings.push(
      finding(
        'warning',
        'definition_gone',
        `${namesOf(missing)}, used by ${called}, no longer ${missing.length === 1 ? 'exists' : 'exist'}.`,
        'Recreate the missing definitions first, or choose another revision.',
      ),
    );
  for (const { error } of unread.slice(0, 1))
    findings.push(uncheckedFinding('definitions', 'The definitions', error));
  if (findings.length > 0) return findings;
  return [finding('passed', 'definitions_same', `Definitions are unchanged since ${called}.`)];
}

function namesOf(objects: readonly { kind: string; name: string }[]): string {
  return formatList(objects.map(({ kind, name }) => `${kind} ${name}`));
}

/** Reads the first {@link LOOKUPS_MAX}, in batches. What was read of them stays in their order. */
async function lookUpEach<Item>(
  input: CheckInput,
  items: readonly Item[],
  pathOf: (item: Item) => string,
  options: ReadOptions = {},
) {
  const read = async (item: Item) => {
    try {
      return { item, object: await readAs(input, pathOf(item), options) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { item, error };
    }
  };
  const asked = items.slice(0, LOOKUPS_MAX);
  const lookups: Awaited<ReturnType<typeof read>>[] = [];
  for (let start = 0; start < asked.length; start += PARALLEL)
    lookups.push(...(await Promise.all(asked.slice(start, start + PARALLEL).map(read))));
  const failed = lookups.filter((lookup) => lookup.error !== undefined);
  return {
    found: lookups.filter((lookup) => lookup.object !== undefined),
    missing: failed.filter(({ error }) => error.code === 'not_found').map(({ item }) => item),
    unread: failed.filter(({ error }) => error.code !== 'not_found'),
  };
}
