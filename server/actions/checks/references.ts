import 'server-only';
import { AppError } from '@/lib/errors';
import { type Finding } from '@/lib/workloads/plan';
import { type Reference, type ReferenceKind, referencesOf } from '@/lib/workloads/references';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import { formatList } from '@/lib/format/text';
import { type CheckInput, readAs, uncheckedFinding } from '@/server/actions/checks/check';

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
  const { namespace } = input.current.workload;
  const references = referencesOf(input.template);
  const lookups: Lookup[] = [];
  const limited = references.slice(0, LOOKUPS_MAX);
  for (let start = 0; start < limited.length; start += PARALLEL) {
    const batch = limited.slice(start, start + PARALLEL);
    lookups.push(...(await Promise.all(batch.map((reference) => lookUp(input, namespace, reference)))));
  }
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
  if (references.length > LOOKUPS_MAX) findings.push(tooManyFinding(references.length));
  const found = lookups.flatMap((lookup) => ('found' in lookup && lookup.found ? [lookup.reference] : []));
  if (findings.length === 0 && found.length > 0) findings.push(allFoundFinding(found));
  return findings;
}

async function lookUp(input: CheckInput, namespace: string, reference: Reference): Promise<Lookup> {
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
      return {
        severity: 'warning',
        code: 'missing_reference',
        message: `${kind} ${name}, which ${called} needs, does not exist: ${consequences[kind]}.`,
        action: `Create ${name} again first, or choose another revision.`,
      };
    case 'optional':
      return {
        severity: 'info',
        code: 'missing_optional_reference',
        message: `${kind} ${name}, which ${called} reads where it exists, does not exist: its pods start without it.`,
        action: null,
      };
    case 'pull':
      return {
        severity: 'warning',
        code: 'missing_pull_secret',
        message: `Secret ${name}, with which ${called} pulls its images, does not exist: private images cannot be pulled on nodes that lack them.`,
        action: `Create ${name} again first.`,
      };
  }
}

function tooManyFinding(total: number): Finding {
  return {
    severity: 'info',
    code: 'references_unchecked',
    message: `It refers to ${total} objects; only the first ${LOOKUPS_MAX} were looked up.`,
    action: null,
  };
}

function allFoundFinding(found: readonly Reference[]): Finding {
  const names = formatList(found.map(({ kind, name }) => `${kind} ${name}`));
  return {
    severity: 'passed',
    code: 'references_exist',
    message:
      found.length === 1 ? `${names}, which it refers to, exists.` : `What it refers to exists: ${names}.`,
    action: null,
  };
}
