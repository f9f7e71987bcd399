import type { Link } from '@/lib/api/common';
import { parseImage } from '@/lib/kube/image';
import { argoApplicationOf } from '@/lib/owners/owners-of';
import type { WorkloadView } from '@/server/views/workload-view';
import type { Mask } from '@/server/shared/mask';
import type { ReadContext } from '@/server/views/context';

type LinkContext = Pick<ReadContext, 'config' | 'keys'> & {
  cluster: Pick<ReadContext['cluster'], 'identity'>;
};

/**
 * Links that the operator has configured for a workload; templates that name a pod apply to pods only, those that name an
 * application to workloads of Argo CD.
 */
export function workloadLinks(
  { cluster, config: { links }, keys: { mask } }: LinkContext,
  view: WorkloadView,
): Link[] {
  const values = valuesOf(cluster, view, mask);
  return links
    .filter(
      ({ url }) => !url.includes('{pod}') && (values.application !== '' || !url.includes('{application}')),
    )
    .map(({ label, url }) => ({ label, url: fill(url, values) }));
}

/** Links for one pod. */
export function podLinks(
  { cluster, config: { links }, keys: { mask } }: LinkContext,
  view: WorkloadView,
  pod: string,
): Link[] {
  return links
    .filter((template) => template.url.includes('{pod}'))
    .map((template) => ({
      label: template.label,
      url: fill(template.url, { ...valuesOf(cluster, view, mask), pod }),
    }));
}

function valuesOf(
  { identity }: LinkContext['cluster'],
  { workload, history }: WorkloadView,
  mask: Mask,
): Record<string, string> {
  const image = mask.text(workload.images.find((entry) => !entry.init)?.image ?? '');
  return {
    cluster: identity.name,
    namespace: workload.namespace,
    name: workload.name,
    resource: workload.resource,
    revision: String(history.target?.number ?? ''),
    image,
    tag: parseImage(image)?.tag ?? '',
    // Argo CD addresses it by its name, or by its namespace and name.
    application: argoApplicationOf(workload) ?? '',
  };
}

/** Every value is percent-encoded: cluster text must not be able to change where a link leads. */
function fill(url: string, values: Record<string, string>): string {
  return url.replace(/\{(\w+)\}/g, (placeholder: string, key: string) => {
    const value = values[key];
    if (value === undefined) return placeholder;
    // Checked by its reader: two names with a slash in between.
    return key === 'application' ? value : encodeURIComponent(value);
  });
}
