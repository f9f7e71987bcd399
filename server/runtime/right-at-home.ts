import 'server-only';
import { AppError } from '@/lib/errors';
import { allowed, can, type Right, rightBy } from '@/server/views/rights';
import type { Clusters } from '@/server/runtime/clusters';
import type { Person } from '@/server/shared/viewer';

/**
 * The right of the person to a resource of `shiplog.dev` in the cluster that Shiplog runs in, which decides what no other
 * cluster can. It decides also while it is not read: it is known by the account of the pod, not by what it claims to be.
 */
export async function rightAtHome(
  { home, entries }: Pick<Clusters, 'home' | 'entries'>,
  person: Person,
  verb: string,
  plural: string,
): Promise<Right> {
  if (person.isProcess) return allowed;
  if (home === undefined) {
    const entry = entries.find(({ source }) => source.kind === 'in_cluster');
    return entry === undefined
      ? { state: 'denied', why: 'Shiplog runs in none of its clusters, so no role can allow it.' }
      : { state: 'unknown', error: unreadable(entry.name) };
  }
  const viewer = home.viewerOf(person);
  return rightBy(
    () => can(home.cluster, viewer, verb, { group: 'shiplog.dev', plural }),
    `${viewer.name} is not allowed to ${verb} ${plural}.shiplog.dev in ${home.entry.name}. Request this permission.`,
  );
}

function unreadable(name: string): AppError {
  return new AppError(
    'cluster_unreachable',
    `Shiplog can't connect to ${name} now, which decides it. Nothing was changed. Try again later.`,
    { cluster: name },
  );
}
