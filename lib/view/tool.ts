import { cutEnd } from '@/lib/format/text';

/** Prefixes of field managers and the tools that write under them; the first match counts. */
const tools: readonly (readonly [RegExp, string])[] = [
  [/^shiplog/i, 'Shiplog'],
  [/^kubectl/, 'kubectl'],
  [/^argocd/, 'Argo CD'],
  [/^(kustomize-controller|helm-controller|flux)/, 'Flux'],
  [/^flagger/, 'Flagger'],
  [/^helm/i, 'Helm'],
  [/^(terraform|HashiCorp)/, 'Terraform'],
  [/^(pulumi|kubernetes-pulumi)/, 'Pulumi'],
  [/^(vela|kubevela)/, 'KubeVela'],
  [/^(rancher|fleetagent|fleet-agent)/, 'Rancher'],
  [/^configsync/, 'Config Sync'],
  [/^headlamp/i, 'Headlamp'],
  [/^k9s/, 'k9s'],
];

const NAME_LENGTH_MAX = 40;

/**
 * The tool behind a field manager, by its common name; an unknown name is returned as it is, bounded. It
 * identifies the tool of a write, seldom the person.
 */
export function toolOf(manager: string): string {
  const known = tools.find(([pattern]) => pattern.test(manager));
  if (known) return known[1];
  return cutEnd(manager, NAME_LENGTH_MAX);
}

/** Kubernetes' own controllers write the sources of revisions; that does not show who changed the template. */
export function isController(manager: string): boolean {
  return manager === 'kube-controller-manager';
}
