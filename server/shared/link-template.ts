/** A link that the operator adds to a workload or pod; `url` has `{placeholders}`. */
export interface LinkTemplate {
  readonly label: string;
  readonly url: string;
}

const labels = { logs: 'Logs', metrics: 'Metrics', commit: 'Commit', argocd: 'Argo CD' };

/** The links in the order of a page; `defaults` has those that are not given. */
export function linkTemplates(
  urls: Readonly<Partial<Record<keyof typeof labels, string | undefined>>>,
  defaults: readonly LinkTemplate[] = [],
): readonly LinkTemplate[] {
  const given = new Map(Object.entries(urls));
  return Object.entries(labels).flatMap(([name, label]) => {
    const url = given.get(name);
    return url === undefined ? defaults.filter((link) => link.label === label) : [{ label, url }];
  });
}
