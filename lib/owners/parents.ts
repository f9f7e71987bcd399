import type { JsonObject } from '@/lib/kube/json';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { leavesSyncPolicy } from '@/lib/owners/argo';
import type { Marked, OwnerReading, Parent, Reading } from '@/lib/owners/owner';
import { ownersOf, validName } from '@/lib/owners/owners-of';
import { needsPerson } from '@/lib/owners/verdict';
import { whatUndoes } from '@/lib/owners/what-undoes';

/** An application of applications of applications is rare; each step is a request. */
const PARENTS_MAX = 4;

/**
 * What owns an Application, from the nearest up: its ApplicationSet, or what its own marks name. Ends at an owner that is
 * no Application, that can't be read, or that has been there already.
 */
export async function followParents(
  application: JsonObject,
  read: (parent: Parent, child: Marked) => Promise<Reading>,
): Promise<OwnerReading['parents']> {
  const parents: { parent: Parent; object: Reading }[] = [];
  const seen = new Set([keyOf(markedApplication(application))]);
  for (let child: JsonObject | null = application; child !== null && parents.length < PARENTS_MAX;) {
    const marked = markedApplication(child);
    const parent = parentOf(child, marked);
    if (parent === null) break;
    const object: Reading = await read(parent, marked);
    const next: JsonObject | null =
      object.state === 'found' && parent.kind === 'application' ? object.object : null;
    if (next !== null) {
      const key = keyOf(markedApplication(next));
      if (seen.has(key)) break;
      seen.add(key);
    }
    parents.push({ parent, object });
    child = next;
  }
  return parents;
}

/** The parents that put back a change of the sync policy of an Application; above them, one that does not. */
export function revertingParents(
  { object, parents }: OwnerReading,
  nowMs: number,
): { reverting: readonly Parent[]; above: Parent | null } {
  let child = object;
  const reverting: Parent[] = [];
  for (const [index, { parent, object: found }] of parents.entries()) {
    if (child.state !== 'found') break;
    const marked = markedApplication(child.object);
    if (!isReverting(parent, found, parents.slice(index + 1), marked, nowMs))
      return { reverting, above: parent };
    reverting.push(parent);
    child = found;
  }
  return { reverting, above: null };
}

function isReverting(
  parent: Parent,
  object: Reading,
  parents: OwnerReading['parents'],
  marked: Marked,
  nowMs: number,
): boolean {
  if (parent.kind === 'applicationSet') return !leavesSyncPolicy(object, marked.name);
  const project = { state: 'unreadable' } as const;
  return !needsPerson(whatUndoes({ owner: parent, object, project, parents }, marked, nowMs));
}

function parentOf(application: JsonObject, marked: Marked): Parent | null {
  const generator = objectsAt(application, 'metadata', 'ownerReferences').find(
    (owner) => owner.kind === 'ApplicationSet',
  );
  const name = validName(textAt(generator, 'name') ?? null);
  if (name !== null) return { kind: 'applicationSet', namespace: marked.namespace, name };
  for (const owner of ownersOf(marked))
    if (owner.kind !== 'tool' && owner.kind !== 'pipeline' && owner.name !== null) return owner;
  return null;
}

function markedApplication(application: JsonObject): Marked {
  const texts = (member: string) =>
    Object.fromEntries(
      Object.entries(objectAt(application, 'metadata', member) ?? {}).flatMap(([key, value]) =>
        typeof value === 'string' ? [[key, value]] : [],
      ),
    );
  return {
    resource: 'applications.argoproj.io',
    namespace: textAt(application, 'metadata', 'namespace') ?? '',
    name: textAt(application, 'metadata', 'name') ?? '',
    labels: texts('labels'),
    annotations: texts('annotations'),
    writes: objectsAt(application, 'metadata', 'managedFields').map((entry) => ({
      manager: textAt(entry, 'manager') ?? '',
      operation: textAt(entry, 'operation') ?? '',
      time: textAt(entry, 'time') ?? null,
      subresource: textAt(entry, 'subresource') ?? null,
      template: false,
      revision: false,
    })),
  };
}

function keyOf({ namespace, name }: Marked): string {
  return `${namespace}/${name}`;
}
