import type { ClusterRefusal } from '@/lib/api/cluster';

/** The other entries that a claim is about; null where there is none. */
export function holdersOf(refusal: ClusterRefusal): string | null {
  switch (refusal.kind) {
    case 'claimed':
      return refusal.holder;
    case 'contested':
      return refusal.rivals.join(', ');
    case 'changed':
      return null;
    default: {
      const unknown: never = refusal;
      return unknown;
    }
  }
}

/** Why the cluster of an entry is not read; the ids are beside it. */
export function claimText(refusal: ClusterRefusal): string {
  const consequence = 'Shiplog does not read it and records nothing of it.';
  switch (refusal.kind) {
    case 'claimed':
      return `Its API server claims an id that belongs to ${refusal.holder}. ${consequence}`;
    case 'contested':
      return `Its API server claims the same id as that of ${refusal.rivals.join(', ')}, and it belongs to none yet. ${consequence}`;
    case 'changed':
      return `Its API server claims another id than before. ${consequence}`;
    default: {
      const unknown: never = refusal;
      return unknown;
    }
  }
}

/** What happens when a person accepts what the cluster of the entry claims. */
export function acceptanceText(name: string, refusal: ClusterRefusal): string {
  switch (refusal.kind) {
    case 'claimed':
      return `If you accept it, the history of ${refusal.holder} belongs to ${name}: its API server decides who can see that history, and new rollouts are added to it. ${refusal.holder} is then no longer read.`;
    case 'contested':
      return `If you accept it, the id belongs to ${name}, with all that is recorded under it. ${refusal.rivals.join(', ')} ${refusal.rivals.length === 1 ? 'stays' : 'stay'} refused.`;
    case 'changed':
      return `If you accept it, ${name} begins another history under the new id. The history under the previous id stays in the archive, and can be read once no entry is named ${name}.`;
    default: {
      const unknown: never = refusal;
      return unknown;
    }
  }
}

/** What to do where it is not the cluster that it claims to be. */
export function otherwiseText(refusal: ClusterRefusal): string {
  return refusal.kind === 'changed'
    ? 'Accept it only if you know that the cluster was replaced; otherwise check where its kubeconfig or Secret leads.'
    : 'If it is a copy, such as one restored from a backup, give its entry an id of its own instead; if neither is the case, remove the entry.';
}
