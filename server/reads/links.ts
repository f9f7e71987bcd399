import { type Link } from '@/lib/api/common';
import { parseImage } from '@/lib/kube/image';
import { type WorkloadView } from '@/server/reads/workload-view';
import { type LinkTemplate } from '@/server/shared/config';

/** Links that the operator has configured for a workload; templates that name a pod apply to pods only. */
export function workloadLinks(templates: readonly LinkTemplate[], view: WorkloadView): Link[] {
  return templates
    .filter((template) => !template.url.includes('{pod}'))
    .map((template) => ({ label: template.label, url: fill(template.url, valuesOf(view)) }));
}

/** Links for one pod. */
export function podLinks(templates: readonly LinkTemplate[], view: WorkloadView, pod: string): Link[] {
  return templates
    .filter((template) => template.url.includes('{pod}'))
    .map((template) => ({ label: template.label, url: fill(template.url, { ...valuesOf(view), pod }) }));
}

function valuesOf({ workload, history }: WorkloadView): Record<string, string> {
  const image = workload.images.find((entry) => !entry.init)?.image ?? '';
  return {
    namespace: workload.namespace,
    name: workload.name,
    resource: workload.resource,
    revision: String(history.target?.number ?? ''),
    image,
    tag: parseImage(image)?.tag ?? '',
  };
}

/** Every value is percent-encoded: cluster text must not be able to change where a link leads. */
function fill(url: string, values: Record<string, string>): string {
  return url.replace(/\{(\w+)\}/g, (placeholder: string, key: string) => {
    const value = values[key];
    return value === undefined ? placeholder : encodeURIComponent(value);
  });
}
