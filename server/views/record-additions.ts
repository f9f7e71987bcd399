import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { refusalsSchema } from '@/lib/api/records';
import { typeOf } from '@/lib/kube/resource';
import type { RecordScopeOf } from '@/server/views/archive-access';
import type { Fleet, RecordPlace } from '@/server/views/fleet';
import { allowed, can, refusalOf, type Right, rightBy } from '@/server/views/rights';
import { readOnlyText } from '@/server/shared/viewer';

/** What people add to a record, as a role names it; see docs/sign-in.md. */
export type Addition = 'reviews' | 'comments' | 'pins';

const REMOVED =
  'The cluster of this record is no longer configured, so nothing can be added to it: no cluster says who is allowed to.';

/**
 * The right of the viewer to add to the records of a workload: with `create` on a resource of `shiplog.dev`, which the
 * cluster need not know for a role to name it, or with `patch` on the workload. The user of this process owns the
 * archive, but nobody adds to the records of a cluster that is no longer configured.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
 */
export async function rightToAdd(
  place: RecordPlace,
  { resource, namespace }: RecordScopeOf,
  addition: Addition,
): Promise<Right> {
  if (place.state === 'unknown') return place;
  if (place.state === 'removed') return { state: 'denied', why: REMOVED };
  const { context, viewer } = place.viewed;
  if (viewer.isProcess) return allowed;
  const added = { group: 'shiplog.dev', plural: addition };
  return rightBy(
    async () =>
      (await can(context.cluster, viewer, 'create', added, namespace)) ||
      (await can(context.cluster, viewer, 'patch', typeOf(resource), namespace)),
    `${viewer.name} is not allowed to create ${addition}.shiplog.dev in namespace ${namespace}, nor to patch ${typeOf(resource).plural}. Request one of these permissions.`,
  );
}

/** The refusals of each addition, masked, for records of one answer: each place is checked once. */
export function refusalsFor({ placeOf, person, keys }: Pick<Fleet, 'placeOf' | 'person' | 'keys'>) {
  const answers = new Map<string, Promise<Answer<typeof refusalsSchema>>>();

  async function refusalsIn(workload: RecordScopeOf): Promise<Answer<typeof refusalsSchema>> {
    const place = await placeOf(workload.cluster);
    const refusalFor = async (addition: Addition) => {
      if (person.readOnly !== undefined) return keys.mask.text(readOnlyText(person.readOnly));
      return keys.mask.text(refusalOf(await rightToAdd(place, workload, addition)));
    };
    const [reviews, comments, pins] = await Promise.all([
      refusalFor('reviews'),
      refusalFor('comments'),
      refusalFor('pins'),
    ]);
    return { reviews, comments, pins };
  }

  return (workload: RecordScopeOf): Promise<Answer<typeof refusalsSchema>> => {
    const key = `${workload.cluster} ${workload.resource} ${workload.namespace}`;
    const known = answers.get(key) ?? refusalsIn(workload);
    answers.set(key, known);
    return known;
  };
}
