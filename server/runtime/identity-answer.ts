import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { identitySchema } from '@/lib/api/identity';
import { AppError } from '@/lib/errors';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import type { Runtime } from '@/server/runtime/runtime';
import type { Mask } from '@/server/shared/mask';
import { maskedName } from '@/server/shared/masked-actor';
import type { Credential, Person } from '@/server/shared/viewer';

type Identities = Answer<typeof identitySchema>;

/** Who the person is, and what each cluster makes of them: the first page to open where someone sees too little. */
export async function identityOf(
  { edge: { identity }, clusters, shared }: Pick<Runtime, 'edge' | 'clusters' | 'shared'>,
  person: Person,
): Promise<Identities> {
  const { mask } = shared.keys;
  return {
    mode: identity.mode,
    name: mask.text(person.name),
    issuer: person.login?.issuer ?? null,
    subject: person.login?.subject ?? null,
    clusters: await Promise.all(clusters.all.map((each) => identityIn(each, person, mask))),
  };
}

async function identityIn(
  runtime: ClusterRuntime,
  person: Person,
  mask: Mask,
): Promise<Identities['clusters'][number]> {
  const { entry, cluster } = runtime;
  const viewer = runtime.viewerOf(person);
  const { credential } = viewer;
  const known = {
    ...{ name: entry.name, title: entry.title, credential: credential.kind },
    sent: credential.kind === 'impersonate' ? impersonated(credential, mask) : null,
  };
  try {
    const { name, groups } = await cluster.access.whoAmI(viewer);
    return { ...known, answer: masked(name, groups, mask), problem: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...known, answer: null, problem: mask.text(error.sentence) };
  }
}

function impersonated({ user, groups = [] }: Credential & { kind: 'impersonate' }, mask: Mask) {
  return masked(user, groups, mask);
}

function masked(user: string, groups: readonly string[], mask: Mask) {
  return { user: maskedName(user, mask), groups: groups.map((group) => maskedName(group, mask)) };
}
