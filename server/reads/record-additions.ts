import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type RolloutRecord } from '@/lib/api/record';
import { type refusalsSchema } from '@/lib/api/records';
import { clusterById, typeOf } from '@/server/reads/archive-access';
import { type Fleet, type ViewedCluster } from '@/server/reads/context';
import { can } from '@/server/reads/rights';
import { readOnlyText } from '@/server/shared/viewer';

/** What people add to a record, as a role names it; see docs/sign-in.md. */
export type Addition = 'reviews' | 'comments' | 'pins';

type Place = Pick<RolloutRecord['workload'], 'cluster' | 'resource' | 'namespace'>;

/**
 * Why the viewer can't add to the records of a workload, as a sentence; null where they can: with `create` on a resource
 * of `shiplog.dev`, which the cluster need not know for a role to name it, or with `patch` on the workload. The user of
 * this process owns the archive. An unreachable API server throws.
 * https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
 */
export async function additionRefusal(
  viewed: ViewedCluster | null,
  { resource, namespace }: Place,
  addition: Addition,
): Promise<string | null> {
  if (viewed === null || viewed.viewer.isProcess) return null;
  const { context, viewer } = viewed;
  const added = { group: 'shiplog.dev', plural: addition };
  const mayAdd =
    (await can(context.cluster, viewer, 'create', added, namespace)) ||
    (await can(context.cluster, viewer, 'patch', typeOf(resource), namespace));
  return mayAdd
    ? null
    : `${viewer.name} is not allowed to create ${addition}.shiplog.dev in namespace ${namespace}, nor to patch ${typeOf(resource).plural}.`;
}

/**
 * The same for each of them, masked, for records of one answer: each place is checked once. A write is checked again, so
 * an API server that is away hides no control.
 */
export function refusalsFor({ clusters, person, keys }: Pick<Fleet, 'clusters' | 'person' | 'keys'>) {
  const answers = new Map<string, Promise<Answer<typeof refusalsSchema>>>();

  async function refusalsIn(place: Place): Promise<Answer<typeof refusalsSchema>> {
    const viewed = clusterById(clusters, place.cluster) ?? null;
    const refusalOf = async (addition: Addition) => {
      if (person.readOnly !== undefined) return keys.mask.text(readOnlyText(person.readOnly));
      return keys.mask.text(await additionRefusal(viewed, place, addition).catch(() => null));
    };
    const [reviews, comments, pins] = await Promise.all([
      refusalOf('reviews'),
      refusalOf('comments'),
      refusalOf('pins'),
    ]);
    return { reviews, comments, pins };
  }

  return (place: Place): Promise<Answer<typeof refusalsSchema>> => {
    const key = `${place.cluster} ${place.resource} ${place.namespace}`;
    const known = answers.get(key) ?? refusalsIn(place);
    answers.set(key, known);
    return known;
  };
}
