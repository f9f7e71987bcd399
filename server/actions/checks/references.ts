import 'server-only';
import { AppError } from '@/lib/errors';
import { finding, type Finding } from '@/lib/workloads/plan';
import { type Reference, type ReferenceKind, referencesOf } from '@/lib/workloads/references';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import { formatList } from '@/lib/format/text';
import {
  type CheckInput,
  lookUpEach,
  LOOKUPS_MAX,
  readAs,
  uncheckedFinding,
} from '@/server/actions/checks/check';

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
