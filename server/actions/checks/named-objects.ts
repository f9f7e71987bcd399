import 'server-only';
import { AppError } from '@/lib/errors';
import { formatList } from '@/lib/format/text';
import { deepEqual, isJsonObject } from '@/lib/kube/json';
import { objectAt } from '@/lib/kube/read';
import { resourcePath } from '@/lib/kube/resource';
import { finding, type Finding } from '@/lib/workloads/plan';
import {
  type Reference,
  type ReferenceKind,
  referencesOf,
  variablesFromFiles,
} from '@/lib/workloads/references';
import {
  type CheckedTemplate,
  type CheckInput,
  isUnserved,
  readAs,
  type ReadOptions,
  uncheckedFinding,
} from '@/server/actions/checks/check';

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

interface ReferenceRules {
  group: string;
  /** Default `v1`. */
  version?: string;
  /** Whether it belongs to no namespace. */
  isOfCluster?: true;
  /** The effect of a missing object on a pod. */
  consequence: string;
}

const rules: Readonly<Record<ReferenceKind, ReferenceRules>> = {
  ConfigMap: { group: '', consequence: 'pods will not start' },
  Secret: { group: '', consequence: 'pods will not start' },
  PersistentVolumeClaim: { group: '', consequence: 'pods will not be scheduled' },
  ServiceAccount: { group: '', consequence: 'pods cannot be created' },
  PriorityClass: {
    group: 'scheduling.k8s.io',
    isOfCluster: true,
    consequence: 'pods cannot be created',
  },
  RuntimeClass: { group: 'node.k8s.io', isOfCluster: true, consequence: 'pods cannot be created' },
  ResourceClaim: { group: 'resource.k8s.io', consequence: 'pods will not be scheduled' },
  ResourceClaimTemplate: { group: 'resource.k8s.io', consequence: 'pods will not be scheduled' },
  // A volume that was made in advance may have the name of a class that does not exist.
  StorageClass: {
    group: 'storage.k8s.io',
    isOfCluster: true,
    consequence: 'pods will not be scheduled without an existing volume of that class',
  },
  VolumeAttributesClass: {
    group: 'storage.k8s.io',
    isOfCluster: true,
    consequence: 'pods will not be scheduled',
  },
  ClusterTrustBundle: {
    group: 'certificates.k8s.io',
    version: 'v1beta1',
    isOfCluster: true,
    consequence: 'pods will not start',
  },
};

/** Whether the objects that the template names still exist, with the keys that it names. */
export async function checkReferences(input: CheckInput, checked: CheckedTemplate): Promise<Finding[]> {
  const references = referencesOf(checked.template);
  const { found, missing, unread } = await lookUpEach(references, (reference) => readKeys(input, reference));
  const findings = missing.map((reference) => missingFinding(checked, reference));
  findings.push(...found.flatMap(({ item, result }) => missingKeys(checked, item, result)));
  for (const [kind, [first]] of Map.groupBy(unread, ({ item }) => item.kind)) {
    if (first !== undefined)
      findings.push(uncheckedFinding('references', `References to ${pluralOf(kind)}`, first.error));
  }
  if (references.length > LOOKUPS_MAX) {
    const message = `The template references ${references.length} objects; only the first ${LOOKUPS_MAX} were checked.`;
    findings.push(finding('info', 'references_unchecked', message));
  }
  const variables = variablesFromFiles(checked.template);
  if (variables.length > 0) {
    const message = `Variables that containers read from files of the pod could not be checked: ${formatList(variables)}.`;
    findings.push(finding('info', 'references_unchecked', message));
  }
  if (findings.length > 0 || found.length === 0) return findings;
  const names = namesOf(found.map(({ item }) => item));
  const message =
    found.length === 1 ? `Referenced object exists: ${names}.` : `Referenced objects exist: ${names}.`;
  return [finding('passed', 'references_exist', message)];
}

function pluralOf(kind: ReferenceKind): string {
  return kind.endsWith('s') ? `${kind}es` : `${kind}s`;
}

/**
 * Reads the object, with its content only where the template names keys: Kubernetes has no request for names of keys
 * alone. The values go no further than this function.
 */
async function readKeys(input: CheckInput, { kind, name, keys }: Reference): Promise<ReadonlySet<string>> {
  const { group, version = 'v1', isOfCluster } = rules[kind];
  const namespace = isOfCluster === true ? undefined : input.current.workload.namespace;
  const path = resourcePath({ group, plural: pluralOf(kind).toLowerCase() }, version, namespace, name);
  const { data, binaryData } = await readAs(input, path, keys.size === 0 ? columnsOnly : {});
  return new Set([data, binaryData].flatMap((part) => (isJsonObject(part) ? Object.keys(part) : [])));
}

/** One finding for the keys that pods need, one for those that they can start without. */
function missingKeys(
  { called }: CheckedTemplate,
  { kind, name, keys }: Reference,
  present: ReadonlySet<string>,
): Finding[] {
  const missing = [...keys].filter(([key]) => !present.has(key));
  return [...Map.groupBy(missing, ([, use]) => use === 'required')].map(([isRequired, entries]) => {
    const isOne = entries.length === 1;
    const subject = `${isOne ? 'Key' : 'Keys'} ${formatList(entries.map(([key]) => key))} of ${kind} ${name}`;
    const verb = isOne ? 'does not exist' : 'do not exist';
    return isRequired
      ? finding(
          'warning',
          'missing_key',
          `${subject}, required by ${called}, ${verb}: ${rules[kind].consequence}.`,
          `Add ${isOne ? 'it' : 'them'} to ${name} first, or choose another revision.`,
        )
      : finding(
          'info',
          'missing_optional_key',
          `${subject}, optional in ${called}, ${verb}: pods start without ${isOne ? 'it' : 'them'}.`,
        );
  });
}

function missingFinding({ called }: CheckedTemplate, { kind, name, use }: Reference): Finding {
  switch (use) {
    case 'required':
      return finding(
        'warning',
        'missing_reference',
        `${kind} ${name}, required by ${called}, does not exist: ${rules[kind].consequence}.`,
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
export async function checkRecordedObjects(
  input: CheckInput,
  { called, template }: CheckedTemplate,
): Promise<Finding[]> {
  const recorded = input.current.kind.template?.embeddedObjects?.(template) ?? [];
  if (recorded.length === 0) return [];
  const { found, missing, unread } = await lookUpEach(recorded, (object) =>
    readAs(input, resourcePath(object, object.version, object.namespace, object.name)),
  );
  const changed = found.filter(({ item, result }) => !deepEqual(objectAt(result, 'spec') ?? {}, item.spec));
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
async function lookUpEach<Item, Result>(items: readonly Item[], read: (item: Item) => Promise<Result>) {
  const lookUp = async (item: Item) => {
    try {
      return { item, result: await read(item) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { item, error };
    }
  };
  const asked = items.slice(0, LOOKUPS_MAX);
  const lookups: Awaited<ReturnType<typeof lookUp>>[] = [];
  for (let start = 0; start < asked.length; start += PARALLEL)
    lookups.push(...(await Promise.all(asked.slice(start, start + PARALLEL).map(lookUp))));
  const failed = lookups.filter((lookup) => lookup.error !== undefined);
  const isMissing = ({ error }: { error: AppError }) => error.code === 'not_found' && !isUnserved(error);
  return {
    found: lookups.filter((lookup) => lookup.error === undefined),
    missing: failed.filter(isMissing).map(({ item }) => item),
    unread: failed.filter((lookup) => !isMissing(lookup)),
  };
}
