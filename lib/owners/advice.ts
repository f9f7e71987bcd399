import { formatList } from '@/lib/format/text';
import { textAt } from '@/lib/kube/read';
import type { OwnerReading, Parent, ToolName } from '@/lib/owners/owner';
import { argoName } from '@/lib/owners/owners-of';
import { revertingParents } from '@/lib/owners/parents';
import type { Verdict } from '@/lib/owners/verdict';
import { formatOwner, partsOfOwner } from '@/lib/owners/verdict-text';

/** What keeps a change that was made by hand. */
export interface Advice {
  text: string;
  /** Only where it has an effect. */
  command?: string;
  /** YAML for what owns the owner, where a command on the owner itself has no lasting effect. */
  manifest?: string;
}

const ofTools: Readonly<Record<ToolName, string>> = {
  'Config Sync': 'Revert the commit in Git, or stop Config Sync from managing this object first.',
  'Rancher Fleet': 'Pause its GitRepo first, or revert the commit in Git.',
  kapp: 'Change the configuration that kapp deploys too.',
  KubeVela: 'Change the Application too.',
};

/** How to keep an owner from undoing a change, by what it does and when. */
export function adviceOf(reading: OwnerReading, verdict: Verdict, nowMs: number): Advice {
  const { owner } = reading;
  switch (owner.kind) {
    case 'application':
      return adviceOfApplication(reading, owner, verdict, nowMs);
    case 'kustomization':
    case 'helmRelease':
    case 'resourceSet':
      return adviceOfFlux(owner, verdict);
    case 'helm':
      return { text: 'Roll back the Helm release too, or fix its chart before the next upgrade.' };
    case 'tool':
      return { text: ofTools[owner.tool] };
    case 'pipeline':
      return { text: `Fix what ${owner.tool} deploys before the next deployment.` };
    default:
      return owner satisfies never;
  }
}

type Named<Kind> = Extract<OwnerReading['owner'], { kind: Kind }>;

function adviceOfApplication(
  reading: OwnerReading,
  owner: Named<'application'>,
  verdict: Verdict,
  nowMs: number,
): Advice {
  if (['manualSync', 'skipped', 'excluded'].includes(verdict.when))
    return { text: 'Revert the commit in Git before the next sync.' };
  const name = argoName(owner);
  const disable = 'Disable auto-sync first, or revert the commit in Git.';
  if (name === null) return { text: disable };
  const { reverting, above } = revertingParents(reading, nowMs);
  const [nearest] = reverting;
  if (nearest !== undefined) {
    const names = formatList(reverting.map(formatOwner));
    const outer = above === null ? '' : ` ${formatOwner(above)} above puts nothing back.`;
    return {
      text: `Revert the commit in Git, or disable auto-sync where it is defined: ${names} reverts any other change of it.${outer}`,
      manifest: manifestFor(nearest, reading),
    };
  }
  const command = `argocd app set ${name} --sync-policy none`;
  if (verdict.when === 'unknown')
    return {
      text: `${disable} The command has no lasting effect if an ApplicationSet or another application manages this one.`,
      command,
    };
  if (verdict.when !== 'afterOperation') return { text: disable, command };
  return {
    text: 'Disable auto-sync and terminate the running sync first, or revert the commit in Git.',
    command: `${command} && argocd app terminate-op ${name}`,
  };
}

function adviceOfFlux(
  owner: Named<'kustomization' | 'helmRelease' | 'resourceSet'>,
  { when }: Verdict,
): Advice {
  const { noun } = partsOfOwner(owner);
  const { kind, namespace, name } = owner;
  if (when === 'suspended') return { text: `Revert the commit in Git before the ${noun} is resumed.` };
  if (when === 'excluded') return { text: 'Revert the commit in Git before that ends.' };
  const text =
    when === 'nextUpgrade'
      ? 'Suspend the HelmRelease first, or fix its chart or values before the next upgrade.'
      : `Suspend the ${noun} first, or revert the commit in Git.`;
  if (name === null) return { text };
  const command =
    kind === 'resourceSet'
      ? `kubectl annotate resourceset ${name} -n ${namespace} --overwrite fluxcd.controlplane.io/reconcile=disabled`
      : `flux suspend ${noun.toLowerCase()} ${name} -n ${namespace}`;
  return { text, command };
}

/** What has to be where the application is defined, so that its automation is off. */
function manifestFor(parent: Parent, { owner, object }: OwnerReading): string {
  if (parent.kind === 'applicationSet')
    return yaml('ApplicationSet', parent.namespace, parent.name, [
      '  ignoreApplicationDifferences:',
      '    - jsonPointers:',
      '        - /spec/syncPolicy',
    ]);
  const namespace = object.state === 'found' ? (textAt(object.object, 'metadata', 'namespace') ?? '') : '';
  return yaml('Application', namespace, owner.name ?? '', ['  syncPolicy:', '    automated: null']);
}

function yaml(kind: string, namespace: string, name: string, spec: readonly string[]): string {
  return [
    'apiVersion: argoproj.io/v1alpha1',
    `kind: ${kind}`,
    'metadata:',
    `  name: ${name}`,
    `  namespace: ${namespace}`,
    'spec:',
    ...spec,
  ].join('\n');
}
