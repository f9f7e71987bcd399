import { formatDuration, MINUTE } from '@/lib/format/duration';
import { capitalize, formatList, formatUtc } from '@/lib/format/text';
import type { Owner, Parent } from '@/lib/owners/owner';
import { argoName } from '@/lib/owners/owners-of';
import type { Verdict } from '@/lib/owners/verdict';

const nouns: Readonly<
  Record<Exclude<Parent['kind'], 'applicationSet'>, readonly [tool: string, noun: string]>
> = {
  application: ['Argo CD', 'application'],
  kustomization: ['Flux', 'Kustomization'],
  helmRelease: ['Flux', 'HelmRelease'],
  resourceSet: ['Flux', 'ResourceSet'],
  helm: ['Helm', 'release'],
};

/** "Argo CD", "application", "argocd/shop": how an owner is called, in parts. */
export function partsOfOwner(owner: Owner | Parent): { tool: string; noun: string; name: string | null } {
  switch (owner.kind) {
    case 'tool':
      return { tool: owner.tool, noun: '', name: owner.name };
    case 'pipeline':
      return { tool: owner.tool, noun: owner.identifies, name: owner.name };
    case 'applicationSet':
      return { tool: 'Argo CD', noun: 'ApplicationSet', name: `${owner.namespace}/${owner.name}` };
    default: {
      const [tool, noun] = nouns[owner.kind];
      return { tool, noun, name: argoName(owner) };
    }
  }
}

/** "Argo CD application shop", "Flux Kustomization flux-system/shop", "Helm". */
export function formatOwner(owner: Owner | Parent): string {
  const { tool, noun, name } = partsOfOwner(owner);
  return name === null ? tool : [tool, noun, name].filter((part) => part !== '').join(' ');
}

/**
 * The one sentence on when an owner undoes a change that was made by hand: "Argo CD reverts this within seconds (self-heal
 * is on)."
 */
export function formatVerdict(owner: Owner, verdict: Verdict, nowMs: number): string {
  return `${capitalize(clauseOf(owner, verdict, nowMs))}.`;
}

function clauseOf(owner: Owner, verdict: Verdict, nowMs: number): string {
  const { tool, noun } = partsOfOwner(owner);
  switch (verdict.when) {
    case 'seconds':
      return `${tool} reverts this within seconds${owner.kind === 'application' ? ' (self-heal is on)' : ''}`;
    case 'nextCommit':
      return `${tool} reverts this at ${formatCommit(verdict)}`;
    case 'notWhileFailed':
      return `${tool} does not revert this while the last sync is failed, but at ${formatCommit(verdict)}`;
    case 'nextSync':
      return `${tool} ignores this difference, and reverts it at the next sync`;
    case 'manualSync': {
      const stages =
        verdict.stages.length === 0 ? '' : ` or promotion of Kargo stage ${formatList(verdict.stages)}`;
      return `this change stays until the next manual sync${stages} (auto-sync is off)`;
    }
    case 'afterOperation':
      return `${tool} is syncing now and may revert this; after that sync, ${clauseOf(owner, verdict.then, nowMs)}`;
    case 'notBefore': {
      const window = verdict.window === 'deny' ? 'deny window' : 'no allow window is active';
      const until = verdict.time === null ? 'while that lasts' : `before ${formatUtc(verdict.time)}`;
      return `${tool} does not revert this ${until} (${window}); after that, ${clauseOf(owner, verdict.then, nowMs)}`;
    }
    case 'unlessWindow':
      return `${clauseOf(owner, verdict.then, nowMs)}, unless a sync window prevents it (its project cannot be read)`;
    case 'skipped':
      return `this change stays while ${tool} skips the application (skip-reconcile); its status is stale`;
    case 'at':
      return `${tool} reverts this ${formatReconciliation(verdict, nowMs)}`;
    case 'suspended':
      return `this change stays while the ${noun} is suspended`;
    case 'excluded':
      return `this change stays: ${verdict.by} excludes it from ${tool}`;
    case 'nextUpgrade':
      return `this change stays until the next ${owner.kind === 'helm' ? 'helm upgrade' : 'Helm upgrade by Flux'}`;
    case 'nextDeployment':
      return `this change stays until the next deployment by ${tool}`;
    case 'nextRun':
      return `${tool} may revert this the next time it runs`;
    case 'unknown':
      return `${possibilitiesOf(owner)} (${reasons[verdict.because]})`;
    default:
      return verdict satisfies never;
  }
}

const reasons: Readonly<Record<Extract<Verdict, { when: 'unknown' }>['because'], string>> = {
  unreadable: 'it cannot be read, so this is unknown',
  absent: 'it was not found, so this is unknown',
  ambiguous: 'several have its name, so this is unknown',
  unnamed: 'its name is unknown',
  rule: 'its ignore rules may exclude this',
};

/** Everything that it may do. */
function possibilitiesOf(owner: Owner): string {
  const { tool, noun } = partsOfOwner(owner);
  switch (owner.kind) {
    case 'application':
      return `${tool} reverts this within seconds with self-heal, at the next commit with auto-sync, or else at the next manual sync`;
    case 'helmRelease':
      return `${tool} reverts this at the next Helm upgrade, or at the next reconciliation with drift detection`;
    default:
      return `${tool} reverts this at the next reconciliation, unless the ${noun} is suspended`;
  }
}

function formatCommit({ paths, sources }: { paths: readonly string[]; sources: number }): string {
  if (sources > 1) return `the next commit to any of its ${sources} sources`;
  const [path] = paths;
  return path === undefined ? 'the next version of its source' : `the next commit to ${path}`;
}

/** "in about 7 min (interval 10 min)": at the latest, since a new revision comes first. */
function formatReconciliation({ time, intervalMs }: Extract<Verdict, { when: 'at' }>, nowMs: number): string {
  if (intervalMs === null) return 'at its next reconciliation';
  const interval = formatDuration(intervalMs);
  if (time === null) return `within ${interval} (its interval)`;
  const leftMs = Date.parse(time) - nowMs;
  if (leftMs <= 0) return `at any moment (interval ${interval})`;
  const shownMs = leftMs < MINUTE ? leftMs : Math.round(leftMs / MINUTE) * MINUTE;
  return `in about ${formatDuration(shownMs)} (interval ${interval})`;
}
